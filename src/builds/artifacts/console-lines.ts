import type { FileHandle } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'

const CHUNK = 64 * 1024
const LINE_FEED = 0x0a
/** Places of lines that are remembered; each belongs to one file. */
const REMEMBERED = 1_000

/** Where a line begins. */
interface LinePlace {
  readonly line: number
  readonly at: number
}

/** The lines of a growing file from some line on: what a page that follows a console asks for. */
export interface ConsoleTail {
  /** Where its first byte is in the file, and where it ends. */
  readonly from: number
  readonly to: number
  /** The number of the line that comes after it. */
  readonly nextLine: number
}

/**
 * Finds lines by their number, counted from 0, in files that only grow. The place of the last line
 * that was asked for is remembered, so that who follows a console does not make it be read again.
 */
export class LineFinder {
  readonly #places = new LRUCache<string, LinePlace>({ max: REMEMBERED })

  /** From the start of a line to the end of the last whole line, or of the file when it is complete. */
  async tail(
    handle: FileHandle,
    { line, isComplete }: { readonly line: number; readonly isComplete: boolean },
  ): Promise<ConsoleTail> {
    const { ino, dev, size, birthtimeMs } = await handle.stat()
    const key = `${dev}:${ino}:${birthtimeMs}`
    const known = this.#places.get(key)
    const start = known && known.line <= line && known.at <= size ? known : { line: 0, at: 0 }
    const found = await scan(handle, { start, line, size })
    this.#places.set(key, found.last)
    const to = isComplete ? size : found.last.at
    const unended = isComplete && size > found.last.at ? 1 : 0
    return { from: Math.min(found.from, to), to, nextLine: found.last.line + unended }
  }
}

/** Where the wanted line begins, and the place after the last whole line. */
async function scan(
  handle: FileHandle,
  { start, line, size }: { start: LinePlace; line: number; size: number },
): Promise<{ from: number; last: LinePlace }> {
  let from = start.line === line ? start.at : size
  let last = start
  const chunk = Buffer.alloc(CHUNK)
  for (let at = start.at; at < size;) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK, size - at), at)
    if (bytesRead === 0) break
    const read = chunk.subarray(0, bytesRead)
    for (let feed = read.indexOf(LINE_FEED); feed >= 0; feed = read.indexOf(LINE_FEED, feed + 1)) {
      last = { line: last.line + 1, at: at + feed + 1 }
      if (last.line === line) from = last.at
    }
    at += bytesRead
  }
  return { from, last }
}
