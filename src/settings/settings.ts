import { z } from 'zod'
import { OBJECT_FORMATS } from '../core/object-name.ts'
import { LOG_LEVELS } from '../lib/log.ts'
import { CLIENT_SETTINGS } from './client-settings.ts'
import {
  AgentTimeout,
  BasePath,
  CommaList,
  DatabaseUrl,
  Duration,
  FileName,
  Folders,
  Host,
  IpAddresses,
  Issuer,
  LargeSize,
  LdapFilter,
  LdapUrls,
  Optional,
  Port,
  ServerUrl,
  ServerUrls,
  Size,
  Switch,
  NonEmpty,
  Validity,
  DateOrTime,
  LastDateOrTime,
} from './setting-values.ts'

const REPOSITORY = {
  'config-repo': NonEmpty.default('./config-repo').describe(
    'the git repository; created when absent',
  ),
  'config-file': FileName.default('config.xml').describe('name of the live file in it'),
}
const NEW_REPOSITORY = {
  'object-format': z
    .enum(OBJECT_FORMATS, 'is neither sha1 nor sha256')
    .default('sha1')
    .describe('sha1 or sha256: how git names objects in a repository that is created'),
}
const STATE = {
  'state-dir': NonEmpty.default('./state').describe('agent and stage state, artifacts, keys'),
}
const DATABASE = {
  state: DatabaseUrl.nullable()
    .default(null)
    .describe('PostgreSQL database of state and history; SQLite in the state folder when absent'),
}
const USERS = {
  ...STATE,
  'users-file': Optional.describe(
    'htpasswd file; when absent, users are in the PostgreSQL database, or in users.htpasswd in the state folder',
  ),
}
const KEYS = {
  'secret-keys': Optional.describe(
    'file of the secret keys; secret.keys in the state folder when absent',
  ),
}
const PLACES = {
  ...USERS,
  ...KEYS,
  'artifacts-dir': Optional.describe(
    'folder of consoles and artifacts; artifacts in the state folder when absent',
  ),
}

/** Log-in on pages by OpenID Connect. */
const OIDC = {
  'oidc-issuer': Issuer.nullable()
    .default(null)
    .describe('OpenID Connect provider by which people log in on pages; needs `--public-url`'),
  'oidc-client-id': Optional.describe('name of this service there'),
  'oidc-client-secret-file': Optional.describe('file with the secret of this service there'),
  'oidc-username-claim': NonEmpty.default('preferred_username').describe(
    'claim that is the user name',
  ),
  'oidc-roles-claim': Optional.describe('claim with names of roles of the configuration'),
}

/** Users of a directory. */
const LDAP = {
  'ldap-url': LdapUrls.prefault('').describe(
    'directory servers with further users, separated by commas; the next one is asked where one is away',
  ),
  'ldap-bind-dn': Optional.describe('entry that looks for users there; nobody when absent'),
  'ldap-bind-password-file': Optional.describe('file with the password of that entry'),
  'ldap-user-base': Optional.describe('entry below which the users are'),
  'ldap-user-filter': LdapFilter.default('(uid={user})').describe(
    'filter that finds a user; the attribute beside `{user}` is the user name',
  ),
  'ldap-group-base': Optional.describe(
    'entry below which the groups are, whose `cn` are names of roles',
  ),
  'ldap-start-tls': Switch.describe('begin TLS on a connection by `ldap:`'),
  'ldap-ca-file': Optional.describe('certificates of the authorities that are trusted for it'),
}

