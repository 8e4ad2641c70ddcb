import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseJsonOrNull } from '../lib/parse-json.ts'
import { type ServiceError, unavailable } from '../core/errors.ts'
import type { Log } from '../lib/log.ts'
import { draftName } from './file-draft.ts'
import { fsErrorCode, orNullWhenAbsent } from './fs-error.ts'
import { findLockingFault, type SystemLock, trySystemLock } from './system-lock.ts'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'

/** A lock that at most one process holds. */
export interface ProcessLock extends AsyncDisposable {
  readonly file: string
  /**
   * The names of the lock's files in the folder: the one that names the holder, and the locked one.
   */
  readonly names: readonly string[]
}

/** The time for a new holder to write its name; afterwards the lock counts as held. */
const SETTLING_MS = 500
const POLL_INTERVAL_MS = 20

/**
 * Acquires the lock, also after a process that died, and releases it on dispose. The folder has to
 * exist.
 *
 * A lock of the operating system beside the file is decisive. The file names the holder, and is
 * decisive only where the file system has no locks, or where the holder could not lock either.
 *
 * @throws {ServiceError} `unavailable` while another process holds it.
 */
export async function openProcessLock(file: string, log: Log = () => {}): Promise<ProcessLock> {
  const systemFile = systemFileOf(file)
  const system = await openSystemLock({ file, systemFile, log })
  const me = await identifyThisProcess({ isSystemLocked: system !== null })
  try {
    const holder = await take(file, { me, log })
    if (holder !== null) throw namedError(file, holder)
  } catch (error) {
    await system?.[Symbol.asyncDispose]()
    throw error
  }
  const names = [basename(file), basename(systemFile)]
  return { file, names, [Symbol.asyncDispose]: () => release(file, { me, system }) }
}

/** The locked file; the lock file itself names the holder. */
export function systemFileOf(file: string): string {
  return `${file}.system`
}

interface LockFiles {
  readonly file: string
  readonly systemFile: string
  readonly log: Log
}

/** Null where the file system has no locks. */
async function openSystemLock({ file, systemFile, log }: LockFiles): Promise<SystemLock | null> {
  const end = performance.now() + SETTLING_MS
  for (;;) {
    const attempt = await trySystemLock(systemFile)
    if (attempt.state === 'held') return attempt.lock
    if (attempt.state === 'unsupported') return withoutLocks(file, { log, reason: attempt.reason })
    const holder = await holderOf(file)
    if (holder !== null && (await isRunningHere(holder))) throw heldError(file, holder)
    if (performance.now() > end) {
      const reason = await findLockingFault(dirname(file))
      if (reason === null) throw heldError(file, holder)
      return withoutLocks(file, { log, reason })
    }
    await wait(POLL_INTERVAL_MS)
  }
}

function withoutLocks(file: string, { log, reason }: { log: Log; reason: string }): null {
  const message = `The file system cannot lock ${systemFileOf(file)}: only ${file} keeps other processes out`
  log({ level: 'warning', message, facts: { reason } })
  return null
}

async function isRunningHere(holder: ProcessIdentity): Promise<boolean> {
  return holder.host === hostname() && (await isRunning(holder))
}

interface Taking {
  readonly me: ProcessIdentity
  readonly log: Log
}

/**
 * Returns null when the lock is ours, or else its holder.
 *
 * The lock of a dead holder is replaced only by the holder of a claim on it, which is a lock too.
 * An identity is unique, so a late claimant finds another identity in the file and starts over.
 */
async function take(file: string, { me, log }: Taking): Promise<ProcessIdentity | null> {
  for (;;) {
    if (await publish(file, me)) return null
    const found = await readHolder(file)
    if (found.state === 'gone') continue
    const dead = found.holder
    if (dead !== null && (await mayHold(dead, me))) return dead
    const claim = `${file}.${dead?.id ?? 'torn'}`
    const claimant = await take(claim, { me, log })
    if (claimant !== null) return claimant
    if (await replaceDead(file, { claim, dead, me })) {
      const message = `${file} was left by ${nameOf(dead)}, which is gone, and is taken over`
      log({ level: 'warning', message })
      return null
    }
  }
}

/** Holding the system lock proves that a holder that also used it is gone. */
async function mayHold(holder: ProcessIdentity, me: ProcessIdentity): Promise<boolean> {
  if (me.isSystemLocked && holder.isSystemLocked) return false
  return await isRunning(holder)
}

interface Takeover {
  readonly claim: string
  readonly dead: ProcessIdentity | null
  readonly me: ProcessIdentity
}

async function replaceDead(file: string, { claim, dead, me }: Takeover): Promise<boolean> {
  try {
    const now = await readHolder(file)
    if (now.state === 'gone' || now.holder?.id !== dead?.id) return false
    await overwrite(file, me)
    return true
  } finally {
    await rm(claim, { force: true })
  }
}

/** Creates the lock with its content in one step, so that it is never read half written. */
async function publish(file: string, me: ProcessIdentity): Promise<boolean> {
  const draft = await writeIdentity(file, me)
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (fsErrorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function overwrite(file: string, me: ProcessIdentity): Promise<void> {
  await rename(await writeIdentity(file, me), file)
}

async function writeIdentity(file: string, me: ProcessIdentity): Promise<string> {
  const draft = join(dirname(file), draftName())
  try {
    await writeFile(draft, `${JSON.stringify(me)}\n`, { flag: 'wx', flush: true })
    return draft
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

type Found =
  | { readonly state: 'gone' }
  | { readonly state: 'present'; readonly holder: ProcessIdentity | null }

/** An unreadable lock was cut short by a power failure, and so has no holder. */
async function readHolder(file: string): Promise<Found> {
  const text = await orNullWhenAbsent(readFile(file, 'utf8'))
  if (text === null) return { state: 'gone' }
  return { state: 'present', holder: ProcessIdentity.safeParse(parseJsonOrNull(text)).data ?? null }
}

async function holderOf(file: string): Promise<ProcessIdentity | null> {
  const found = await readHolder(file)
  return found.state === 'gone' ? null : found.holder
}

/**
 * The file that names the holder is removed first, so that such a file without a lock never names a
 * holder.
 */
async function release(
  file: string,
  { me, system }: { me: ProcessIdentity; system: SystemLock | null },
): Promise<void> {
  try {
    const holder = await holderOf(file)
    if (holder?.id === me.id) await rm(file, { force: true })
  } finally {
    await system?.[Symbol.asyncDispose]()
  }
}

/** There is nothing to remove: the lock is released only when its holder ends. */
function heldError(file: string, holder: ProcessIdentity | null): ServiceError<'unavailable'> {
  return unavailable(`${dirname(file)} is in use by ${nameOf(holder)}, which holds ${file}`)
}

/** Only the file identifies the holder, which may be on a machine that cannot be checked. */
function namedError(file: string, holder: ProcessIdentity): ServiceError<'unavailable'> {
  const wayOut = `stop it, or remove ${file} only if no other server uses this folder`
  const reason = `${dirname(file)} is in use by ${nameOf(holder)}, which holds ${file}: ${wayOut}`
  return unavailable(reason)
}

function nameOf(holder: ProcessIdentity | null): string {
  if (holder === null) return 'another process'
  const { pid, host, since } = holder
  return `process ${pid} on ${host}${since === null ? '' : ` since ${since}`}`
}

/** Identifies a process, as opposed to a later one with the same number. */
const ProcessIdentity = z.object({
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
type ProcessIdentity = z.infer<typeof ProcessIdentity>

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
async function isRunning(identity: ProcessIdentity): Promise<boolean> {
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
