import { join } from 'node:path'
import type { CommitSha } from '../../core/revision.ts'
import type { GitStore } from '../../git/git-store.ts'
import { writeLooseObjects } from '../../git/objects/loose-objects.ts'
import type { RawObjectReader } from '../../git/objects/raw-object.ts'
import { writePack } from '../../git/packs/write-pack.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { CompressedLoose, CompressedObjects, CompressedPack } from './write-objects.ts'

/** Objects of one write, with the commit that brought them. */
interface Write {
  readonly commit: CommitSha
  readonly objects: CompressedObjects
  readonly bytes: number
  readonly time: number
  /** Whether a ref has the commit. */
  isNamed: boolean
  nextLook: number
}

/** Milliseconds before objects are looked for again. What goes sooner was not pruned, and reads report it as damage. */
const FIRST_LOOK_MS = 2_000
/** `git prune` takes as long as a walk of the whole history, from reading the refs to the last removal. */
const REMEMBERED_MS = 600_000
const MAX_REMEMBERED_BYTES = 16 * 1_048_576

/**
 * Objects that this process has written a short while ago. A git command that removes what no ref
 * has, however new it is (`git prune`, `git gc --prune=now`), reads the refs first: it may remove
 * objects that a ref has got since. Those are written again.
 */
export class RecentObjects {
  readonly #store: GitStore
  readonly #reader: RawObjectReader
  readonly #writes = new Map<CommitSha, Write>()
  #bytes = 0
  #restored = 0

  constructor(store: GitStore, reader: RawObjectReader) {
    this.#store = store
    this.#reader = reader
  }

  /** Remembers what was written; the oldest writes are forgotten beyond the limit of bytes. */
  note(commit: CommitSha, objects: CompressedObjects): void {
    const [time, bytes] = [performance.now(), bytesOf(objects)]
    this.#forget(commit)
    const nextLook = time + FIRST_LOOK_MS
    this.#writes.set(commit, { commit, objects, bytes, time, isNamed: false, nextLook })
    this.#bytes += bytes
    for (const oldest of this.#writes.keys()) {
      if (this.#bytes <= MAX_REMEMBERED_BYTES || oldest === commit) return
      this.#forget(oldest)
    }
  }

  /** Once a ref has a commit, makes sure that its objects are there. They survive a power cut then. */
  async confirm(commit: CommitSha): Promise<void> {
    const write = this.#writes.get(commit)
    if (write === undefined) return
    write.isNamed = true
    await this.#restore(write)
  }

  /**
   * Looks for objects that have gone, at growing intervals for each, and writes them again. Returns
   * the number of files that were written again since the last call.
   */
  async restoreLost(): Promise<number> {
    const now = performance.now()
    const old = [...this.#writes.values()].filter(({ time }) => now - time > REMEMBERED_MS)
    for (const { commit } of old) this.#forget(commit)
    const named = [...this.#writes.values()].filter(({ isNamed }) => isNamed)
    const before = this.#restored
    for (const write of named) if (write.nextLook <= now) await this.#restore(write)
    // One command removes everything that it knows no ref of.
    if (this.#restored > before) for (const write of named) await this.#restore(write)
    const restored = this.#restored
    this.#restored = 0
    return restored
  }

  async #restore(write: Write): Promise<void> {
    const { commit, objects, time } = write
    const now = performance.now()
    write.nextLook = now + Math.max(FIRST_LOOK_MS, now - time)
    this.#restored += await ('pack' in objects
      ? this.#restorePack(commit, objects)
      : this.#restoreLoose(objects))
  }

  async #restoreLoose({ loose }: CompressedLoose): Promise<number> {
    const lost = []
    for (const object of loose) {
      const isThere = await this.#hasFile(object.oid.slice(0, 2), object.oid.slice(2))
      if (!isThere && (await this.#reader.findObject(object.oid)) === null) lost.push(object)
    }
    if (lost.length > 0) await writeLooseObjects(this.#store, lost)
    return lost.length
  }

  /** Where the commit is in another pack, all of the pack is. */
  async #restorePack(commit: CommitSha, { pack }: CompressedPack): Promise<number> {
    const { name } = pack
    const areThere = await Promise.all(
      [`${name}.pack`, `${name}.idx`].map((file) => this.#hasFile('pack', file)),
    )
    if (!areThere.includes(false) || (await this.#reader.findObject(commit)) !== null) return 0
    await writePack(this.#store, pack)
    return 1
  }

  async #hasFile(...names: string[]): Promise<boolean> {
    const { fs, gitDir } = this.#store
    return (await orNullWhenAbsent(fs.lstat(join(gitDir, 'objects', ...names)))) !== null
  }

  #forget(commit: CommitSha): void {
    this.#bytes -= this.#writes.get(commit)?.bytes ?? 0
    this.#writes.delete(commit)
  }
}

function bytesOf(objects: CompressedObjects): number {
  const parts = 'pack' in objects ? [objects.pack.pack, objects.pack.index] : []
  const files = 'loose' in objects ? objects.loose.map(({ bytes }) => bytes) : parts
  return files.reduce((sum, { length }) => sum + length, 0)
}
