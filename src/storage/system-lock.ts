import type { BigIntStats } from 'node:fs'
import { link, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { draftName } from './file-draft.ts'
import { fsErrorCode, orNullWhenAbsent } from './fs-error.ts'
import { DatabaseSync } from './sqlite-engine.ts'

export type SystemLockAttempt =
  | { readonly state: 'held'; readonly lock: SystemLock }
  | { readonly state: 'busy' }
  | { readonly state: 'unsupported'; readonly reason: string }

const BUSY = /database is locked/
/** Fixed texts, because not every failure carries SQLite's code. */
const UNSUPPORTED =
  /unable to open|disk I\/O|readonly|not a database|malformed|locking protocol|access permission denied|disk is full/

/** The garbage collector would close an unreferenced lock. */
const held = new Set<SystemLock>()

/**
 * A lock of the operating system, which ends with its process and is visible to every process of
 * this machine, in any container. Node has no call for it, but SQLite does: this is an exclusive
 * transaction on an empty file that is never committed. POSIX drops such a lock when its process
 * closes any descriptor of the file, so only SQLite may open it.
 */
export class SystemLock implements AsyncDisposable {
  readonly #database: DatabaseSyncInstance
  readonly #file: string

  constructor(database: DatabaseSyncInstance, file: string) {
    this.#database = database
    this.#file = file
    held.add(this)
  }

  /** Removes the file while it is still locked, so that the next holder never gets it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!held.delete(this)) return
    try {
      await rm(this.#file, { force: true })
    } finally {
      this.#database.exec('ROLLBACK')
      this.#database.close()
    }
  }
}

/** Two simultaneous attempts may both be busy. */
export async function trySystemLock(file: string): Promise<SystemLockAttempt> {
  const before = await find(file)
  if (before === null) return await createLocked(file)
  const result = lockExclusively(file)
  if (result.state !== 'locked') return result
  // The former holder may have removed the file that was locked here.
  const after = await find(file)
  if (after !== null && isSame(before, after)) {
    return { state: 'held', lock: new SystemLock(result.database, file) }
  }
  result.database.close()
  return { state: 'busy' }
}

/** The file gets its name after it is locked, so that no other process can lock a new one first. */
async function createLocked(file: string): Promise<SystemLockAttempt> {
  const draft = join(dirname(file), draftName())
  try {
    const result = lockDraft(draft)
    if (result.state !== 'locked') return result
    if (await linked(draft, { file, database: result.database })) {
      return { state: 'held', lock: new SystemLock(result.database, file) }
    }
    return { state: 'busy' }
  } finally {
    await rm(draft, { force: true })
  }
}

async function linked(
  draft: string,
  { file, database }: { file: string; database: DatabaseSyncInstance },
): Promise<boolean> {
  try {
    await link(draft, file)
    return true
  } catch (error) {
    database.close()
    if (fsErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Why files in the folder cannot be locked, or null. */
export async function findLockingFault(folder: string): Promise<string | null> {
  const draft = join(folder, draftName())
  try {
    const result = lockDraft(draft)
    if (result.state === 'unsupported') return result.reason
    result.database.close()
    return null
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Locks a draft, which no other process can lock: a failure shows that the file system has no
 * locks, for which SQLite only reports that the database is locked.
 */
function lockDraft(draft: string): Exclude<Locked, { readonly state: 'busy' }> {
  const result = lockExclusively(draft)
  if (result.state !== 'busy') return result
  return { state: 'unsupported', reason: 'it has no locks' }
}

type Locked =
  | { readonly state: 'locked'; readonly database: DatabaseSyncInstance }
  | Exclude<SystemLockAttempt, { readonly state: 'held' }>

function lockExclusively(file: string): Locked {
  try {
    const database = new DatabaseSync(file)
    try {
      // SQLite would initialise an empty file with a page, and create a journal beside it.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
      return { state: 'locked', database }
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (BUSY.test(error.message)) return { state: 'busy' }
    if (UNSUPPORTED.test(error.message)) return { state: 'unsupported', reason: error.message }
    throw error
  }
}

function find(file: string): Promise<BigIntStats | null> {
  return orNullWhenAbsent(stat(file, { bigint: true }))
}

/** The inode of a removed file may be reused, but not with the same birth time. */
function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.birthtimeNs === other.birthtimeNs
}
