import type { Stats } from 'node:fs'
import { dirname } from 'node:path'
import type { FsHandle, FsPromises, WriteOptions } from '../../../src/storage/fs-promises.ts'
import { orNullWhenAbsent } from '../../../src/storage/fs-error.ts'
import { unsyncedFs } from './unsynced-fs.ts'

/**
 * Changes that the disk loses when they were not synced:
 * - `nothing`: only the process died, the system kept every change;
 * - `content`: names are there, but a file that was not synced has half of what was added to it;
 * - `names`: names are back to what they were when their folder was last synced, and content as when last synced;
 * - `names alone`: names are back in the same way, and everything that was written to a file is there.
 */
export const LOSSES = ['nothing', 'content', 'names', 'names alone'] as const
export type Loss = (typeof LOSSES)[number]

export interface FaultyFsOptions {
  /** Changes that succeed before the power goes. */
  readonly cutAfter?: number
  readonly loss?: Loss
  readonly base?: FsPromises
}

export class PowerCut extends Error {
  override readonly name = 'PowerCut'
}

interface File {
  /** The content that survives a power cut; null while all of it is synced. */
  synced: Uint8Array | null
}

interface NameChange {
  readonly folder: string
  readonly undo: () => Promise<void>
}

/**
 * A file system that counts its changes and loses power after a number of them. From then on every
 * call fails, and unsynced changes are lost on the underlying disk, so that the survivor can be
 * opened there with an ordinary file system (or with git).
 */
export class FaultyFs {
  readonly promises: FsPromises
  readonly #base: FsPromises
  readonly #loss: Loss
  readonly #inFlight = new Set<Promise<unknown>>()
  readonly #files = new Map<string, File>()
  #names: NameChange[] = []
  #left: number
  #changes = 0
  #syncs = 0
  #cut: Promise<void> | null = null

  constructor({ cutAfter = Infinity, loss = 'nothing', base = unsyncedFs }: FaultyFsOptions = {}) {
    this.#base = base
    this.#loss = loss
    this.#left = cutAfter
    this.promises = this.#promises()
  }

  /** Changes that were asked for so far. */
  get changes(): number {
    return this.#changes
  }

  /** Files and folders that were synced so far, each as often as it was. */
  get syncs(): number {
    return this.#syncs
  }

  get isCut(): boolean {
    return this.#cut !== null
  }

  /** Cuts the power now, and returns when the disk has lost what it loses. */
  cut(): Promise<void> {
    this.#cut ??= this.#lose([...this.#inFlight])
    return this.#cut
  }

