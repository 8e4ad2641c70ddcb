import { OptionalNumber, OptionalText, Text } from '../schema/attribute.ts'
import { SERVER_ELEMENTS } from '../schema/server.ts'
import { childrenOf, many, manyOf, modelOf, one, OWN_TEXT, type ValueOf } from './fields.ts'
import type { ModelNode } from './model-node.ts'
import { GRANTEES } from './values.ts'

const RoleUser = modelOf({}, { name: OWN_TEXT })

/** Roles of later versions may be filled by a plugin; those list no users. */
const Role = modelOf(SERVER_ELEMENTS['roles/role'], {
  /** Older versions list them without a `users` element around them. */
  users: {
    form: manyOf(RoleUser.form),
    read: (node: ModelNode) =>
      [...node.list('users', 'user'), ...node.list('user')].map(RoleUser.read),
  },
})
export type Role = ValueOf<typeof Role>

const Ldap = modelOf(SERVER_ELEMENTS.ldap, {
  bases: many(modelOf(SERVER_ELEMENTS.base), 'bases', 'base'),
})

const Security = modelOf(SERVER_ELEMENTS.security, {
  ldap: one('ldap', Ldap),
  passwordFile: one('passwordFile', modelOf(SERVER_ELEMENTS.passwordFile)),
  /** The replacement of ldap and password file in later versions. */
  authConfigs: many(modelOf(SERVER_ELEMENTS.authConfig), 'authConfigs', 'authConfig'),
  roles: childrenOf('roles', Role),
  admins: {
    form: GRANTEES.form,
    read: (node: ModelNode) => {
      const admins = node.child('admins')
      return admins ? GRANTEES.read(admins) : []
    },
  },
})
export type Security = ValueOf<typeof Security>

const PURGE = ['artifacts', 'purgeSettings'] as const

/** Later versions have some attributes of the server as elements in it. */
export const Server = modelOf(SERVER_ELEMENTS.server, {
  artifactsDir: {
    form: Text,
    read: (node: ModelNode) =>
      textAt(node, 'artifactsdir', 'artifacts', 'artifactsDir') ?? 'artifacts',
  },
  siteUrl: {
    form: OptionalText,
    read: (node: ModelNode) => textAt(node, 'siteUrl', 'siteUrls', 'siteUrl'),
  },
  secureSiteUrl: {
    form: OptionalText,
    read: (node: ModelNode) => textAt(node, 'secureSiteUrl', 'siteUrls', 'secureSiteUrl'),
  },
  purgeStart: {
    form: OptionalNumber,
    read: (node: ModelNode) => textAt(node, 'purgeStart', ...PURGE, 'purgeStartDiskSpace'),
  },
  purgeUpto: {
    form: OptionalNumber,
    read: (node: ModelNode) => textAt(node, 'purgeUpto', ...PURGE, 'purgeUptoDiskSpace'),
  },
  security: one('security', Security),
  mailHost: one('mailhost', modelOf(SERVER_ELEMENTS.mailhost)),
})
export type Server = ValueOf<typeof Server>

/** Whether callers have to say who they are. */
export function isSecurityOn({ server }: { readonly server: Server | null }): boolean {
  const security = server?.security
  if (!security) return false
  return security.ldap !== null || security.passwordFile !== null || security.authConfigs.length > 0
}

function textAt(node: ModelNode, attribute: string, ...path: readonly string[]): string | null {
  return node.attribute(attribute) ?? node.list(...path)[0]?.text ?? null
}
