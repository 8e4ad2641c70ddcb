import { agent } from './commands/agent.ts'
import { backup } from './commands/backup.ts'
import { checkPush } from './commands/check-push.ts'
import { complain, say } from './commands/output.ts'
import { restore } from './commands/restore.ts'
import { secrets } from './commands/secrets.ts'
import { serve } from './commands/serve.ts'
import { state } from './commands/state.ts'
import { user } from './commands/user.ts'
import { verify } from './commands/verify.ts'
import { ServiceError } from './core/errors.ts'
import { describeSettings, SETTINGS, SettingsError } from './settings.ts'
import { VERSION } from './version.ts'

type Run = (args: readonly string[]) => Promise<number>

const COMMANDS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['serve', serve],
  ['agent', agent],
  ['secrets', secrets],
  ['state', state],
  ['user', user],
  ['verify', verify],
  ['backup', backup],
  ['restore', restore],
  ['check-push', checkPush],
])

process.exitCode = await main(process.argv.slice(2))

async function main([command = '', ...args]: readonly string[]): Promise<number> {
  if (['help', '--help', '-h'].includes(command) || args.includes('--help')) return help()
  if (['version', '--version'].includes(command)) return version()
  const run = COMMANDS.get(command)
  try {
    if (!run)
      throw new SettingsError(`"${command}" is not a command: ${[...COMMANDS.keys()].join(', ')}`)
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
