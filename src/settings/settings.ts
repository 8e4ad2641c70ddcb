import { parseArgs } from 'node:util'
import { z } from 'zod'
import { withoutCredentials } from '../core/hidden-credentials.ts'
import { OBJECT_FORMATS } from '../core/object-name.ts'
import {
  type EnvironmentVariables,
  isServiceLink,
  ownEnvironment,
  takeVariables,
} from './environment.ts'
import { LOG_LEVELS } from '../lib/log.ts'
import {
  AgentTimeout,
  BasePath,
  CommaList,
  DatabaseUrl,
  Duration,
  FileName,
  Folders,
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
  THIS_MACHINE,
  Validity,
  DateOrTime,
} from './setting-values.ts'

/** A bad flag, variable or value: the program ends with exit code 2 and this one line. */
export class SettingsError extends Error {}

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

/** Settings that make no sense without another one. */
const NEEDED: readonly (readonly [string, readonly string[]])[] = [
  ['oidc-issuer', ['oidc-client-id', 'public-url']],
  ['oidc-client-id', ['oidc-issuer']],
  ['oidc-client-secret-file', ['oidc-issuer']],
  ['oidc-roles-claim', ['oidc-issuer']],
  ['ldap-bind-dn', ['ldap-bind-password-file']],
  ['ldap-bind-password-file', ['ldap-bind-dn']],
]

/** Every setting of every subcommand. A flag `--config-repo` has the variable `CAIRN_CONFIG_REPO`. */
export const SETTINGS = {
  serve: z.object({
    host: NonEmpty.default('127.0.0.1').describe('address to listen on'),
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
      'silence after which an agent is lost; at least 10s',
    ),
    'webhooks-file': Optional.describe(
      'receivers of revisions; webhooks.json in the state folder when absent',
    ),
    'max-body': Size.prefault('32MiB').describe('largest request body'),
    'trusted-proxies': IpAddresses.prefault('').describe(
      'IP addresses and networks of proxies whose X-Forwarded-For is believed',
    ),
    'start-paused': Switch.describe('pause every pipeline at this start, until it is unpaused'),
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
    until: DateOrTime.nullable().default(null).describe('leaves out what is newer (UTC)'),
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
      .enum(['read', 'operate', 'admin'], 'is neither read, operate nor admin')
      .default('read')
      .describe('what a new token is good for at most: `read`, `operate` or `admin`'),
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
} as const

export type ServeSettings = z.output<typeof SETTINGS.serve>
export type AgentSettings = z.output<typeof SETTINGS.agent>
export type InviteSettings = z.output<(typeof SETTINGS)['agent invite']>
export type RepositorySettings = z.output<typeof SETTINGS.verify>
export type ArchiveSettings = z.output<typeof SETTINGS.archive>
export type ImportSettings = z.output<typeof SETTINGS.import>
export type TokenSettings = z.output<typeof SETTINGS.token>
export type StateSettings = z.output<typeof SETTINGS.state>

/**
 * The settings of one subcommand from its flags and the environment; a flag wins over its variable.
 *
 * @throws {SettingsError} naming every bad flag and value in one line.
 */
export function readSettings<Schema extends z.ZodObject>(
  schema: Schema,
  args: readonly string[],
  environment: EnvironmentVariables = ownEnvironment(),
): z.output<Schema> {
  const names = Object.keys(schema.shape)
  const flags = parseFlags(args, schema)
  const given = names.flatMap((flag) => {
    const value = flags[flag] ?? variableIn(environment, flag)
    return value === undefined ? [] : [[flag, isTexts(value) ? value : String(value)] as const]
  })
  const read = schema.superRefine(assertNeeded).safeParse(Object.fromEntries(given))
  if (read.success) return read.data
  throw new SettingsError(read.error.issues.map((issue) => describeIssue(issue, given)).join('; '))
}

/** Splits the arguments of a subcommand into its words, and its flags with their values. */
export function separateWords(
  schema: z.ZodObject,
  args: readonly string[],
): { words: readonly string[]; flags: readonly string[] } {
  const reading = { args: [...args], options: optionsOf(schema), tokens: true } as const
  const { tokens } = parseArgs({ ...reading, strict: false, allowPositionals: true })
  const places = new Set(
    tokens.flatMap(({ kind, index }) => (kind === 'positional' ? [index] : [])),
  )
  return {
    words: args.filter((_, place) => places.has(place)),
    flags: args.filter((_, place) => !places.has(place)),
  }
}

/**
 * Returns the environment that jobs inherit from an agent, and removes the agent's settings from
 * this process.
 */
export function takeAgentEnvironment(): EnvironmentVariables {
  return takeVariables(Object.keys(SETTINGS.agent.shape).map(variableOf))
}

/** One setting as people read about it. */
export interface Setting {
  /** Such as `--port`. */
  readonly flag: string
  readonly variable: string
  /** The value as it would be given; null where there is none. */
  readonly preset: string | null
  readonly isRequired: boolean
  readonly meaning: string
}

/** The settings of a subcommand in the order of their definition. */
export function listSettings(schema: z.ZodObject): Setting[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  })
  return Object.entries(properties).map(([name, property]) => {
    const { default: preset, description = '' } = typeof property === 'object' ? property : {}
    const isSet = typeof preset === 'string' && preset !== ''
    return {
      flag: `--${name}`,
      variable: variableOf(name),
      preset: isSet ? preset : null,
      isRequired: required.includes(name),
      meaning: description,
    }
  })
}

