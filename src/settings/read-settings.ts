import { parseArgs } from 'node:util'
import { z } from 'zod'
import { withoutCredentials } from '../core/hidden-credentials.ts'
import {
  type EnvironmentVariables,
  isServiceLink,
  ownEnvironment,
  takeVariables,
} from './environment.ts'
import { THIS_MACHINE } from './setting-values.ts'
import { SettingsError } from './settings-error.ts'
import { SETTINGS } from './settings.ts'

/** Settings that make no sense without another one. */
const NEEDED: readonly (readonly [string, readonly string[]])[] = [
  ['oidc-issuer', ['oidc-client-id', 'public-url']],
  ['oidc-client-id', ['oidc-issuer']],
  ['oidc-client-secret-file', ['oidc-issuer']],
  ['oidc-roles-claim', ['oidc-issuer']],
  ['ldap-bind-dn', ['ldap-bind-password-file']],
  ['ldap-bind-password-file', ['ldap-bind-dn']],
]

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
  /** Whether no value follows. */
  readonly isSwitch: boolean
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
      isSwitch: optionOf(schema.shape[name]).type === 'boolean',
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
