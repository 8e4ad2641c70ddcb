import { endWithNpx } from './cli/stopping.ts'
import { complain, outliveOutput, say } from './cli/output.ts'
import { ServiceError } from './core/errors.ts'
import { describeSettings, SETTINGS, SettingsError } from './settings.ts'
import { VERSION } from './server/version.ts'

type Run = (args: readonly string[]) => Promise<number>

/** A command is loaded when it is run: git waits for the check of a push, which needs little. */
const COMMANDS: ReadonlyMap<string, () => Promise<Run>> = new Map<string, () => Promise<Run>>([
  ['serve', async () => (await import('./cli/serve.ts')).serve],
  ['agent', async () => (await import('./cli/agent.ts')).agent],
  ['secrets', async () => (await import('./cli/secrets.ts')).secrets],
  ['state', async () => (await import('./cli/state.ts')).state],
  ['user', async () => (await import('./cli/user.ts')).user],
  ['token', async () => (await import('./cli/token.ts')).token],
  ['verify', async () => (await import('./cli/verify.ts')).verify],
  ['backup', async () => (await import('./cli/backup.ts')).backup],
  ['restore', async () => (await import('./cli/restore.ts')).restore],
  ['archive', async () => (await import('./cli/archive.ts')).archive],
  ['import', async () => (await import('./cli/import.ts')).importCommand],
  ['doctor', async () => (await import('./cli/doctor.ts')).doctor],
  ['check-push', async () => (await import('./cli/check-push.ts')).runCheckPush],
])

// A stack in the log names the lines of the sources. No answer has one.
process.setSourceMapsEnabled(true)
outliveOutput()
endWithNpx()
process.exitCode = await main(process.argv.slice(2))

async function main([command = '', ...args]: readonly string[]): Promise<number> {
  if (['help', '--help', '-h'].includes(command) || args.includes('--help')) return help()
  if (['version', '--version'].includes(command)) return version()
  const load = COMMANDS.get(command)
  try {
    if (!load)
      throw new SettingsError(`"${command}" is not a command: ${[...COMMANDS.keys()].join(', ')}`)
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

function help(): number {
  for (const [command, schema] of Object.entries(SETTINGS)) {
    say(`cairn ${command}`)
    for (const line of describeSettings(schema)) say(line)
  }
  return 0
}
