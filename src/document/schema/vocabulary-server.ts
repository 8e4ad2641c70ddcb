import type { Definitions } from './vocabulary-notation.ts'

/** The root, the server and its security. */
export const SERVER_DEFINITIONS: Definitions = {
  cruise: {
    attributes: 'schemaVersion:version!',
    content: 'server? repositories? scms? pipelines* templates? environments? agents?',
    others: {
      content:
        'server? & elastic? & repositories? & scms? & config-repos? & artifactStores? & secretConfigs? & pipelines* & templates? & environments? & vmms? & agents?',
    },
  },
  server: {
    attributes:
      'artifactsdir commandRepositoryLocation serverId siteUrl:siteUrl secureSiteUrl:secureSiteUrl purgeStart:double purgeUpto:double jobTimeout:double agentAutoRegisterKey',
    content: 'security? & mailhost?',
    others: {
      attributes: 'webhookSecret tokenGenerationKey',
      content:
        'security? & mailhost? & license? & known-servers? & backup? & siteUrls? & artifacts? & elastic?',
    },
  },
  mailhost: {
    attributes:
      'hostname! port:integer! tls:boolean! from:email! admin:email! username password encryptedPassword',
    others: { attributes: 'tls:boolean' },
  },
  vmms: { content: '#any' },
  'known-servers': { content: '#any' },
  'server/elastic': { attributes: 'jobStarvationTimeout:integer', content: 'profiles?' },
  license: { attributes: 'user', content: '#text' },
  backup: {
    attributes: 'schedule postBackupScript emailOnSuccess:boolean emailOnFailure:boolean',
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
    attributes: 'anonymous:boolean allowOnlyKnownUsersToLogin:boolean',
    content: 'ldap? & passwordFile? & roles? & admins?',
    others: { content: 'authConfigs? & ldap? & passwordFile? & luau? & roles? & admins?' },
  },
  ldap: {
    attributes: 'uri! managerDn managerPassword encryptedManagerPassword searchFilter',
    content: 'bases',
    others: { attributes: 'searchBase', content: 'bases?' },
  },
  bases: { content: 'base+' },
  base: { attributes: 'value!', others: { content: '#text' } },
  passwordFile: { attributes: 'path!' },
  luau: { content: '#any' },
  authConfigs: { content: 'authConfig*' },
  authConfig: {
    attributes: 'pluginId:name! id:name! allowOnlyKnownUsersToLogin:boolean',
    content: 'property*',
  },
  roles: { content: 'role+', others: { content: '(pluginRole|role)+' } },
  'roles/role': {
    attributes: 'name:name!',
    content: 'users?',
    others: { content: 'users? & policy? & user* & groups?' },
  },
  pluginRole: { attributes: 'name:name! authConfigId:name!', content: 'policy? property*' },
  users: { content: 'user*' },
  groups: { content: '#any' },
  policy: { content: '(allow|deny)+' },
  rules: { content: '(allow|deny)+' },
  allow: { attributes: 'action! type!', content: '#text' },
  deny: { attributes: 'action! type!', content: '#text' },
  'security/admins': { content: '(user|role)*' },
  'users/user': { content: '#filled' },
  'role/user': { content: '#filled' },
  user: { content: '#text' },
  role: { content: '#text' },
}
