import { ServiceError } from '../../core/errors.ts'
import { withoutCredentials } from '../../core/hidden-credentials.ts'
import { VERSION } from '../../server/version.ts'
import { SettingsError } from '../../settings/read-settings.ts'
import { helpOf, helpOfAll } from '../help.ts'
import { complain, say } from '../output.ts'

type Run = (args: readonly string[]) => Promise<number>

/** A command is loaded when it is run: git waits for the check of a push, which needs little. */
const COMMANDS: ReadonlyMap<string, () => Promise<Run>> = new Map<string, () => Promise<Run>>([
  ['serve', async () => (await import('./serve.ts')).serve],
  ['agent', async () => (await import('./agent.ts')).agent],
  ['secrets', async () => (await import('./secrets.ts')).secrets],
  ['state', async () => (await import('./state.ts')).state],
  ['audit', async () => (await import('./audit.ts')).audit],
  ['user', async () => (await import('./user.ts')).user],
  ['token', async () => (await import('./token.ts')).token],
  ['verify', async () => (await import('./verify.ts')).verify],
  ['report', async () => (await import('./report.ts')).report],
  ['backup', async () => (await import('./backup.ts')).backup],
  ['restore', async () => (await import('./restore.ts')).restore],
  ['archive', async () => (await import('./archive.ts')).archive],
  ['import', async () => (await import('./import.ts')).importCommand],
  ['doctor', async () => (await import('./doctor.ts')).doctor],
  ['check-push', async () => (await import('./check-push.ts')).runCheckPush],
])

const HELP: ReadonlySet<string> = new Set(['help', '--help', '-h'])

/** Runs a subcommand, explains what it cannot do, and returns the exit code. */
export async function main([command = '', ...args]: readonly string[]): Promise<number> {
  if (HELP.has(command)) return help(args[0] ?? '')
  if (args.includes('--help')) return help(command)
  if (['version', '--version'].includes(command)) return version()
  const load = COMMANDS.get(command)
  try {
    if (!load) throw notACommand(command)
    const run = await load()
    return await run(args)
  } catch (error) {
    return explain(error)
  }
}

/** One clear line, and 2 for a bad setting, 1 for everything else. */
function explain(error: unknown): number {
  if (error instanceof SettingsError) {
    complain(error.message)
    return 2
  }
  const foreseen = error instanceof ServiceError || (error instanceof Error && 'syscall' in error)
  complain(
    foreseen
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error),
  )
  return 1
}

function version(): number {
  say(VERSION)
  return 0
}

function help(command: string): number {
  for (const line of COMMANDS.has(command) ? helpOf(command) : helpOfAll()) say(line)
  return 0
}

function notACommand(command: string): SettingsError {
  const names = [...COMMANDS.keys()].join(', ')
  return new SettingsError(
    command === ''
      ? `give a command: ${names}; cairn help explains them`
      : `"${withoutCredentials(command)}" is not a command: ${names}`,
  )
}
