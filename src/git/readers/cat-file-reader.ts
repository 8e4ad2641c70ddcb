import { type ServiceError, unavailable } from '../../core/errors.ts'
import { OBJECT_NAME } from '../../core/object-name.ts'
import type { CommitSha } from '../../core/revision.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import { CatFile, CatFileEnded } from './cat-file.ts'
import { parseCommit } from '../objects/commit-object.ts'
import { endingAt, readCommit, walkShortLine } from '../objects/commit-walk.ts'
import { readBoundary } from '../boundary.ts'
import type { GitExecutable } from '../git-executable.ts'
import type { GitStore } from '../git-store.ts'
import type { ObjectFormat } from '../object-format.ts'
import { damagedObject, TooLargeError } from '../objects/damage.ts'
import { streamLog } from './git-log.ts'
import type { CommitRange, CommitRecord, ObjectReader } from '../objects/object-reader.ts'
import type { RawObject } from '../objects/raw-object.ts'
import { findFileInTree } from '../objects/tree-walk.ts'

const CLOSED = 'The repository is closed'
const MAX_SUSPECTS = 1_000
/** To read so many one after the other takes 2 ms, and to have `git log` list them 4 ms. */
const FEW_COMMITS = 16
/** The object that git ends upon. */
const NAMED = new RegExp(`^fatal: .*?\\b(${OBJECT_NAME})\\b`, 'm')

/** A large object at the end of a long chain of deltas comes within seconds. */
const SILENCE_MS = 20_000
/** While the service stops, which is given 30 to 60 seconds. */
const LAST_SILENCE_MS = 5_000

/**
 * Reads a repository through a long-lived `git cat-file --batch`, started again when it dies or
 * hangs.
 */
export class CatFileReader implements ObjectReader {
  readonly format: ObjectFormat
  readonly #git: GitExecutable
  readonly #store: GitStore
  /** Requests at which a process has ended. */
  readonly #suspects = new Set<string>()
  readonly #alone = new SerialQueue(() => unavailable(CLOSED))
  #catFile: CatFile | null = null
  readonly #processes = new Set<CatFile>()
  #silenceMs: number
  #isHurried = false
  #disposed = false

  constructor(
    git: GitExecutable,
    store: GitStore,
    { format, silenceMs = SILENCE_MS }: { format: ObjectFormat; silenceMs?: number },
  ) {
    this.#git = git
    this.#store = store
    this.format = format
    this.#silenceMs = silenceMs
  }

  findObject(oid: string): Promise<RawObject | null> {
    return this.#find(oid)
  }

  async findFile(commit: CommitSha, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const name = `${commit}^{commit}:${path}`
    const object = isPlain(path) ? await orNullWhenLarge(this.#find(name)) : null
    if (object === null) return findFileInTree(this, { commit, path })
    return object.type === 'blob' ? object.content : null
  }

  async findCommit(commit: CommitSha): Promise<CommitRecord | null> {
    const object = await this.#find(commit)
    return object?.type === 'commit' ? parseCommit(commit, object.content) : null
  }

  async *listCommits(range: CommitRange): AsyncGenerator<readonly CommitRecord[]> {
    const find = endingAt(await readBoundary(this.#store), (commit) => this.findCommit(commit))
    const from = await readCommit(find, range.from)
    const until = range.until === null ? null : await readCommit(find, range.until)
    const few = await walkShortLine(find, { from, until }, FEW_COMMITS)
    if (few === null) yield* streamLog(this.#git, this.#store.gitDir, range)
    else if (few.length > 0) yield few
  }

  /** Sends the next request to a new process; the old one finishes its own. */
  renew(): void {
    this.#catFile?.finish()
    this.#catFile = null
  }

  hurry(): void {
    this.#isHurried = true
    this.#silenceMs = Math.min(this.#silenceMs, LAST_SILENCE_MS)
    for (const each of this.#processes) each.endAfter(this.#silenceMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    await this.#alone.close()
    await this.#catFile?.[Symbol.asyncDispose]()
  }

  /**
   * A damaged object ends the process that reads it. Requests queued behind it go to the next
   * process. The request itself is retried in a process of its own, from then on always, until it
   * succeeds. A process that hangs is replaced once, unless this is in a hurry: when the next one hangs too, it is not
   * by chance.
   */
  async #find(name: string): Promise<RawObject | null> {
    let hung = 0
    while (!this.#suspects.has(name)) {
      try {
        return await this.#running().find(name)
      } catch (error) {
        if (this.#disposed) throw unavailable(CLOSED, error)
        if (!(error instanceof CatFileEnded)) throw error
        if (error.isSilent && ((hung += 1) > 1 || this.#isHurried)) throw failureOf(error)
        if (error.isUponThis) break
      }
    }
    return this.#alone.run(() => this.#findAlone(name))
  }

  async #findAlone(name: string): Promise<RawObject | null> {
    if (this.#disposed) throw unavailable(CLOSED)
    await using catFile = this.#start()
    try {
      const found = await catFile.find(name)
      this.#suspects.delete(name)
      return found
    } catch (error) {
      if (!(error instanceof CatFileEnded)) throw error
      if (!error.isSilent && this.#suspects.size < MAX_SUSPECTS) this.#suspects.add(name)
      throw failureOf(error)
    }
  }

  #running(): CatFile {
    if (this.#disposed) throw unavailable(CLOSED)
    if (this.#catFile === null || this.#catFile.isOver) {
      this.#catFile = this.#start()
    }
    return this.#catFile
  }

  #start(): CatFile {
    const { gitDir } = this.#store
    const onEnd = () => this.#processes.delete(catFile)
    const catFile = new CatFile({ git: this.#git, gitDir, silenceMs: this.#silenceMs, onEnd })
    this.#processes.add(catFile)
    return catFile
  }
}

async function orNullWhenLarge(reading: Promise<RawObject | null>): Promise<RawObject | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof TooLargeError) return null
    throw error
  }
}

/** Git's messages contain paths of this machine, so only the name of the object is passed on. */
function failureOf(error: CatFileEnded): ServiceError<'unavailable'> {
  const [, oid] = NAMED.exec(error.message) ?? []
  if (oid !== undefined) return damagedObject(oid, error)
  if (error.isSilent) return unavailable(`The repository cannot be read: ${error.message}`, error)
  const why = error.message.includes('not a git repository')
    ? 'its folder is not a git repository, or is missing'
    : 'git ends with an error'
  return unavailable(`The repository cannot be read: ${why}`, error)
}

/** Whether git reads `commit:path` as that path and nothing else. */
function isPlain(path: string): boolean {
  return !path.includes('\n') && !path.split('/').some((part) => ['', '.', '..'].includes(part))
}