function assertNeeded(settings: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const [flag, needed] of NEEDED) {
    if ((settings[flag] ?? null) === null) continue
    for (const other of needed.filter((name) => settings[name] === null))
      context.addIssue({ code: 'custom', path: [other], message: `is needed by --${flag}` })
  }
  if ('ldap-url' in settings) assertDirectory(LdapTogether.parse(settings), context)
}

const LdapTogether = z.object({
  'ldap-url': z.array(z.string()),
  'ldap-user-base': z.string().nullable(),
  'ldap-start-tls': z.boolean(),
})

/** Passwords go to a directory on this machine, or by TLS. */
function assertDirectory(settings: z.output<typeof LdapTogether>, context: z.RefinementCtx): void {
  const { 'ldap-url': urls, 'ldap-user-base': base, 'ldap-start-tls': startTls } = settings
  const refuse = (flag: string, message: string) =>
    context.addIssue({ code: 'custom', path: [flag], message })
  if (urls.length > 0 && base === null) refuse('ldap-user-base', 'is needed by --ldap-url')
  if (startTls && urls.some((url) => !url.startsWith('ldap:')))
    refuse('ldap-url', 'has TLS of its own, without --ldap-start-tls')
  if (!startTls && urls.some((url) => url.startsWith('ldap:') && !THIS_MACHINE.test(url)))
    refuse('ldap-url', 'needs ldaps: or --ldap-start-tls')
}

/** The variable of a flag; undefined where it is empty, or an orchestrator's and not the operator's. */
function variableIn(environment: EnvironmentVariables, flag: string): string | undefined {
  const name = variableOf(flag)
  const value = environment[name] ?? ''
  return value === '' || isServiceLink(name, value) ? undefined : value
}

function variableOf(flag: string): string {
  return `CAIRN_${flag.toUpperCase().replaceAll('-', '_')}`
}

function parseFlags(args: readonly string[], schema: z.ZodObject) {
  try {
    const options = optionsOf(schema)
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new SettingsError(describeArguments(error), { cause: error })
  }
}

/** A word that is no flag may be the value of one, as where there is a blank too many. */
function describeArguments({ message }: TypeError): string {
  const word = /^Unexpected argument '([^]*)'\. This/.exec(message)?.[1]
  if (word !== undefined) return `Unexpected argument '${withoutCredentials(word)}'`
  return message.split(/[.\n]/)[0] ?? message
}

function optionsOf({ shape }: z.ZodObject) {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, optionOf(shape[name])]))
}

function optionOf(setting: z.core.$ZodType | undefined) {
  const { isSwitch, isRepeatable } = (setting && z.globalRegistry.get(setting)) ?? {}
  const type = isSwitch === true ? ('boolean' as const) : ('string' as const)
  return { type, multiple: isRepeatable === true }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value)
}

type Given = readonly (readonly [string, string | readonly string[]])[]

function describeIssue(issue: z.core.$ZodIssue, given: Given) {
  const flag = String(issue.path[0])
  const value = given.find(([name]) => name === flag)?.[1]
  return value === undefined
    ? `--${flag} ${issue.code === 'custom' ? issue.message : 'is missing'}`
    : `--${flag} "${[value].flat().map(withoutCredentials).join(',')}" ${issue.message}`
}
