import { join } from 'node:path'
import type { CommitSha } from '../../core/revision.ts'
import type { GitStore } from '../../git/git-store.ts'
import { removeStaleLock } from '../../git/git-lock.ts'
import type { ObjectReader } from '../../git/objects/object-reader.ts'
import { updateRef } from '../../git/ref-update.ts'
import { isRefFile, listFilesBelow, listRefsBelow } from '../../git/refs.ts'
import { runGit, SHORT_TIMEOUT_MS } from '../../git/run-git.ts'
import type { Clock } from '../../lib/clock.ts'
import { Emitter } from '../../lib/emitter.ts'
import type { NonEmptyArray } from '../../lib/non-empty-array.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import { stopping } from '../../storage/writer-queue.ts'
import { addPacks, type PackStore } from '../log/log-packs.ts'
import type { LogPack } from '../log/revision-log.ts'
import type { LoggedRef, RefLog, RefLogEntry } from '../log/ref-log.ts'
import { RecentObjects } from '../repository/recent-objects.ts'
import { writeCommit } from '../repository/write-objects.ts'
import { SERVICE_COMMITTER } from '../revision/classify.ts'
import { authorName } from '../revision/message.ts'

/** A commit beside the branch: its parent with one other file. */
export interface SideCommit {
  /** Null begins a history. */
  readonly parent: CommitSha | null
  readonly path: string
  readonly document: Uint8Array<ArrayBuffer>
  readonly author: string
  readonly time: number
  readonly message: string
}

/** A ref that goes from one commit to another; from null, it is new. */
export interface SideMove {
  readonly ref: string
  readonly from: CommitSha | null
  readonly to: CommitSha
  /** The revision that the new commit builds upon, where it is not `from`. */
  readonly upon: CommitSha | null
}

export interface SideRefsOptions {
  /** The folder of the refs, such as `refs/proposals/`. */
  readonly prefix: string
  readonly store: GitStore
  readonly reader: ObjectReader
  readonly clock: Clock
  /** Null for a server that is alone. */
  readonly shared: SharedRefs | null
}

/** The moves of several servers, and the repository that follows them. */
export interface SharedRefs {
  readonly log: RefLog
  readonly packs: PackStore
  /** Brings the branch to where the other servers have it. */
  readonly followBranch: () => Promise<unknown>
}

/**
 * The refs below a prefix, beside the branch. They are in memory, and on disk before a move returns. Only
 * this service moves them; what git does to them is seen when they are moved next, or at the next start.
 */
export class SideRefs implements AsyncDisposable {
  readonly #options: SideRefsOptions
  readonly #recent: RecentObjects
  readonly #queue = new SerialQueue(stopping)
  readonly #placed = new Emitter<[ref: string]>()
  #refs: Map<string, CommitSha> | null = null
  /** The newest entry of the log that the refs here have. */
  #sequence = 0

  constructor(options: SideRefsOptions) {
    this.#options = options
    this.#recent = new RecentObjects(options.store, options.reader)
  }

  /** Calls the listener with each ref as it is read, and when it has another commit. */
  onPlaced(listener: (ref: string) => void): () => void {
    return this.#placed.on(listener)
  }

  /** The refs with their commits, those of other servers included. */
  read(): Promise<ReadonlyMap<string, CommitSha>> {
    return this.change((refs) => Promise.resolve(new Map(refs)))
  }

