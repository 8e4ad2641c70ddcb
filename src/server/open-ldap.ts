import { unavailable } from '../core/errors.ts'
import { LdapDirectory } from '../identities/ldap/ldap-directory.ts'
import { filterProblem, nameAttribute } from '../identities/ldap/ldap-filter.ts'
import type { BootContext } from './boot-context.ts'
import { readNamedFile, readSecretFile } from './named-file.ts'

/** The directory that has users; null where the settings name none. Nothing is asked of it yet. */
export async function openLdap({
  settings,
  environment: { log },
}: BootContext): Promise<LdapDirectory | null> {
  const { 'ldap-url': urls, 'ldap-user-base': base, 'ldap-user-filter': filter } = settings
  const attribute = nameAttribute(filter)
  if (urls.length === 0 || base === null || attribute === null) return null
  const problem = filterProblem(filter)
  if (problem !== null) throw unavailable(`--ldap-user-filter cannot be read: ${problem}`)
  const ca = await readCertificates(settings['ldap-ca-file'])
  const startTls = settings['ldap-start-tls']
  const [dn, file] = [settings['ldap-bind-dn'], settings['ldap-bind-password-file']]
  return new LdapDirectory({
    servers: urls.map((url) => ({ url, startTls, ca })),
    reader: dn === null || file === null ? null : { dn, password: await readSecretFile(file) },
    users: { base, filter, attribute },
    groupBase: settings['ldap-group-base'],
    log,
  })
}

/** @throws {ServiceError} `unavailable` */
async function readCertificates(file: string | null): Promise<string | null> {
  if (file === null) return null
  const text = await readNamedFile(file)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw unavailable(`The file ${file} has no certificate`)
}
