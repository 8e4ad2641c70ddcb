import { runAgent } from '../agent/run-agent.ts'
import { type JobUser, findJobUser } from '../agent/process/job-user.ts'
import { takeAgentEnvironment, readSettings, SETTINGS, SettingsError } from '../settings.ts'
import { VERSION } from '../server/version.ts'
import { writeLog } from './output.ts'
import { stopSignal } from './stopping.ts'

/** Runs one build agent until SIGTERM or SIGINT. */
export async function agent(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.agent, args)
  const { server: servers, resources, environments, hostname } = settings
  const key = settings['auto-register-key']
  // A command line is visible to every process of the machine.
  if (key !== null && args.some((arg) => arg.includes(key))) process.title = 'cairn agent'
  await runAgent(
    {
      servers,
      resources,
      environments,
      hostname,
      workDir: settings['work-dir'],
      autoRegisterKey: key,
      version: VERSION,
      environment: takeAgentEnvironment(),
      jobUser: settings['job-user'] === null ? null : jobUserOf(settings['job-user']),
      log: writeLog,
    },
    stopSignal(),
  )
  return 0
}

/** @throws {SettingsError} for a user that does not exist, or that jobs must not run as. */
function jobUserOf(name: string): JobUser {
  const user = findJobUser(name)
  if (user === null) throw new SettingsError(`--job-user "${name}" is not a user of this machine`)
  if (user.uid !== 0 && user.uid !== process.getuid?.()) return user
  throw new SettingsError(
    `--job-user "${name}" is ${user.uid === 0 ? 'root' : "the agent's own user"}`,
  )
}
