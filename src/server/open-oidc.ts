import type { OidcLogIn, OidcLogInOptions } from '../identities/oidc/oidc-log-in.ts'
import type { BootContext } from './boot-context.ts'
import { readSecretFile } from './named-file.ts'

/**
 * The log-in by OpenID Connect; null where the settings name no provider, so that its packages are not
 * loaded. Nothing is asked of it yet.
 */
export async function openOidc(
  { settings, environment: { clock, log } }: BootContext,
  { users, letIn, key }: Pick<OidcLogInOptions, 'users' | 'letIn' | 'key'>,
): Promise<OidcLogIn | null> {
  const { 'oidc-issuer': issuer, 'oidc-client-id': clientId, 'public-url': publicUrl } = settings
  if (issuer === null || clientId === null || publicUrl === null) return null
  const file = settings['oidc-client-secret-file']
  const oidc = await import('../identities/oidc/oidc-log-in.ts')
  return new oidc.OidcLogIn({
    issuer,
    clientId,
    clientSecret: file === null ? null : await readSecretFile(file),
    claims: { username: settings['oidc-username-claim'], roles: settings['oidc-roles-claim'] },
    callback: `${new URL(publicUrl).origin}${settings['base-path']}/login/oidc/callback`,
    key,
    users,
    letIn,
    clock,
    log,
  })
}
