import type { z } from 'zod'
import { buffer } from 'node:stream/consumers'
import { readSettings, separateWords } from '../../settings/read-settings.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { type EnvironmentVariables, ownEnvironment } from '../../settings/environment.ts'
import { CLIENT_SETTINGS } from '../../settings/client-settings.ts'
import { readGivenFile } from '../given-file.ts'
import { wrongUsage } from '../usage.ts'

type ClientCommand = keyof typeof CLIENT_SETTINGS
type SettingsOf<Command extends ClientCommand> = z.output<(typeof CLIENT_SETTINGS)[Command]>

/**
 * The words and settings of a command.
 *
 * @throws {SettingsError} for fewer words than it needs, or more than it takes.
 */
export function readCommand<Command extends ClientCommand>(
  command: Command,
  args: readonly string[],
  takes: { readonly least: number; readonly most: number },
): { words: readonly string[]; settings: SettingsOf<Command> } {
  const schema: (typeof CLIENT_SETTINGS)[Command] = CLIENT_SETTINGS[command]
  const { words, flags } = separateWords(schema, args)
  const isWrong = words.length < takes.least || words.length > takes.most || words.includes('')
  if (isWrong) throw wrongUsage(command)
  return { words, settings: readSettings(schema, flags, variablesBeside(flags)) }
}

/** The variables of each way to log in, by its flags. */
const LOG_INS = [
  { flags: ['token-file'], others: ['CAIRN_USER', 'CAIRN_PASSWORD_FILE'] },
  { flags: ['user', 'password-file'], others: ['CAIRN_TOKEN_FILE'] },
] as const

/** The environment without another way to log in than the flags name. */
function variablesBeside(args: readonly string[]): EnvironmentVariables {
  const isGiven = (flag: string) =>
    args.some((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`))
  const given = LOG_INS.filter(({ flags }) => flags.some(isGiven))
  const left = new Set<string>(given.flatMap(({ others }) => others))
  return Object.fromEntries(Object.entries(ownEnvironment()).filter(([name]) => !left.has(name)))
}

/** An entity by kind and name; the server, which has no name, by its kind alone. */
export interface EntityWord {
  readonly kind: string
  readonly name: string
}

/** @throws {SettingsError} for what is not of the form `pipeline/shop`. */
export function entityIn(text: string): EntityWord {
  const slash = text.indexOf('/')
  const [kind, name] = slash === -1 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)]
  if (kind !== '' && (name !== '' || text === 'server')) return { kind, name }
  throw new SettingsError(`"${text}" is not an entity such as pipeline/shop`)
}

/** @throws {SettingsError} for what is not a whole number. */
export function wholeNumberIn(text: string, what: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new SettingsError(`"${text}" is not ${what}`)
}

/** The bytes of a file, or of standard input for `-`. */
export async function readInput(file: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    file === '-' ? await buffer(process.stdin) : await readGivenFile(file, 'the file'),
  )
}

/** `2026-11-22 13:44 UTC` */
export function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`
}

/** `r12`; the commit of a revision that the branch no longer has. */
export function revisionText(revision: {
  readonly number: number | null
  readonly commitSHA: string
}): string {
  return revision.number === null ? revision.commitSHA.slice(0, 10) : `r${revision.number}`
}
