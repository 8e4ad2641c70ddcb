import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { unavailable } from '../../core/errors.ts'
import type { JobUser } from '../process/job-user.ts'

/**
 * Prevents a second agent from using a folder.
 *
 * @throws {ServiceError} when an agent already uses the folder.
 */
export function lockFolder(folder: string): Promise<Disposable> {
  const digest = createHash('sha256').update(folder).digest('hex')
  return lockName(`cairn-agent-${digest}`, `Another agent works in ${folder}`)
}

/**
 * Reserves the user of an agent's jobs for this agent: all processes of that user are killed with a
 * job.
 *
 * @throws {ServiceError} when the jobs of another agent run as that user.
 */
export function lockUser({ name, uid }: JobUser): Promise<Disposable> {
  return lockName(`cairn-job-user-${uid}`, `Another agent runs its jobs as the user ${name}`)
}

/** The lock is a name that the kernel releases when the process ends in any way. */
async function lockName(name: string, refusal: string): Promise<Disposable> {
  const server = createServer((socket) => socket.destroy())
  server.listen(`\0${name}`)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw unavailable(refusal, error)
  }
  server.unref()
  return { [Symbol.dispose]: () => server.close() }
}
