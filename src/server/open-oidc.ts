import { readFile } from 'node:fs/promises'
import { reasonOf, unavailable } from '../core/errors.ts'
import { OidcLogIn } from '../identities/oidc/oidc-log-in.ts'
import type { UsersReading } from '../security/users.ts'
import type { BootContext } from './boot-context.ts'

/** The log-in by OpenID Connect; null where the settings name no provider. Nothing is asked of it yet. */
export async function openOidc(
  { settings, environment: { clock, log } }: BootContext,
  { users, key }: { users: () => Promise<UsersReading>; key: Uint8Array },
): Promise<OidcLogIn | null> {
  const { 'oidc-issuer': issuer, 'oidc-client-id': clientId, 'public-url': publicUrl } = settings
  if (issuer === null || clientId === null || publicUrl === null) return null
  const file = settings['oidc-client-secret-file']
  return new OidcLogIn({
    issuer,
    clientId,
    clientSecret: file === null ? null : await readSecretFile(file),
    claims: { username: settings['oidc-username-claim'], roles: settings['oidc-roles-claim'] },
    callback: `${new URL(publicUrl).origin}${settings['base-path']}/login/oidc/callback`,
    key,
    users,
    clock,
    log,
  })
}

/**
 * The one line of a file that holds a secret.
 *
 * @throws {ServiceError} `unavailable`
 */
export async function readSecretFile(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw unavailable(`The file ${file} cannot be read: ${reasonOf(cause)}`, cause)
  })
  const secret = text.trim()
  if (secret === '') throw unavailable(`The file ${file} is empty`)
  return secret
}
