import { ServiceError } from '../../core/errors.ts'
import { describeSystemFault } from '../../core/faults.ts'
import { withoutCredentials } from '../../core/hidden-credentials.ts'
import { VERSION } from '../../server/version.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { CallRefused, NoServer } from '../../client/client-errors.ts'
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
  ['restore', async () => (await import('./backup.ts')).restore],
  ['archive', async () => (await import('./archive.ts')).archive],
  ['import', async () => (await import('./import.ts')).importCommand],
  ['doctor', async () => (await import('./doctor.ts')).doctor],
  ['history', async () => (await import('./client/reading.ts')).history],
  ['show', async () => (await import('./client/reading.ts')).show],
  ['diff', async () => (await import('./client/reading.ts')).diff],
  ['blame', async () => (await import('./client/reading.ts')).blame],
  ['search', async () => (await import('./client/reading.ts')).searchCommand],
  ['plan', async () => (await import('./client/changing.ts')).plan],
  ['save', async () => (await import('./client/changing.ts')).save],
  ['rollback', async () => (await import('./client/changing.ts')).rollback],
  ['undo', async () => (await import('./client/changing.ts')).undo],
  ['propose', async () => (await import('./client/proposing.ts')).proposeCommand],
  ['approve', async () => (await import('./client/proposing.ts')).approve],
  ['rules', async () => (await import('./client/replaying.ts')).rulesCommand],
  ['runs', async () => (await import('./client/running.ts')).runs],
  ['why', async () => (await import('./client/running.ts')).why],
  ['completion', async () => (await import('./completion.ts')).completionCommand],
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
    return await explain(firstOf(error), command === 'agent' ? 'the agent' : 'the server')
  }
}

/** The failure itself, where closing what was open has failed after it. */
function firstOf(error: unknown): unknown {
  const hasFirst = error instanceof Error && 'suppressed' in error
  return hasFirst ? firstOf(error.suppressed) : error
}

/** A server that knows the caller, and has refused. */
const REFUSES = (status: number) => status < 500 && status !== 401 && status !== 429

/** Clear lines, and 2 for a bad setting, 3 without a server that knows the caller, 1 for everything else. */
async function explain(error: unknown, machine: string): Promise<number> {
  if (error instanceof NoServer) {
    complain(error.message)
    return 3
  }
  if (error instanceof CallRefused) {
    const { linesOfError } = await import('../../wire/error-body.ts')
    for (const line of linesOfError(error.body)) complain(line)
    return REFUSES(error.status) ? 1 : 3
  }
  if (error instanceof SettingsError) {
    complain(error.message)
    return 2
  }
  const foreseen = error instanceof ServiceError || (error instanceof Error && 'syscall' in error)
  complain(
    describeSystemFault(error, { machine }) ??
      (foreseen
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error)),
  )
  return 1
}

function version(): number {
  say(VERSION)
  return 0
}

async function help(command: string): Promise<number> {
  const { helpOf, helpOfAll } = await import('../help.ts')
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
