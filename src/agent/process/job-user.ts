import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceError, unavailable } from '../../core/errors.ts'
import {
  ended,
  type PipedProcess,
  ProcessNotStarted,
  startProcess,
} from '../../processes/piped-process.ts'

/** The system user that runs the processes of jobs, instead of the agent's own. */
export interface JobUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const NEEDS =
  'needs an agent that runs as root with CAP_SETUID, CAP_SETGID, CAP_CHOWN, CAP_KILL, CAP_DAC_OVERRIDE and CAP_FOWNER'

/** Together longer than the jobs of another agent are ended for. */
const [MAX_LOOKS, LOOK_AGAIN_MS] = [100, 50]

/** Finds a user by name; null when the system has none with that name. */
export function findJobUser(name: string): JobUser | null {
  const { stdout, error } = spawnSync('getent', ['passwd', '--', name], { encoding: 'utf8' })
  if (error) throw error
  const [found, , uid, gid] = stdout.trim().split(':')
  return found === name ? { name, uid: Number(uid), gid: Number(gid) } : null
}

/**
 * Asserts that processes can be started as the user, and that they can access a folder. The agent
 * has to run as root: otherwise the processes would retain its capabilities.
 *
 * @throws {ServiceError} that names what is missing.
 */
export async function assertUsable(user: JobUser, folder: string): Promise<void> {
  if (process.getuid?.() !== 0) throw unusable(user, NEEDS)
  const advice = 'every folder above it has to let that user through (mode 0711)'
  if ((await endOfLook(user, folder)) !== 'exit code 0')
    throw unusable(user, `cannot be used: it does not reach ${folder}; ${advice}`)
}

/** How a look of the user into a folder ended. What still ends the jobs of an agent that was killed ends it as well. */
async function endOfLook(user: JobUser, folder: string): Promise<string> {
  for (let look = 1; ; look += 1) {
    const end = await ended(tryStart(user, ['-c', 'cd -- "$1"', 'sh', folder]))
    if (!end.startsWith('SIG') || look === MAX_LOOKS) return end
    await delay(LOOK_AGAIN_MS)
  }
}

/** Kills every process of the user in one call, so that none can escape by forking. */
export function killAllOf({ uid, gid }: JobUser): void {
  const options = { uid, gid, cwd: '/', env: {}, stdio: 'ignore' } as const
  spawnSync('/bin/sh', ['-c', 'kill -s KILL -- -1'], options)
}

function tryStart(user: JobUser, args: readonly string[]): PipedProcess {
  try {
    const child = startProcess('/bin/sh', args, { user, cwd: '/', env: {} })
    child.stdout.resume()
    child.stderr.resume()
    return child
  } catch (error) {
    if (error instanceof ProcessNotStarted) throw unusable(user, NEEDS, error)
    throw error
  }
}

function unusable({ name }: JobUser, why: string, cause?: unknown): ServiceError {
  return unavailable(`--job-user ${name} ${why}`, cause)
}
