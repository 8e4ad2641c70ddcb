import { z } from 'zod'
import type { ModelNode } from './model-node.ts'
import {
  At,
  Flag,
  OptionalNumber,
  OptionalText,
  Grantee,
  readPrincipals,
  Text,
  manyOf,
} from './values.ts'

/** Roles of later versions may be filled by a plugin; those list no users. */
export const Role = z.object({
  at: At,
  name: Text,
  users: manyOf(z.object({ at: At, name: Text })),
})
export type Role = z.infer<typeof Role>

export const Ldap = z.object({
  at: At,
  uri: Text,
  bases: manyOf(z.object({ at: At, value: Text })),
})
export type Ldap = z.infer<typeof Ldap>

export const Security = z.object({
  at: At,
  anonymous: Flag,
  allowOnlyKnownUsersToLogin: Flag,
  ldap: Ldap.nullable(),
  passwordFile: z.object({ at: At, path: Text }).nullable(),
  /** What later versions have in place of ldap and password file. */
  authConfigs: manyOf(z.object({ at: At, id: Text, pluginId: Text })),
  roles: manyOf(Role),
  admins: manyOf(Grantee),
})
export type Security = z.infer<typeof Security>

export const MailHost = z.object({
  at: At,
  hostname: Text,
  port: OptionalNumber,
  from: Text,
  admin: Text,
})
export type MailHost = z.infer<typeof MailHost>

export const Server = z.object({
  at: At,
  artifactsDir: Text,
  commandRepositoryLocation: Text,
  serverId: OptionalText,
  siteUrl: OptionalText,
  secureSiteUrl: OptionalText,
  purgeStart: OptionalNumber,
  purgeUpto: OptionalNumber,
  /** Minutes without output after which a job is given up; null and 0 mean never. */
  jobTimeout: OptionalNumber,
  agentAutoRegisterKey: OptionalText,
  security: Security.nullable(),
  mailHost: MailHost.nullable(),
})
export type Server = z.infer<typeof Server>

/** Whether callers have to say who they are. */
export function isSecurityOn({ server }: { readonly server: Server | null }): boolean {
  const security = server?.security
  if (!security) return false
  return security.ldap !== null || security.passwordFile !== null || security.authConfigs.length > 0
}

export function readServer(node: ModelNode): z.input<typeof Server> {
  const security = node.child('security')
  const mailHost = node.child('mailhost')
  const artifacts = node.child('artifacts')
  const purge = artifacts?.child('purgeSettings')
  const urls = node.child('siteUrls')
  return {
    at: node.at,
    artifactsDir:
      node.attribute('artifactsdir') ?? artifacts?.textOf('artifactsDir') ?? 'artifacts',
    commandRepositoryLocation: node.attribute('commandRepositoryLocation') ?? 'default',
    serverId: node.attribute('serverId'),
    siteUrl: node.attribute('siteUrl') ?? urls?.textOf('siteUrl') ?? null,
    secureSiteUrl: node.attribute('secureSiteUrl') ?? urls?.textOf('secureSiteUrl') ?? null,
    purgeStart: node.attribute('purgeStart') ?? purge?.textOf('purgeStartDiskSpace') ?? null,
    purgeUpto: node.attribute('purgeUpto') ?? purge?.textOf('purgeUptoDiskSpace') ?? null,
    jobTimeout: node.attribute('jobTimeout'),
    agentAutoRegisterKey: node.attribute('agentAutoRegisterKey'),
    security: security && readSecurity(security),
    mailHost: mailHost && readMailHost(mailHost),
  }
}

function readSecurity(node: ModelNode): z.input<typeof Security> {
  const ldap = node.child('ldap')
  const passwordFile = node.child('passwordFile')
  return {
    at: node.at,
    anonymous: node.attribute('anonymous') ?? 'true',
    allowOnlyKnownUsersToLogin: node.attribute('allowOnlyKnownUsersToLogin') ?? 'false',
    ldap: ldap && readLdap(ldap),
    passwordFile: passwordFile && {
      at: passwordFile.at,
      path: passwordFile.attribute('path') ?? '',
    },
    authConfigs: node.list('authConfigs', 'authConfig').map((config) => ({
      at: config.at,
      id: config.attribute('id') ?? '',
      pluginId: config.attribute('pluginId') ?? '',
    })),
    roles: (node.child('roles')?.children ?? []).map(readRole),
    admins: readPrincipals(node.child('admins')),
  }
}

function readLdap(node: ModelNode): z.input<typeof Ldap> {
  const bases = node.list('bases', 'base')
  return {
    at: node.at,
    uri: node.attribute('uri') ?? '',
    bases: bases.map((base) => ({ at: base.at, value: base.attribute('value') ?? '' })),
  }
}

/** Older versions list the users without a `users` element around them. */
function readRole(node: ModelNode): z.input<typeof Role> {
  const users = [...node.list('users', 'user'), ...node.list('user')]
  return {
    at: node.at,
    name: node.attribute('name') ?? '',
    users: users.map(({ at, text }) => ({ at, name: text })),
  }
}

function readMailHost(node: ModelNode): z.input<typeof MailHost> {
  return {
    at: node.at,
    hostname: node.attribute('hostname') ?? '',
    port: node.attribute('port'),
    from: node.attribute('from') ?? '',
    admin: node.attribute('admin') ?? '',
  }
}
