import { join } from 'node:path'
import { Errors, readObject } from 'isomorphic-git'
import { z } from 'zod'
import type { CommitSha } from '../../core/revision.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import { damagedObject, MAX_OBJECT_BYTES, TooLargeError } from '../objects/damage.ts'
import { readBoundary } from '../boundary.ts'
import type { GitStore } from '../git-store.ts'
import { SHA1 } from '../object-format.ts'
import { inflateStart, PackedSizes } from '../packs/packed-sizes.ts'
import { parseCommit } from '../objects/commit-object.ts'
import { endingAt, readCommit, walkCommits } from '../objects/commit-walk.ts'
import type { CommitRange, CommitRecord, ObjectReader } from '../objects/object-reader.ts'
import type { RawObject } from '../objects/raw-object.ts'
import { findFileInTree } from '../objects/tree-walk.ts'

const ContentObject = z.object({
  format: z.literal('content'),
  type: z.enum(['blob', 'tree', 'commit', 'tag']),
  object: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
})

const ATTEMPTS = 5
/** So many compressed bytes certainly hold the header of an object. */
const HEAD = 1_024

/**
 * Reads a repository with isomorphic-git, without the git program. While a foreign `git gc` replaces packs a read may fail
 * because a pack or a loose object has just been removed; the object is in a new pack then, so it
 * tries again.
 */
export class IsomorphicReader implements ObjectReader {
  /** The only one that isomorphic-git knows. */
  readonly format = SHA1
  readonly #store: GitStore
  readonly #fs: { readonly promises: FsPromises }
  readonly #packed: PackedSizes
  #cache: object = {}

  constructor(store: GitStore) {
    this.#store = store
    this.#packed = new PackedSizes(store.gitDir)
    this.#fs = { promises: withoutDrafts(store.fs) }
  }

  /** @throws {TooLargeError} for a large object, also for one that is stored as a change of one. */
  async findObject(oid: string): Promise<RawObject | null> {
    await this.#refuseLarge(oid)
    for (let attempt = 1; ; attempt++) {
      const cache = this.#cache
      try {
        return await this.#read(oid, cache)
      } catch (error) {
        if (error instanceof Errors.NotFoundError && attempt > 1) return null
        if (attempt === ATTEMPTS || !mayHaveMoved(error))
          throw isOfSystem(error) ? error : damagedObject(oid, error)
        if (isPackGone(error) && this.#cache === cache) this.#cache = {}
      }
    }
  }

  findFile(commit: CommitSha, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return findFileInTree(this, { commit, path })
  }

  async findCommit(commit: CommitSha): Promise<CommitRecord | null> {
    const object = await this.findObject(commit)
    return object?.type === 'commit' ? parseCommit(commit, object.content) : null
  }

  async *listCommits(range: CommitRange): AsyncGenerator<readonly CommitRecord[]> {
    const find = endingAt(await readBoundary(this.#store), (commit) => this.findCommit(commit))
    if (range.until !== null) await readCommit(find, range.until)
    const commits = await walkCommits(find, range)
    if (commits.length > 0) yield commits
  }

  /** Drops the cached packs; reads in progress keep theirs. */
  renew(): void {
    this.#cache = {}
    this.#packed.renew()
  }

  hurry(): void {}

  async [Symbol.asyncDispose](): Promise<void> {}

  async #refuseLarge(oid: string): Promise<void> {
    const file = join(this.#store.gitDir, 'objects', oid.slice(0, 2), oid.slice(2))
    const stats = await orNullWhenAbsent(this.#fs.promises.stat(file))
    if (stats === null) return this.#refusePacked(oid)
    if (stats.size > MAX_OBJECT_BYTES) throw new TooLargeError(oid, stats.size)
    const bytes = await orNullWhenAbsent(this.#fs.promises.readFile(file))
    const size = sizeIn(bytes?.subarray(0, HEAD) ?? new Uint8Array())
    if (size > MAX_OBJECT_BYTES) throw new TooLargeError(oid, size)
  }

  async #refusePacked(oid: string): Promise<void> {
    const size = await this.#packed.find(oid)
    if (size !== null && size > MAX_OBJECT_BYTES) throw new TooLargeError(oid, size)
  }

  async #read(oid: string, cache: object): Promise<RawObject> {
    const asked = {
      fs: this.#fs,
      gitdir: this.#store.gitDir,
      oid,
      cache,
      format: 'content',
    } as const
    const { type, object } = ContentObject.parse(await readObject(asked))
    return { type, content: object }
  }
}

/** The size in the header of a compressed object; 0 for an unreadable header. */
function sizeIn(head: Uint8Array): number {
  const start = inflateStart(head)?.toString('latin1', 0, 32) ?? ''
  return Number(/^[a-z]+ (\d+)\0/.exec(start)?.[1] ?? 0)
}

/** All other errors of isomorphic-git concern the bytes of the object. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

function mayHaveMoved(error: unknown): boolean {
  return error instanceof Errors.NotFoundError || isPackGone(error)
}

function isPackGone(error: unknown): boolean {
  if (error instanceof TypeError) return true
  return error instanceof Errors.InternalError && /packfile/i.test(error.message)
}

/** Hides unfinished packs, whose names begin with a dot, because isomorphic-git would read them. */
function withoutDrafts(fs: FsPromises): FsPromises {
  return Object.assign(Object.create(fs), {
    async readdir(folder: string) {
      const names = await fs.readdir(folder)
      return names.filter((name) => !name.startsWith('.'))
    },
  })
}