  /** Reads the refs and moves some of them, while nothing else here does. */
  change<Result>(work: (refs: ReadonlyMap<string, CommitSha>) => Promise<Result>): Promise<Result> {
    return this.#queue.run(async () => {
      this.#refs ??= await this.#load()
      await this.#follow(this.#refs)
      return work(this.#refs)
    })
  }

  findFile(commit: CommitSha, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#options.reader.findFile(commit, path)
  }

  /** Writes a commit durably. No ref moves. */
  async write({ author, time, ...draft }: SideCommit): Promise<CommitSha> {
    const { store, reader } = this.#options
    const { commit, written } = await writeCommit(store, reader, {
      ...draft,
      author: { name: authorName(author), email: SERVICE_COMMITTER.email, time },
      committer: { ...SERVICE_COMMITTER, time },
    })
    this.#recent.note(commit, written)
    return commit
  }

  /** Writes objects again that another program has removed, and returns the number of files. */
  restoreLost(): Promise<number> {
    return this.#recent.restoreLost()
  }

  /**
   * Moves refs within {@link change}, in their order; with several servers all at once. False when one of
   * them is not where it was: then those before it have moved, or with several servers none.
   */
  async move(moves: NonEmptyArray<SideMove>): Promise<boolean> {
    const refs = this.#refs
    if (refs === null || moves.some(({ ref, from }) => (refs.get(ref) ?? null) !== from))
      return false
    if (!(await this.#publish(moves))) return false
    // Read again, with what the log has, unless all of them have moved here.
    this.#refs = null
    for (const { ref, from, to } of moves) {
      const who = { ...SERVICE_COMMITTER, time: this.#options.clock() }
      const update = { ref, expected: from, next: to, who, reason: 'proposal' }
      const { state } = await updateRef(this.#options.store, update)
      if (state === 'moved') return false
      await this.#recent.confirm(to)
      this.#note(refs, ref, to)
    }
    this.#refs = refs
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close()
  }

  /** Only the process that holds the repository loads them, so a lock of ours is a leftover. */
  async #load(): Promise<Map<string, CommitSha>> {
    const { store, prefix } = this.#options
    const files = await listFilesBelow(store, prefix)
    const leftovers = files.filter((file) => !isRefFile(file))
    // A lock is ours where a draft beside it is the same file, so drafts go last.
    for (const file of leftovers.toSorted((one) => (one.endsWith('.lock') ? -1 : 1))) {
      await removeStaleLock(store.fs, join(store.gitDir, file.replace(/\.lock$/, '')))
    }
    this.#sequence = 0
    const refs = new Map<string, CommitSha>()
    for (const [ref, commit] of await listRefsBelow(store, prefix, files))
      this.#note(refs, ref, commit)
    return refs
  }

  async #publish(moves: NonEmptyArray<SideMove>): Promise<boolean> {
    const { shared } = this.#options
    if (shared === null) return true
    const refs = moves.map(({ ref, to }) => ({ ref, commit: to }))
    const known = moves.flatMap(({ from, upon }) => [from, upon]).filter((each) => each !== null)
    const pack = await this.#pack(refs, known)
    if (!(await shared.log.append({ sequence: this.#sequence + 1, refs }, pack))) return false
    this.#sequence += 1
    return true
  }

  /** The objects of refs without those of commits that every server has. */
  async #pack(refs: readonly LoggedRef[], known: readonly CommitSha[]): Promise<Uint8Array> {
    const { shared } = this.#options
    if (shared === null) return new Uint8Array()
    const { git, gitDir } = shared.packs
    const lines = [...refs.map(({ commit }) => commit), ...known.map((each) => `^${each}`), '']
    const args = ['pack-objects', '--revs', '--thin', '--delta-base-offset', '--stdout', '-q']
    return runGit(git, gitDir, args, { input: lines.join('\n'), timeoutMs: SHORT_TIMEOUT_MS })
  }

  /** Takes over the moves of other servers. The log wins over what is here. */
  async #follow(refs: Map<string, CommitSha>): Promise<void> {
    const { shared } = this.#options
    if (shared === null) return
    const entries = await shared.log.entriesAfter(this.#sequence)
    if (entries.length === 0 && this.#sequence === 0 && refs.size > 0) return this.#begin(refs)
    const newest = new Map<string, CommitSha>()
    for (const entry of entries) {
      await this.#fetch(shared, entry)
      for (const { ref, commit } of entry.refs) newest.set(ref, commit)
    }
    for (const [ref, commit] of newest) await this.#place(refs, ref, commit)
    this.#sequence = entries.at(-1)?.sequence ?? this.#sequence
  }

  /** Begins the log with the refs of a repository that had no other server before. */
  async #begin(refs: ReadonlyMap<string, CommitSha>): Promise<void> {
    const { shared } = this.#options
    const all = [...refs].map(([ref, commit]) => ({ ref, commit }))
    const pack = await this.#pack(all, [])
    if (await shared?.log.append({ sequence: 1, refs: all }, pack)) this.#sequence = 1
  }

  async #fetch({ log, packs, followBranch }: SharedRefs, entry: RefLogEntry): Promise<void> {
    const { reader } = this.#options
    const found = await Promise.all(entry.refs.map(({ commit }) => reader.findObject(commit)))
    if (!found.includes(null)) return
    // The pack may leave out what the branch has.
    await followBranch()
    const bytes = await log.readPack(entry.sequence)
    await addPacks(packs, only({ kind: 'entry', bytes }))
  }

  async #place(refs: Map<string, CommitSha>, ref: string, next: CommitSha): Promise<void> {
    const { store, clock } = this.#options
    const expected = refs.get(ref) ?? null
    if (expected === next) return
    const who = { ...SERVICE_COMMITTER, time: clock() }
    await updateRef(store, { ref, expected, next, who, reason: 'log' })
    this.#note(refs, ref, next)
  }

  #note(refs: Map<string, CommitSha>, ref: string, commit: CommitSha): void {
    refs.set(ref, commit)
    this.#placed.emit(ref)
  }
}

async function* only(pack: LogPack): AsyncGenerator<LogPack> {
  yield pack
}
