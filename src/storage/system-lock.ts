import type { BigIntStats } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { draftName } from './draft-name.ts'
import { orNullWhenAbsent } from './fs-error.ts'
import { DatabaseSync } from './sqlite-engine.ts'

export type SystemLockAttempt =
  | { readonly state: 'held'; readonly lock: SystemLock }
  | { readonly state: 'busy' }
  | { readonly state: 'unsupported'; readonly reason: string }

const BUSY = /database is locked/
/** Fixed texts, because not every failure carries the number of SQLite. */
const UNSUPPORTED =
  /unable to open|disk I\/O|readonly|not a database|malformed|locking protocol|access permission denied|disk is full/

/** One that is not referenced would be closed by the garbage collector. */
const held = new Set<SystemLock>()

/**
 * A lock of the operating system, which ends with its process and is seen by every process of this
 * machine, in whatever container. Node has no call for it, SQLite has: this is an exclusive
 * transaction on an empty file, which is never committed.
 *
 * POSIX drops such a lock when its process closes any descriptor of the file, so nothing but SQLite
 * may open it.
 */
export class SystemLock implements AsyncDisposable {
  readonly #database: DatabaseSyncInstance
  readonly #file: string

  constructor(database: DatabaseSyncInstance, file: string) {
    this.#database = database
    this.#file = file
    held.add(this)
  }

  /** Removes the file while it is still locked, so that it is never the file of the next holder. */
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

/** Two attempts at the same moment may both be busy. */
export async function trySystemLock(file: string): Promise<SystemLockAttempt> {
  const before = await createOrFind(file)
  const result = lockExclusively(file)
  if (result.state !== 'locked') return result
  // The one who held it before may have removed the file that was locked here.
  const after = await find(file)
  if (before !== null && after !== null && isSame(before, after)) {
    return { state: 'held', lock: new SystemLock(result.database, file) }
  }
  result.database.close()
  return { state: 'busy' }
}

/**
 * Why no file of the folder can be locked, or null. A file system without locks cannot be told from
 * a held lock in any other way: SQLite says of both that the database is locked.
 */
export async function findLockingFault(folder: string): Promise<string | null> {
  const file = join(folder, draftName())
  try {
    const result = lockExclusively(file)
    if (result.state === 'unsupported') return result.reason
    if (result.state === 'busy') return 'it has no locks'
    result.database.close()
    return null
  } finally {
    await rm(file, { force: true })
  }
}

type Locked =
  | { readonly state: 'locked'; readonly database: DatabaseSyncInstance }
  | Exclude<SystemLockAttempt, { readonly state: 'held' }>

function lockExclusively(file: string): Locked {
  try {
    const database = new DatabaseSync(file)
    try {
      // SQLite begins an empty file with a page, for which it would make a journal beside it.
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

/** Null where it cannot be made, of which the attempt to lock it says the reason. */
async function createOrFind(file: string): Promise<BigIntStats | null> {
  const found = await find(file)
  if (found !== null) return found
  const result = lockExclusively(file)
  if (result.state === 'locked') result.database.close()
  return await find(file)
}

function find(file: string): Promise<BigIntStats | null> {
  return orNullWhenAbsent(stat(file, { bigint: true }))
}

/** A number of a removed file may be given again, but not with the same time of birth. */
function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino && one.birthtimeNs === other.birthtimeNs
}
