import type { FileHandle } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'

const CHUNK = 64 * 1024
const LINE_FEED = 0x0a
/** The limit of cached positions of lines, one for each file. */
const REMEMBERED = 1_000

interface LinePlace {
  readonly line: number
  readonly at: number
}

/** The lines of a growing file from some line on, for pages that show a running console. */
export interface ConsoleTail {
  /** The offsets of its first byte and of its end in the file. */
  readonly from: number
  readonly to: number
  /** The number of the line after it. */
  readonly nextLine: number
}

/**
 * Finds lines by number, from 0, in files that only grow. The position of the last requested line
 * is cached, so that repeated requests do not read a console from its start.
 */
export class LineFinder {
  readonly #places = new LRUCache<string, LinePlace>({ max: REMEMBERED })

  /** From the start of a line to the end of the last complete line, or of a finished file. */
  async tail(
    handle: FileHandle,
    { line, isComplete }: { readonly line: number; readonly isComplete: boolean },
  ): Promise<ConsoleTail> {
    const { ino, dev, size, birthtimeMs } = await handle.stat()
    const key = `${dev}:${ino}:${birthtimeMs}`
    const cached = this.#places.get(key)
    const start = cached && cached.line <= line && cached.at <= size ? cached : { line: 0, at: 0 }
    const found = await scan(handle, { start, line, size })
    this.#places.set(key, found.last)
    const to = isComplete ? size : found.last.at
    const unended = isComplete && size > found.last.at ? 1 : 0
    return { from: Math.min(found.from, to), to, nextLine: found.last.line + unended }
  }
}

/** The positions of the requested line and of the end of the last complete line. */
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
