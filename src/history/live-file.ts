import { basename, dirname } from 'node:path'
import { replaceFile } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import { syncFolder } from '../storage/sync-folder.ts'

/** What stood in the place of the live file at one moment. */
export type LiveFileState =
  | { readonly kind: 'absent'; readonly stamp: string }
  | { readonly kind: 'not-a-file'; readonly stamp: string }
  | { readonly kind: 'file'; readonly stamp: string; readonly bytes: Uint8Array<ArrayBuffer> }

/** The stamp of a file that is not there. */
export const ABSENT = 'absent'
const ATTEMPTS = 50

/** The configuration as a file that people edit, in the work tree of the repository. */
export class LiveFile {
  readonly path: string
  readonly #fs: FsPromises

  constructor(fs: FsPromises, path: string) {
    this.#fs = fs
    this.path = path
  }

  /** Changes whenever the file does: an edit in place, a rename over it, its removal. */
  async stamp(): Promise<string> {
    const stats = await orNullWhenAbsent(this.#fs.lstat(this.path, { bigint: true }))
    if (stats === null) return ABSENT
    return [stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
  }

  /** The file with a stamp that belongs to these bytes, even while somebody writes it. */
  async read(): Promise<LiveFileState> {
    for (let attempt = 1; ; attempt += 1) {
      const stamp = await this.stamp()
      const state = await this.#readAt(stamp)
      if (attempt === ATTEMPTS || (await this.stamp()) === stamp) return state
    }
  }

  /**
   * Makes these bytes the live file; they are on disk once this returns. An edit that came since
   * the file was seen with this stamp, or while the bytes were written, is left as it is.
   */
  async replace(document: Uint8Array<ArrayBuffer>, seen: string): Promise<void> {
    await this.#fs.mkdir(dirname(this.path), { recursive: true })
    const mayReplace = async () => (await this.stamp()) === seen
    await replaceFile(this.path, document, { fs: this.#fs, mayReplace })
  }

  /**
   * Gives the file another ending, together with whatever an editor still writes to it. Returns
   * its new path.
   */
  async setAside(ending: string): Promise<string> {
    const names = new Set(await this.#fs.readdir(dirname(this.path)))
    let path = `${this.path}.${ending}`
    for (let copy = 2; names.has(basename(path)); copy += 1) path = `${this.path}.${ending}-${copy}`
    await this.#fs.rename(this.path, path)
    await syncFolder(this.#fs, dirname(path))
    return path
  }

  async #readAt(stamp: string): Promise<LiveFileState> {
    if (stamp === ABSENT) return { kind: 'absent', stamp }
    const stats = await orNullWhenAbsent(this.#fs.lstat(this.path))
    if (stats !== null && !stats.isFile()) return { kind: 'not-a-file', stamp }
    const bytes = await orNullWhenAbsent(this.#fs.readFile(this.path))
    return bytes === null ? { kind: 'absent', stamp } : { kind: 'file', stamp, bytes: owned(bytes) }
  }
}

function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
