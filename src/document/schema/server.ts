import { z } from 'zod'
import { flag, number, optional, required } from './attribute.ts'
import type { ElementRows } from './element.ts'

const SchemaVersion = z.string().trim().pipe(z.coerce.number<string>().int())

const GRANT = {
  attributes: { action: required('text'), type: required('text') },
  content: '#text',
} as const

/** The root, the server and its security. */
export const SERVER_ELEMENTS = {
  cruise: {
    attributes: { schemaVersion: required('version').into(SchemaVersion) },
    content: 'server? repositories? scms? pipelines* templates? environments? agents?',
    elsewhere:
      'server? & elastic? & repositories? & scms? & config-repos? & artifactStores? & secretConfigs? & pipelines* & templates? & environments? & vmms? & agents?',
  },
  server: {
    attributes: {
      artifactsdir: optional('text').withoutField(),
      commandRepositoryLocation: optional('text').or('default'),
      serverId: optional('text'),
      siteUrl: optional('siteUrl').withoutField(),
      secureSiteUrl: optional('secureSiteUrl').withoutField(),
      purgeStart: number('double').withoutField(),
      purgeUpto: number('double').withoutField(),
      /** Minutes without output after which a job is given up; null and 0 mean never. */
      jobTimeout: number('double'),
      agentAutoRegisterKey: optional('text'),
      webhookSecret: optional('text').elsewhere().withoutField(),
      tokenGenerationKey: optional('text').elsewhere().withoutField(),
    },
    content: 'security? & mailhost?',
    elsewhere:
      'security? & mailhost? & license? & known-servers? & backup? & siteUrls? & artifacts? & elastic?',
  },
  mailhost: {
    attributes: {
      hostname: required('text'),
      port: number('integer').needed(),
      tls: flag('false').needed().optionalElsewhere(),
      from: required('email'),
      admin: required('email'),
      username: optional('text'),
      password: optional('text'),
      encryptedPassword: optional('text'),
    },
  },
  vmms: { content: '#any' },
  'known-servers': { content: '#any' },
  'server/elastic': {
    attributes: { jobStarvationTimeout: number('integer') },
    content: 'profiles?',
    keepsUnknown: true,
  },
  license: { attributes: { user: optional('text') }, content: '#text' },
  backup: {
    attributes: {
      schedule: optional('text'),
      postBackupScript: optional('text'),
      emailOnSuccess: flag('false'),
      emailOnFailure: flag('false'),
    },
  },
  siteUrls: { content: 'siteUrl? & secureSiteUrl?' },
  siteUrl: { content: '#optionalSiteUrl' },
  secureSiteUrl: { content: '#optionalSecureSiteUrl' },
  'server/artifacts': { content: 'artifactsDir? & purgeSettings?' },
  artifactsDir: { content: '#text' },
  purgeSettings: { content: 'purgeStartDiskSpace? & purgeUptoDiskSpace?' },
  purgeStartDiskSpace: { content: '#double' },
  purgeUptoDiskSpace: { content: '#double' },

  security: {
    attributes: { anonymous: flag('true'), allowOnlyKnownUsersToLogin: flag('false') },
    content: 'ldap? & passwordFile? & roles? & admins?',
    elsewhere: 'authConfigs? & ldap? & passwordFile? & luau? & roles? & admins?',
    ordered: true,
  },
  ldap: {
    attributes: {
      uri: required('text'),
      managerDn: optional('text').withoutField(),
      managerPassword: optional('text').withoutField(),
      encryptedManagerPassword: optional('text').withoutField(),
      searchFilter: optional('text').withoutField(),
      searchBase: optional('text').elsewhere().withoutField(),
    },
    content: 'bases',
    elsewhere: 'bases?',
  },
  bases: { content: 'base+' },
  base: { attributes: { value: required('text') }, elsewhere: '#text' },
  passwordFile: { attributes: { path: required('text') } },
  luau: { content: '#any' },
  authConfigs: { content: 'authConfig*', keepsUnknown: true },
  authConfig: {
    attributes: {
      pluginId: required('name'),
      id: required('name'),
      allowOnlyKnownUsersToLogin: flag('false').withoutField(),
    },
    content: 'property*',
  },
  roles: { content: 'role+', elsewhere: '(pluginRole|role)+' },
  'roles/role': {
    attributes: { name: required('name') },
    content: 'users?',
    elsewhere: 'users? & policy? & user* & groups?',
  },
  pluginRole: {
    attributes: { name: required('name'), authConfigId: required('name') },
    content: 'policy? property*',
    keepsUnknown: true,
  },
  users: { content: 'user*' },
  groups: { content: '#any' },
  policy: { content: '(allow|deny)+' },
  rules: { content: '(allow|deny)+' },
  allow: GRANT,
  deny: GRANT,
  'security/admins': { content: '(user|role)*' },
  'users/user': { content: '#filled' },
  'role/user': { content: '#filled' },
  user: { content: '#text' },
  role: { content: '#text' },
} as const satisfies ElementRows
