import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { z } from 'zod'
import { fsErrorCode, orNullWhenAbsent } from './fs-error.ts'

/** Identifies a process, as opposed to a later one with the same number. */
export const ProcessIdentity = z.object({
  /** Identifies the one lock that this identity was created for. */
  id: z.uuid(),
  pid: z.int().positive(),
  host: z.string(),
  /**
   * Ticks from the start of the machine to the start of the process; null where the system does not
   * provide it.
   */
  startTime: z.string().nullable(),
  bootId: z.string().nullable(),
  /** Whether it holds a lock of the operating system, which is more reliable than this identity. */
  isSystemLocked: z.boolean().default(false),
  since: z.iso.datetime().nullable().default(null),
})
export type ProcessIdentity = z.infer<typeof ProcessIdentity>

export async function identifyThisProcess({
  isSystemLocked = false,
} = {}): Promise<ProcessIdentity> {
  const { pid } = process
  const [status, bootId] = await Promise.all([statusOf(pid), readBootId()])
  const startTime = status?.startTime ?? null
  const since = new Date().toISOString()
  return { id: randomUUID(), pid, host: hostname(), startTime, bootId, isSystemLocked, since }
}

/**
 * Whether that process still runs. A process on another host counts as running: it cannot be
 * checked.
 */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  if (identity.host !== hostname()) return true
  if (identity.bootId !== (await readBootId())) return false
  if (identity.startTime === null) return answersSignals(identity.pid)
  const status = await statusOf(identity.pid)
  return status !== null && !status.ended && status.startTime === identity.startTime
}

async function readBootId(): Promise<string | null> {
  const text = await orNullWhenAbsent(readFile('/proc/sys/kernel/random/boot_id', 'utf8'))
  return text === null ? null : text.trim()
}

async function statusOf(pid: number): Promise<{ startTime: string; ended: boolean } | null> {
  const text = await readStatus(pid)
  if (text === null) return null
  // The name of the program is in parentheses and may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', startTime = ''] = [fields[0], fields[19]]
  return { startTime, ended: ['Z', 'X', 'x'].includes(state) }
}

/** The process may end between the opening and the reading of its file. */
async function readStatus(pid: number): Promise<string | null> {
  try {
    return await orNullWhenAbsent(readFile(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    if (fsErrorCode(error) === 'ESRCH') return null
    throw error
  }
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if (fsErrorCode(error) === 'ESRCH') return false
    if (fsErrorCode(error) === 'EPERM') return true
    throw error
  }
}
