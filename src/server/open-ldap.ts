import { unavailable } from '../core/errors.ts'
import type { LdapDirectory } from '../identities/ldap/ldap-directory.ts'
import type { BootContext } from './boot-context.ts'
import { readCertificates, readSecretFile } from './named-file.ts'

/**
 * The directory that has users; null where the settings name none, so that its package is not loaded.
 * Nothing is asked of it yet.
 */
export async function openLdap({
  settings,
  environment: { clock, log },
}: BootContext): Promise<LdapDirectory | null> {
  const { 'ldap-url': urls, 'ldap-user-base': base, 'ldap-user-filter': filter } = settings
  if (urls.length === 0 || base === null) return null
  const { filterProblem, nameAttribute } = await import('../identities/ldap/ldap-filter.ts')
  const attribute = nameAttribute(filter)
  if (attribute === null) return null
  const problem = filterProblem(filter)
  if (problem !== null) throw unavailable(`--ldap-user-filter cannot be read: ${problem}`)
  const ca = await readCertificates(settings['ldap-ca-file'])
  const startTls = settings['ldap-start-tls']
  const [dn, file] = [settings['ldap-bind-dn'], settings['ldap-bind-password-file']]
  const ldap = await import('../identities/ldap/ldap-directory.ts')
  return new ldap.LdapDirectory({
    servers: urls.map((url) => ({ url, startTls, ca })),
    reader: dn === null || file === null ? null : { dn, password: await readSecretFile(file) },
    users: { base, filter, attribute },
    groupBase: settings['ldap-group-base'],
    clock,
    log,
  })
}
