import type { BigIntStats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Digest, digestOf } from '../../core/digest.ts'
import { FileDraft } from '../../storage/file-draft.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import { syncFolder } from '../../storage/sync-folder.ts'
import { inVanishingFolder } from '../../git/vanishing-folder.ts'

export type LiveFileState =
  | { readonly kind: 'absent'; readonly stamp: string }
  | { readonly kind: 'not-a-file'; readonly stamp: string }
  | {
      readonly kind: 'too-large'
      readonly stamp: string
      readonly size: bigint
      readonly largest: number
    }
  | {
      readonly kind: 'file'
      readonly stamp: string
      readonly bytes: Uint8Array<ArrayBuffer>
      /** Its permission bits. */
      readonly mode: number
    }

/** Bytes on disk beside the live file, ready to take its place. */
export interface LiveDraft extends AsyncDisposable {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly draft: FileDraft
}

/** The stamp of a file that is not there. */
export const ABSENT = 'absent'
const ATTEMPTS = 50
const OWNER_ONLY = 0o600
/** The suffix of a file that was moved away. */
const MOVED_AWAY = /^invalid-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-\d{3}Z(?:-\d+)?$/
const PERMISSIONS = 0o7777n

/** The configuration as a file that people edit, in the work tree of the repository. */
export class LiveFile {
  readonly path: string
  readonly #fs: FsPromises
  readonly #largest: number
  /** The draft that was placed last; while its stamp is unchanged, the file is as we wrote it. */
  #placed: LiveFileState | null = null
  /** The digests of documents that the file may hold without having been edited. */
  #ours: ReadonlySet<Digest> = new Set()
  #inSync: Uint8Array<ArrayBuffer> | null = null

  /** A file of more bytes than the largest document is not read. */
  constructor(fs: FsPromises, path: string, largest = Number.POSITIVE_INFINITY) {
    this.#fs = fs
    this.#largest = largest
    this.path = path
  }

  /**
   * Whether these bytes are the content of the file when it was last in sync with the branch, or
   * content that the service has written since. If so, the file was not edited; at most it is
   * behind the branch.
   */
  isOurs(bytes: Uint8Array<ArrayBuffer>): boolean {
    return this.#ours.size > 0 && this.#ours.has(digestOf(bytes))
  }