/** Every setting of every subcommand. A flag `--config-repo` has the variable `CAIRN_CONFIG_REPO`. */
export const SETTINGS = {
  serve: z.object({
    host: Host.default('127.0.0.1').describe('address to listen on'),
    port: Port.prefault('8153').describe('port to listen on; 0 picks a free one'),
    'base-path': BasePath.prefault('').describe('application path prefix, such as /go'),
    ...REPOSITORY,
    ...NEW_REPOSITORY,
    ...PLACES,
    ...DATABASE,
    advertise: ServerUrl.nullable()
      .default(null)
      .describe('address by which other servers reach this one; the ready address when absent'),
    'admin-password': Optional.describe(
      'password of admin at the first start, of at most 72 bytes; generated when absent',
    ),
    'auto-register-key': Optional.describe('agents that present it need no approval'),
    'public-url': ServerUrl.nullable()
      .default(null)
      .describe('address that people use; requests to its host are answered'),
    ...OIDC,
    ...LDAP,
    'allowed-hosts': CommaList.prefault('').describe(
      'further host names that requests may name, separated by commas',
    ),
    'client-names': z
      .enum(['neutral', 'gocd'], 'is neither neutral nor gocd')
      .default('neutral')
      .describe('gocd adds the names that clients of the original expect'),
    'poll-interval': Duration.prefault('5s').describe('how often the live file is compared'),
    mirror: Optional.describe('git repository that every revision is pushed to'),
    archive: Folders.prefault([]).meta({
      isRepeatable: true,
      description: 'file of `cairn archive` whose revisions are shown too; repeatable',
    }),
    'material-interval': Duration.prefault('60s').describe('how often a material is polled'),
    'local-materials': Folders.prefault([]).meta({
      isRepeatable: true,
      description: 'folder below which repositories on this machine may be materials; repeatable',
    }),
    'secrets-dir': Optional.describe(
      'folder with the secrets that a configuration refers to, as files CONFIG/KEY',
    ),
    'agent-timeout': AgentTimeout.prefault('300s').describe(
      'silence after which an agent is lost; at least 1s',
    ),
    'webhooks-file': Optional.describe(
      'receivers of revisions; webhooks.json in the state folder when absent',
    ),
    'mail-ca-file': Optional.describe(
      'certificates of the authorities that are trusted for the mail server',
    ),
    'max-body': Size.prefault('32MiB').describe('largest request body'),
    'trusted-proxies': IpAddresses.prefault('').describe(
      'IP addresses and networks of proxies whose X-Forwarded-For is believed',
    ),
    'start-paused': Switch.describe('pause every pipeline at this start, until it is unpaused'),
    maintenance: Switch.describe(
      'refuse changes of the configuration and new runs after this start, until they are allowed',
    ),
    recovery: Switch.describe(
      'let administrators bypass rules about changes for an hour after this start',
    ),
    'begin-anew': Switch.describe(
      'start though secret keys, state, users or history are missing; what they held is lost',
    ),
    'max-audit': Size.prefault('256MiB').describe('how large the audit log may become'),
    'max-artifact': Size.prefault('1024MiB').describe('largest file that a job may keep'),
    'max-artifacts': LargeSize.nullable()
      .default(null)
      .describe('consoles and artifacts in all; the oldest make room'),
    'log-level': z
      .enum(LOG_LEVELS, 'is neither info nor debug')
      .default('info')
      .describe('debug logs the start and the end of every request'),
  }),
  agent: z.object({
    server: ServerUrls.meta({
      isRepeatable: true,
      description: 'address of the server; repeatable, where several servers share a database',
    }),
    'work-dir': NonEmpty.describe('working folder of the agent'),
    'auto-register-key': Optional.describe('key that makes approval unnecessary'),
    invitation: Optional.describe(
      'what `cairn agent invite` prints; makes approval unnecessary once',
    ),
    'invitation-file': Optional.describe('file with the invitation, instead'),
    resources: CommaList.prefault('').describe('resources, separated by commas'),
    environments: CommaList.prefault('').describe('environments, separated by commas'),
    hostname: Optional.describe('name to register; the host name when absent'),
    'job-user': Optional.describe('user that jobs run as; needs root'),
  }),
  'agent invite': z.object({
    ...USERS,
    ...DATABASE,
    resources: CommaList.prefault('').describe('resources of the agent, separated by commas'),
    environments: CommaList.prefault('').describe('its environments, separated by commas'),
    'valid-for': Validity.prefault('24h').describe(
      'how long an invitation is good for; 30 days (720h) at most',
    ),
  }),
  verify: z.object({ ...REPOSITORY, ...DATABASE }),
  report: z.object({
    ...REPOSITORY,
    since: DateOrTime.nullable().default(null).describe('leaves out what is older (UTC)'),
    until: LastDateOrTime.nullable()
      .default(null)
      .describe('leaves out what is newer (UTC); a day is included'),
    entity: Optional.describe('only its changes, such as `group/payments` with its pipelines'),
    csv: Switch.describe('a line of comma-separated values for each change'),
    json: Switch.describe('one JSON array'),
  }),
  backup: z.object({
    ...REPOSITORY,
    ...PLACES,
    ...DATABASE,
    artifacts: Switch.describe('consoles and artifacts of jobs too'),
  }),
  archive: z.object({
    ...REPOSITORY,
    ...DATABASE,
    before: DateOrTime.nullable()
      .default(null)
      .describe('moves what is older, such as 2025-01-01 (UTC); the newest revision always stays'),
    restore: Switch.describe('bring the revisions of the file back'),
  }),
  restore: z.object({ 'config-repo': REPOSITORY['config-repo'], ...PLACES }),
  doctor: z.object({
    ...REPOSITORY,
    ...STATE,
    ...DATABASE,
    repair: Switch.describe('repair what can be repaired, and move what is in the way aside'),
    from: Optional.describe('another repository that may have what is missing'),
  }),
  user: z.object({ ...USERS, ...DATABASE }),
  token: z.object({
    ...USERS,
    ...DATABASE,
    user: Optional.describe(
      'whose token is made; whose tokens are listed, of all users when absent',
    ),
    scope: z
      .enum(['read', 'propose', 'operate', 'admin'], 'is neither read, propose, operate nor admin')
      .default('read')
      .describe('what a new token is good for at most: `read`, `propose`, `operate` or `admin`'),
    expires: DateOrTime.nullable()
      .default(null)
      .describe('when a new token ends, such as 2030-12-31 (UTC); it does not when absent'),
  }),
  state: z.object({ ...STATE, ...DATABASE }),
  audit: z.object({
    ...STATE,
    ...DATABASE,
    follow: Switch.describe('wait for further entries'),
    json: Switch.describe('print each entry as a line of JSON'),
  }),
  secrets: z.object({ ...REPOSITORY, ...STATE, ...KEYS }),
  import: z.object({
    ...REPOSITORY,
    ...NEW_REPOSITORY,
    ...STATE,
    ...KEYS,
    branch: Optional.describe('its branch; the one that is checked out there when absent'),
    file: Optional.describe('name of the file in it; that of --config-file when absent'),
    since: DateOrTime.nullable()
      .default(null)
      .describe('leaves out what is older, such as 2015-12-01 (UTC)'),
    agents: Optional.describe('file with the answer of its call for agents, which are listed too'),
    'report-only': Switch.describe(
      'import nothing, and say what of a file, folder or repository will not run here',
    ),
    json: Switch.describe('print the report as JSON'),
  }),
  'check-push': z.object({
    ...REPOSITORY,
    'other-refs': z
      .enum(['accept', 'refuse'], 'is neither accept nor refuse')
      .default('accept')
      .describe('whether other branches and tags may be pushed'),
  }),
  completion: z.object({}),
  ...CLIENT_SETTINGS,
} as const

export type ServeSettings = z.output<typeof SETTINGS.serve>
export type AgentSettings = z.output<typeof SETTINGS.agent>
export type InviteSettings = z.output<(typeof SETTINGS)['agent invite']>
export type ArchiveSettings = z.output<typeof SETTINGS.archive>
export type ImportSettings = z.output<typeof SETTINGS.import>
export type TokenSettings = z.output<typeof SETTINGS.token>
export type StateSettings = z.output<typeof SETTINGS.state>
