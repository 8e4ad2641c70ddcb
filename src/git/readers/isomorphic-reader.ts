import type { CommitSha } from '../../core/revision.ts'
import { readBoundary } from '../boundary.ts'
import { parseCommit } from '../objects/commit-object.ts'
import { endingAt, readCommit, walkCommits } from '../objects/commit-walk.ts'
import type { GitStore } from '../git-store.ts'
import { SHA1 } from '../object-format.ts'
import { IsomorphicObjects } from './isomorphic-objects.ts'
import type { CommitRange, CommitRecord, ObjectReader } from '../objects/object-reader.ts'
import type { RawObject } from '../objects/raw-object.ts'
import { findFileInTree } from '../objects/tree-walk.ts'

/** Reads a repository with isomorphic-git only, without the git program. */
export class IsomorphicReader implements ObjectReader {
  readonly format = SHA1
  readonly #store: GitStore
  readonly #objects: IsomorphicObjects

  constructor(store: GitStore) {
    this.#store = store
    this.#objects = new IsomorphicObjects(store)
  }

  findObject(oid: string): Promise<RawObject | null> {
    return this.#objects.findObject(oid)
  }

  findFile(commit: CommitSha, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return findFileInTree(this.#objects, { commit, path })
  }

  async findCommit(commit: CommitSha): Promise<CommitRecord | null> {
    const object = await this.#objects.findObject(commit)
    return object?.type === 'commit' ? parseCommit(commit, object.content) : null
  }

  async *listCommits(range: CommitRange): AsyncGenerator<readonly CommitRecord[]> {
    const find = endingAt(await readBoundary(this.#store), (commit) => this.findCommit(commit))
    if (range.until !== null) await readCommit(find, range.until)
    const commits = await walkCommits(find, range)
    if (commits.length > 0) yield commits
  }

  renew(): void {
    this.#objects.renew()
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
