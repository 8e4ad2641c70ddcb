import { ServiceError } from '../core/errors.ts'
import type { CommitSha } from '../core/revision.ts'
import { CatFile } from './cat-file.ts'
import { parseCommit } from './commit-object.ts'
import { readCommit } from './commit-walk.ts'
import type { GitExecutable } from './git-executable.ts'
import { streamLog } from './git-log.ts'
import type { CommitRange, CommitRecord, ObjectReader } from './object-reader.ts'
import type { RawObject } from './raw-object.ts'
import { ReusedBuffers } from './reused-buffers.ts'
import { findFileInTree } from './tree-walk.ts'

/** Reads a repository through a long-lived `git cat-file --batch`, started again when it dies. */
export class CatFileReader implements ObjectReader {
  readonly #git: GitExecutable
  readonly #gitDir: string
  readonly #buffers = new ReusedBuffers()
  #catFile: CatFile | null = null
  #disposed = false

  constructor(git: GitExecutable, gitDir: string) {
    this.#git = git
    this.#gitDir = gitDir
  }

  findObject(oid: string): Promise<RawObject | null> {
    return this.#find(oid)
  }

  async findFile(commit: CommitSha, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const object = isPlain(path) ? await this.#find(`${commit}^{commit}:${path}`) : null
    if (object === null) return findFileInTree(this, { commit, path })
    return object.type === 'blob' ? object.content : null
  }

  async findCommit(commit: CommitSha): Promise<CommitRecord | null> {
    const object = await this.#find(commit)
    return object?.type === 'commit' ? parseCommit(commit, object.content) : null
  }

  async *listCommits(range: CommitRange): AsyncGenerator<CommitRecord> {
    const find = (commit: CommitSha) => this.findCommit(commit)
    await readCommit(find, range.from)
    if (range.until !== null) await readCommit(find, range.until)
    yield* streamLog(this.#git, this.#gitDir, range)
  }

  giveBack(content: Uint8Array): void {
    this.#buffers.giveBack(content)
  }

  /** The next question goes to a new process; the old one answers what it was asked. */
  renew(): void {
    this.#catFile?.finish()
    this.#catFile = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    await this.#catFile?.[Symbol.asyncDispose]()
  }

  /** A process that died takes its open questions with it; each is put once more to the next. */
  async #find(name: string): Promise<RawObject | null> {
    try {
      return await this.#running().find(name)
    } catch (error) {
      if (this.#disposed) throw this.#unavailable(error)
    }
    try {
      return await this.#running().find(name)
    } catch (error) {
      throw this.#unavailable(error)
    }
  }

  #running(): CatFile {
    if (this.#disposed) throw new Error('the reader is closed')
    if (this.#catFile === null || this.#catFile.isOver) {
      this.#catFile = new CatFile(this.#git, this.#gitDir, this.#buffers)
    }
    return this.#catFile
  }

  #unavailable(cause: unknown): ServiceError<'unavailable'> {
    const why = cause instanceof Error ? cause.message : 'git cat-file failed'
    const reason = `The repository ${this.#gitDir} cannot be read: ${why}`
    return new ServiceError('unavailable', reason, { reason }, { cause })
  }
}

/** Whether git reads `commit:path` as that path and nothing else. */
function isPlain(path: string): boolean {
  return !path.includes('\n') && !path.split('/').some((part) => ['', '.', '..'].includes(part))
}
