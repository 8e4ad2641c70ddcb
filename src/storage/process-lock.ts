import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../core/errors.ts'
import type { Log } from '../lib/log.ts'
import { draftName } from './draft-name.ts'
import { fsErrorCode, orNullWhenAbsent } from './fs-error.ts'
import { ProcessIdentity, identifyThisProcess, isRunning } from './process-identity.ts'
import { findLockingFault, type SystemLock, trySystemLock } from './system-lock.ts'

/** One process at a time owns what the lock file stands for. */
export interface ProcessLock extends AsyncDisposable {
  readonly file: string
  /** What the lock has in the folder: the file that names the holder, and the one that is locked. */
  readonly names: readonly string[]
}

/** Milliseconds in which a new holder writes its name, and after which a lock counts as held. */
const SETTLING = 500
const LOOK_EVERY = 20

/**
 * Takes the lock, also from a process that has died, and gives it back on dispose. The folder has
 * to exist.
 *
 * A lock of the operating system beside the file decides. The file says who holds it, and decides
 * by itself only where the file system has no locks, or where the holder could not lock either.
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
  return { file, names, [Symbol.asyncDispose]: () => giveBack(file, { me, system }) }
}

/** The file that is locked; the lock itself is the one that names the holder. */
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
  const end = performance.now() + SETTLING
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
    await wait(LOOK_EVERY)
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
 * Returns null when the lock is ours, or who holds it.
 *
 * A dead holder's lock is replaced only by whoever holds the claim on that one
 * lock, which is a lock like any other. An identity never comes back, so who
 * comes late with the claim finds another identity in the file and starts over.
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

/** The operating system has given us what a holder would still have that got it from there too. */
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

/** Makes the lock with its content in one step, so that nobody ever reads half of it. */
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
  await writeFile(draft, `${JSON.stringify(me)}\n`, { flag: 'wx', flush: true })
  return draft
}

type Found =
  | { readonly state: 'gone' }
  | { readonly state: 'present'; readonly holder: ProcessIdentity | null }

/** A lock whose text cannot be understood was cut short with the power, and so has no holder. */
async function readHolder(file: string): Promise<Found> {
  const text = await orNullWhenAbsent(readFile(file, 'utf8'))
  if (text === null) return { state: 'gone' }
  return { state: 'present', holder: parseIdentity(text) }
}

function parseIdentity(text: string): ProcessIdentity | null {
  try {
    return ProcessIdentity.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

async function holderOf(file: string): Promise<ProcessIdentity | null> {
  const found = await readHolder(file)
  return found.state === 'gone' ? null : found.holder
}

/** The name goes first, so that one without a lock beside it is never that of a holder. */
async function giveBack(
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

/** There is nothing to remove: the lock is free when its holder ends, and not before. */
function heldError(file: string, holder: ProcessIdentity | null): ServiceError<'unavailable'> {
  return unavailable(`${dirname(file)} is in use by ${nameOf(holder)}, which holds ${file}`)
}

/** The file is all that is known of the holder, which may be on a machine that cannot be asked. */
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

function unavailable(reason: string): ServiceError<'unavailable'> {
  return new ServiceError('unavailable', reason, { reason })
}
