import { runAgent } from '../../agent/run-agent.ts'
import { type JobUser, findJobUser } from '../../agent/process/job-user.ts'
import { isInvitation } from '../../security/issued-secret.ts'
import { takeAgentEnvironment, readSettings } from '../../settings/read-settings.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { type AgentSettings, SETTINGS } from '../../settings/settings.ts'
import { VERSION } from '../../server/version.ts'
import { readGivenFile } from '../given-file.ts'
import { writeLog } from '../output.ts'
import { stopSignal } from '../stopping.ts'

/** Runs one build agent until SIGTERM or SIGINT; `agent invite` is about invitations of agents. */
export async function agent(args: readonly string[]): Promise<number> {
  if (args[0] === 'invite') return (await import('./agent-invite.ts')).agentInvite(args.slice(1))
  const settings = readSettings(SETTINGS.agent, args)
  const { server: servers, resources, environments, hostname } = settings
  const key = await keyOf(settings)
  // A command line is visible to every process of the machine.
  if (key !== null && args.some((arg) => arg.includes(key))) process.title = 'cairn agent'
  warnOfIgnored(settings, key)
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

/** Only the key of the server lets an agent say what it is for: an invitation says so itself. */
function warnOfIgnored({ resources, environments }: AgentSettings, key: string | null): void {
  if (resources.length + environments.length === 0) return
  if (key !== null && !isInvitation(key)) return
  const reason =
    key === null ? 'whoever approves the agent gives it its own' : 'the invitation names its own'
  const message = `--resources and --environments have no effect without --auto-register-key: ${reason}`
  writeLog({ level: 'warning', message, facts: { resources, environments } })
}

/**
 * The key of the server, or an invitation.
 *
 * @throws {SettingsError} when there are several, or the file has none.
 */
async function keyOf(settings: AgentSettings): Promise<string | null> {
  const { invitation, 'invitation-file': file, 'auto-register-key': key } = settings
  const given = [invitation, file, key].filter((each) => each !== null)
  if (given.length > 1)
    throw new SettingsError('give one of --auto-register-key, --invitation and --invitation-file')
  const text = invitation ?? (file === null ? null : await readInvitation(file))
  if (text === null) return key
  if (isInvitation(text)) return text
  throw new SettingsError('the invitation is not what `cairn agent invite` prints: copy it again')
}

async function readInvitation(file: string): Promise<string> {
  return (await readGivenFile(file, '--invitation-file')).toString('utf8').trim()
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