  #promises(): FsPromises {
    const base = this.#base
    const read =
      <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        if (this.#cut) return this.#refuse()
        return call(...args)
      }
    const reads = Object.fromEntries(
      (['readFile', 'readdir', 'stat', 'lstat', 'readlink'] as const).map((name) => [
        name,
        read((...args: unknown[]) => Reflect.apply(base[name], base, args)),
      ]),
    )
    return Object.assign(Object.create(base), reads, {
      open: (path: string, flags = 'r', mode?: number) => this.#open(path, flags, mode),
      writeFile: (path: string, data: string | Uint8Array, options?: WriteOptions) =>
        this.#writeFile(path, data, options),
      rename: (from: string, to: string) => this.#change(() => this.#rename(from, to)),
      link: (existing: string, path: string) => this.#change(() => this.#link(existing, path)),
      symlink: (target: string, path: string) =>
        this.#change(() => this.#named(path, () => base.symlink(target, path))),
      unlink: (path: string) => this.#change(() => this.#remove(path)),
      rm: (path: string, options?: { force?: boolean }) =>
        this.#change(() => this.#remove(path, options)),
      mkdir: (path: string, options?: { recursive?: boolean }) =>
        this.#change(() => this.#mkdir(path, options)),
      rmdir: (path: string) => this.#change(() => base.rmdir(path)),
      chmod: (path: string, mode: number) => this.#change(() => base.chmod(path, mode)),
    })
  }

  async #change<Result>(apply: () => Promise<Result>): Promise<Result> {
    this.#changes += 1
    if (this.#cut || this.#left <= 0) return this.#refuse()
    this.#left -= 1
    const running = apply()
    const settled = running.then(ignore, ignore)
    this.#inFlight.add(settled)
    try {
      return await running
    } finally {
      this.#inFlight.delete(settled)
    }
  }

  async #refuse(): Promise<never> {
    await this.cut()
    throw new PowerCut('The power is gone')
  }

  async #open(path: string, flags: string, mode?: number): Promise<FsHandle> {
    if (flags === 'r') return this.#opened(path, await this.#openToRead(path))
    const handle = await this.#change(async () => {
      const before = await this.#contentOf(path)
      const made = await this.#base.open(path, flags, mode)
      await this.#touched(path, before)
      return made
    })
    return this.#opened(path, handle)
  }

  async #openToRead(path: string): Promise<FsHandle> {
    if (this.#cut) return this.#refuse()
    return this.#base.open(path, 'r')
  }

  #opened(path: string, handle: FsHandle): FsHandle {
    const file = this.#files.get(path)
    return {
      writeFile: (data) => this.#change(() => handle.writeFile(data)),
      chmod: (mode) => this.#change(() => handle.chmod(mode)),
      chown: (uid, gid) => this.#change(() => handle.chown(uid, gid)),
      sync: () =>
        this.#change(async () => {
          await handle.sync()
          this.#syncs += 1
          if (file) file.synced = null
          this.#names = this.#names.filter((change) => change.folder !== path)
        }),
      close: () => handle.close(),
    }
  }

  async #writeFile(path: string, data: string | Uint8Array, options?: WriteOptions): Promise<void> {
    await this.#change(async () => {
      await this.#touched(path, await this.#contentOf(path))
      await this.#base.writeFile(path, data, options)
    })
  }

  /** Remembers what a file that is being written looked like on disk. */
  async #touched(path: string, before: Uint8Array | null): Promise<void> {
    const file = this.#files.get(path) ?? { synced: null }
    file.synced ??= before ?? new Uint8Array()
    this.#files.set(path, file)
    if (before === null) this.#renamed(path, () => this.#base.rm(path, { force: true }))
  }

  #renamed(path: string, undo: () => Promise<void>): void {
    this.#names.push({ folder: dirname(path), undo })
  }

  async #named(path: string, make: () => Promise<void>): Promise<void> {
    await make()
    this.#renamed(path, () => this.#base.rm(path, { force: true }))
  }

  async #rename(from: string, to: string): Promise<void> {
    const [moved, replaced] = await Promise.all([this.#contentOf(from), this.#contentOf(to)])
    await this.#base.rename(from, to)
    const file = this.#files.get(from)
    this.#files.delete(from)
    if (file) this.#files.set(to, file)
    else this.#files.delete(to)
    this.#renamed(to, async () => {
      if (moved !== null) await this.#base.rename(to, from)
      if (replaced !== null) await this.#base.writeFile(to, replaced)
    })
  }

  async #link(existing: string, path: string): Promise<void> {
    await this.#named(path, () => this.#base.link(existing, path))
    const file = this.#files.get(existing)
    if (file) this.#files.set(path, file)
  }

  async #remove(path: string, options?: { force?: boolean; recursive?: boolean }): Promise<void> {
    const before = await this.#contentOf(path)
    const stats = before && (await this.#base.lstat(path))
    await this.#base.rm(path, options)
    const file = this.#files.get(path)
    this.#files.delete(path)
    if (before && stats) this.#renamed(path, () => this.#restore(path, before, { stats, file }))
  }

  async #restore(
    path: string,
    bytes: Uint8Array,
    { stats, file }: { stats: Stats; file: File | undefined },
  ): Promise<void> {
    await this.#base.writeFile(path, file?.synced ?? bytes, { mode: stats.mode & 0o7777 })
  }

  async #mkdir(path: string, options?: { recursive?: boolean }): Promise<string | undefined> {
    const made = await this.#base.mkdir(path, options)
    const top = options?.recursive ? made : path
    if (top !== undefined) {
      this.#renamed(top, () => this.#base.rm(top, { force: true, recursive: true }))
    }
    return made
  }

  async #contentOf(path: string): Promise<Uint8Array | null> {
    const stats = await orNullWhenAbsent(this.#base.lstat(path))
    return stats?.isFile() ? this.#base.readFile(path) : null
  }

  async #lose(inFlight: readonly Promise<unknown>[]): Promise<void> {
    await Promise.all(inFlight)
    if (this.#loss === 'nothing') return
    if (this.#loss !== 'names alone') await this.#loseContent()
    if (this.#loss === 'content') return
    for (const change of this.#names.toReversed()) await change.undo()
  }

  async #loseContent(): Promise<void> {
    for (const [path, file] of this.#files) {
      if (file.synced !== null) await this.#forget(path, file.synced)
    }
  }

  async #forget(path: string, synced: Uint8Array): Promise<void> {
    const now = await this.#contentOf(path)
    if (now === null) return
    if (this.#loss === 'names') return this.#base.writeFile(path, synced)
    const kept = synced.length + Math.floor((now.length - synced.length) / 2)
    await this.#base.writeFile(path, now.subarray(0, Math.max(0, kept)))
  }
}

function ignore(): void {}