  /** Marks the file as in sync with the newest commit. */
  markInSync(document: Uint8Array<ArrayBuffer>): void {
    if (this.#inSync === document) return
    this.#ours = new Set([digestOf(document)])
    this.#inSync = document
  }

  /** Notes the documents that the file may hold from before this start. */
  assumeOurs(digests: Iterable<Digest>): void {
    this.#ours = new Set([...this.#ours, ...digests])
    this.#inSync = null
  }

  /** Forgets the known contents: from now on, any content of the file counts as an edit. */
  invalidate(): void {
    this.#ours = new Set()
    this.#inSync = null
  }

  /** Changes whenever the file does: an edit in place, a rename over it, its removal. */
  async stamp(): Promise<string> {
    return stampOf(await this.#stats())
  }

  /** Reads the file with the stamp of exactly these bytes, even during a concurrent write. */
  async read(): Promise<LiveFileState> {
    for (let attempt = 1; ; attempt += 1) {
      const stats = await this.#stats()
      const stamp = stampOf(stats)
      if (this.#placed?.stamp === stamp) return this.#placed
      const state = await this.#readAt(stats)
      if (attempt === ATTEMPTS || (await this.stamp()) === stamp) return state
    }
  }

  /** Writes a draft of the next live file, for {@link place}. */
  async prepare(bytes: Uint8Array<ArrayBuffer>, seen: LiveFileState): Promise<LiveDraft> {
    const mode = seen.kind === 'file' ? seen.mode : null
    const write = () => FileDraft.write(this.path, bytes, { fs: this.#fs, mode })
    const make = () => this.#fs.mkdir(dirname(this.path), { recursive: true })
    const draft = await inVanishingFolder(write, make)
    return { bytes, draft, [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose]() }
  }

  /**
   * Renames a draft over the live file; this survives a power cut once {@link syncName} has
   * returned. A file that has changed since this stamp is left alone.
   */
  async place({ bytes, draft }: LiveDraft, seen: string): Promise<void> {
    // Nothing that takes long stands between the look and the rename: an edit there would be lost.
    const digest = digestOf(bytes)
    if ((await this.stamp()) !== seen) return
    // Noted before the rename, because a failure or another check may come right after it.
    this.assumeOurs([digest])
    await draft.place()
    this.markInSync(bytes)
    const stats = await this.#stats()
    this.#placed = stats !== null && isAsPlaced(stats, draft) ? fileState(stats, bytes) : null
  }

  syncName(): Promise<void> {
    return syncFolder(this.#fs, dirname(this.path))
  }

  /** Prepares, places and syncs: the bytes are on disk once this returns. */
  async replace(bytes: Uint8Array<ArrayBuffer>, seen: string): Promise<void> {
    await using draft = await this.prepare(bytes, await this.read())
    await this.place(draft, seen)
    await this.syncName()
  }

  /**
   * The stats of the file when it was not written to since these bytes were placed. Null when only
   * a comparison of the content can tell.
   */
  async findPlaced(bytes: Uint8Array<ArrayBuffer>): Promise<BigIntStats | null> {
    const placed = this.#placed
    if (placed?.kind !== 'file' || placed.bytes !== bytes) return null
    const stats = await this.#stats()
    return stampOf(stats) === placed.stamp ? stats : null
  }

  /**
   * Renames the file, with anything that an editor is still writing to it, and returns its new
   * path. Only its owner can read it, because it may hold plain secrets.
   */
  async moveAway(time: number): Promise<string> {
    const ending = `invalid-${new Date(time).toISOString().replaceAll(/[:.]/g, '-')}`
    const names = new Set(await this.#fs.readdir(dirname(this.path)))
    let path = `${this.path}.${ending}`
    for (let copy = 2; names.has(basename(path)); copy += 1) path = `${this.path}.${ending}-${copy}`
    const stats = await this.#stats()
    if (stats?.isFile()) await this.#fs.chmod(this.path, OWNER_ONLY)
    await this.#fs.rename(this.path, path)
    await syncFolder(this.#fs, dirname(path))
    return path
  }

  /** Removes files that were moved away before a time. */
  async removeMovedAway(before: number): Promise<void> {
    const folder = dirname(this.path)
    const names = (await orNullWhenAbsent(this.#fs.readdir(folder))) ?? []
    const start = `${basename(this.path)}.`
    const old = names.filter((name) => {
      const time = name.startsWith(start) ? MOVED_AWAY.exec(name.slice(start.length)) : null
      if (time === null) return false
      const [, date, hours, minutes, seconds] = time
      return Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`) < before
    })
    const options = { recursive: true, force: true }
    await Promise.all(old.map((name) => this.#fs.rm(join(folder, name), options)))
  }

  #stats(): Promise<BigIntStats | null> {
    return orNullWhenAbsent(this.#fs.lstat(this.path, { bigint: true }))
  }

  async #readAt(stats: BigIntStats | null): Promise<LiveFileState> {
    if (stats === null) return { kind: 'absent', stamp: ABSENT }
    if (!stats.isFile()) return { kind: 'not-a-file', stamp: stampOf(stats) }
    const [{ size }, largest] = [stats, this.#largest]
    if (size > largest) return { kind: 'too-large', stamp: stampOf(stats), size, largest }
    const bytes = await orNullWhenAbsent(this.#fs.readFile(this.path))
    if (bytes === null) return { kind: 'absent', stamp: stampOf(stats) }
    return fileState(stats, new Uint8Array(bytes))
  }
}

/** Whether the file has exactly these bytes; null is no file. */
export function holds(live: LiveFileState, document: Uint8Array | null): boolean {
  if (document === null) return live.kind === 'absent'
  return live.kind === 'file' && Buffer.compare(live.bytes, document) === 0
}

function stampOf(stats: BigIntStats | null): string {
  if (stats === null) return ABSENT
  return [stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}

function fileState(stats: BigIntStats, bytes: Uint8Array<ArrayBuffer>): LiveFileState {
  return { kind: 'file', stamp: stampOf(stats), bytes, mode: Number(stats.mode & PERMISSIONS) }
}

/**
 * Whether the file is still the draft as written. This requires that, by the clock of the file
 * system, the rename came after the last write: then any later write shows in the modification
 * time.
 */
function isAsPlaced(stats: BigIntStats, { stats: written }: FileDraft): boolean {
  return (
    stats.ino === written.ino &&
    stats.size === written.size &&
    stats.mtimeNs === written.mtimeNs &&
    stats.ctimeNs > written.mtimeNs
  )
}
