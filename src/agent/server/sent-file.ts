import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'

/** A file that is sent as long as it was when that began: what is appended meanwhile stays out. */
export class SentFile implements AsyncDisposable {
  readonly size: number
  readonly content: Readable
  readonly #handle: FileHandle

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
    const range = { start: 0, end: size - 1, autoClose: false }
    this.content = size === 0 ? Readable.from([]) : handle.createReadStream(range)
  }

  /** @throws for a folder, and for what is no file. */
  static async open(path: string): Promise<SentFile> {
    // The other end of a pipe that has taken the place of the file is not waited for.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await handle.stat()
    if (found.isFile()) return new SentFile(handle, found.size)
    await handle.close()
    throw new Error(found.isDirectory() ? 'The folder cannot be listed' : 'It is no file')
  }

  /** @throws when it could not be read, or has become shorter: it would fail again. */
  async assertWhole(): Promise<void> {
    const { errored } = this.content
    if (errored && 'syscall' in errored) throw errored
    if ((await this.#handle.stat()).size >= this.size) return
    throw new Error('It became shorter while it was sent')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.content.destroy()
    await this.#handle.close()
  }
}
