import nodeFs, {
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  type FileHandle,
} from 'node:fs/promises'
import { join } from 'node:path'
import { writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { orNullWhenAbsent } from './fs-error.ts'
import { syncFolder } from './sync-folder.ts'

export interface LineLogOptions {
  readonly folder: string
  /** The common prefix of its files' names. */
  readonly name: string
  /** The size at which a new file is started, in bytes. */
  readonly fileSize: number
  /** The maximal number of files. */
  readonly files: number
  /** Called with the numbers of the first and the last removed line. */
  readonly removed: (first: number, last: number) => void
  /** The source of numbers, when several logs share it. */
  readonly numbers?: LineNumbers
  /**
   * Reads the number of a line, which must contain it when numbers are shared; null for a damaged
   * line.
   */
  readonly numberOf?: (line: string) => number | null
}

/** Issues each line number once. */
export class LineNumbers {
  #next = 1

  /** The number that the next line gets. */
  next(): number {
    return this.#next
  }

  /** Marks the numbers below this one as used. */
  beginAt(next: number): void {
    this.#next = Math.max(this.#next, next)
  }

  /** Takes the next number. */
  take(): number {
    this.#next += 1
    return this.#next - 1
  }

  /** Releases an unused number, if it was the last one. */
  release(id: number): void {
    if (this.#next === id + 1) this.#next = id
  }
}

/** The name of each file contains the number of its first line. */
const DIGITS = 15
/** A search ends with the file that reaches this limit, which bounds its cost. */
const CHARACTERS_A_READING = 64 * 2 ** 20

interface Pending {
  readonly id: number
  readonly line: string
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/**
 * Numbered lines in files that only grow. A line is durable when `append` returns; concurrent
 * appends are synced together. Numbers increase, with gaps for lines that failed or belong to
 * another log. At the limit, the oldest file is removed, and the log's owner is notified.
 */
export class LineLog implements AsyncDisposable {
  readonly #options: LineLogOptions
  #file: { readonly handle: FileHandle; size: number } | null = null
  #firsts: number[]
  readonly #numbers: LineNumbers
  #pending: Pending[] = []
  #writing: Promise<void> | null = null

  private constructor(options: LineLogOptions, firsts: number[], next: number) {
    this.#options = options
    this.#firsts = firsts
    this.#numbers = options.numbers ?? new LineNumbers()
    this.#numbers.beginAt(next)
  }

  /** Opens the log; removes the incomplete, unacknowledged line of a crash. */
  static async open(options: LineLogOptions): Promise<LineLog> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 })
    const firsts = await listFirsts(options)
    const newest = firsts.at(-1)
    if (newest === undefined) return new LineLog(options, [], 1)
    const path = pathOf(options, newest)
    const bytes = await readFile(path)
    const whole = bytes.lastIndexOf(0x0a) + 1
    if (whole < bytes.length) await truncate(path, whole)
    const lines = linesOf(options, newest, bytes.toString('utf8', 0, whole))
    return new LineLog(options, firsts, (lines.at(-1)?.id ?? newest - 1) + 1)
  }

  /** Every whole line with its number, oldest first, of files that nobody has opened; nothing is changed. */
  static async *readAll(
    options: Pick<LineLogOptions, 'folder' | 'name' | 'numberOf'>,
  ): AsyncGenerator<{ readonly line: string; readonly id: number }> {
    for (const first of await listFirsts(options)) {
      yield* linesOf(options, first, await readFile(pathOf(options, first), 'utf8'))
    }
  }

  /** The number that the next line gets. */
  next(): number {
    return this.#numbers.next()
  }

  /**
   * Appends the line that `make` builds from its number. @throws the system's error when it cannot
   * be written.
   */
  append(make: (id: number) => string): Promise<void> {
    const id = this.#numbers.take()
    const line = `${make(id)}\n`
    const appended = new Promise<void>((done, failed) => {
      this.#pending.push({ id, line, done, failed })
    })
    this.#writing ??= this.#writeAll()
    return appended
  }

  /**
   * Visits lines before a number, newest first, until the visitor returns false or the limit is
   * reached. Returns the number to continue before, or null at the end.
   */
  async readBack(
    before: number,
    visit: (line: string, id: number) => boolean,
  ): Promise<number | null> {
    let left = CHARACTERS_A_READING
    for (const first of this.#firsts.filter((each) => each < before).toReversed()) {
      const text = await this.#readUnlessRemoved(first)
      if (text === null) return null
      for (const { line, id } of linesOf(this.#options, first, text).toReversed()) {
        if (id < before && !visit(line, id)) return id
      }
      left -= text.length
      if (left <= 0) return first
    }
    return null
  }

  /** The text of a file; null when it has been removed, like all older ones. */
  async #readUnlessRemoved(first: number): Promise<string | null> {
    try {
      return await readFile(pathOf(this.#options, first), 'utf8')
    } catch (error) {
      if (this.#firsts.includes(first)) throw error
      return null
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing
    await this.#file?.handle.close()
    this.#file = null
  }

  /** Lines appended in the same turn of the event loop are written together. */
  async #writeAll(): Promise<void> {
    await nextTurn()
    while (this.#pending.length > 0) {
      const batch = this.#pending
      this.#pending = []
      try {
        await this.#write(batch)
        for (const { done } of batch) done()
      } catch (error) {
        for (const { id } of batch.toReversed()) this.#numbers.release(id)
        for (const { failed } of batch) failed(error)
      }
    }
    this.#writing = null
  }

  async #write(batch: readonly Pending[]): Promise<void> {
    const file = await this.#fileToWrite(batch[0]?.id ?? this.#numbers.next())
    const bytes = Buffer.from(batch.map(({ line }) => line).join(''))
    try {
      // Writing to memory takes a tenth of a turn of the thread pool; only the sync uses the pool.
      for (let at = 0; at < bytes.length;) {
        at += writeSync(file.handle.fd, bytes, at, null, file.size + at)
      }
      await file.handle.datasync()
    } catch (error) {
      await Promise.allSettled([file.handle.truncate(file.size)])
      throw error
    }
    file.size += bytes.length
  }

  async #fileToWrite(next: number): Promise<{ readonly handle: FileHandle; size: number }> {
    const newest = this.#firsts.at(-1)
    if (!this.#file && newest !== undefined) {
      const path = pathOf(this.#options, newest)
      const { size } = await stat(path)
      this.#file = { handle: await open(path, 'r+'), size }
    }
    if (this.#file && this.#file.size < this.#options.fileSize) return this.#file
    await this.#file?.handle.close()
    this.#file = null
    const handle = await open(pathOf(this.#options, next), 'w', 0o600)
    this.#file = { handle, size: 0 }
    if (next !== newest) this.#firsts = [...this.#firsts, next]
    await syncFolder(nodeFs, this.#options.folder)
    await this.#makeRoom()
    return this.#file
  }

  async #makeRoom(): Promise<void> {
    const [first, second] = this.#firsts
    if (this.#firsts.length <= this.#options.files || first === undefined || second === undefined)
      return
    this.#firsts = this.#firsts.slice(1)
    await rm(pathOf(this.#options, first), { force: true })
    this.#options.removed(first, second - 1)
  }
}

/** The first numbers of its files, ascending; none where there is no folder. */
async function listFirsts({
  folder,
  name,
}: Pick<LineLogOptions, 'folder' | 'name'>): Promise<number[]> {
  const files = (await orNullWhenAbsent(readdir(folder))) ?? []
  return files.flatMap((file) => firstOf(name, file) ?? []).toSorted((a, b) => a - b)
}

/** The lines of a file with their numbers; a line without one continues the count. */
function linesOf(
  { numberOf = () => null }: Pick<LineLogOptions, 'numberOf'>,
  first: number,
  text: string,
) {
  let next = first
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const id = Math.max(next, numberOf(line) ?? next)
      next = id + 1
      return { line, id }
    })
}

function pathOf({ folder, name }: Pick<LineLogOptions, 'folder' | 'name'>, first: number): string {
  return join(folder, `${name}-${String(first).padStart(DIGITS, '0')}.jsonl`)
}

function firstOf(name: string, file: string): number | null {
  const [, digits] = new RegExp(`^${name}-(\\d{${DIGITS}})\\.jsonl$`).exec(file) ?? []
  return digits === undefined ? null : Number(digits)
}
