import type { FileHandle } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'

const CHUNK = 64 * 1024
const LINE_FEED = 0x0a
/** Bytes between two lines of which the positions are cached. */
const MARKED_BYTES = 1024 * 1024
/** The limits of files with cached positions, and of these positions. */
const MAX_FILES = 1_000
const MAX_MARKS = 100_000

interface LinePlace {
  readonly line: number
  readonly at: number
}

/** The end of the last complete line of a file, and lines on the way to it. */
interface ScannedLines {
  readonly marks: readonly LinePlace[]
  readonly last: LinePlace
}

type LinesFile = Pick<FileHandle, 'stat' | 'read'>

const START: LinePlace = { line: 0, at: 0 }

/** The lines of a growing file from some line on, for pages that show a running console. */
export interface ConsoleTail {
  /** The offsets of its first byte and of its end in the file. */
  readonly from: number
  readonly to: number
  /** The number of the line after it. */
  readonly nextLine: number
}

/**
 * Finds lines by number, from 0, in files that only grow. Positions of lines are cached, so that neither a
 * reader who follows a console nor one who is behind has it read from its start.
 */
export class LineFinder {
  readonly #scanned = new LRUCache<string, ScannedLines>({
    max: MAX_FILES,
    maxSize: MAX_MARKS,
    sizeCalculation: ({ marks }) => marks.length,
  })

  /** From the start of a line to the end of the last complete line, or of a finished file. */
  async tail(
    handle: LinesFile,
    { line, isComplete }: { readonly line: number; readonly isComplete: boolean },
  ): Promise<ConsoleTail> {
    const { ino, dev, size, birthtimeMs } = await handle.stat()
    const key = `${dev}:${ino}:${birthtimeMs}`
    const cached = this.#scanned.get(key)
    const known = cached && cached.last.at <= size ? cached : { marks: [START], last: START }
    const found = await scanOn(handle, known, size)
    this.#scanned.set(key, found)
    const { last } = found
    const to = isComplete ? size : last.at
    const unended = isComplete && size > last.at ? 1 : 0
    const from = line > last.line ? size : await findLine(handle, found, line)
    return { from: Math.min(from, to), to, nextLine: last.line + unended }
  }
}

/** Scans on from where a file was scanned to, up to a size. */
async function scanOn(
  handle: LinesFile,
  { marks, last: start }: ScannedLines,
  size: number,
): Promise<ScannedLines> {
  const found = [...marks]
  let last = start
  let next = (found.at(-1) ?? START).at + MARKED_BYTES
  for await (const feeds of lineFeeds(handle, start.at, size)) {
    for (const feed of feeds) {
      last = { line: last.line + 1, at: feed + 1 }
      if (last.at < next) continue
      found.push(last)
      next = last.at + MARKED_BYTES
    }
  }
  return { marks: found, last }
}

/** The position of a line that was scanned. */
async function findLine(
  handle: LinesFile,
  { marks, last }: ScannedLines,
  line: number,
): Promise<number> {
  if (line === last.line) return last.at
  const start = marks.findLast((mark) => mark.line <= line) ?? START
  if (start.line === line) return start.at
  let passed = start.line
  for await (const feeds of lineFeeds(handle, start.at, last.at)) {
    const feed = feeds[line - passed - 1]
    if (feed !== undefined) return feed + 1
    passed += feeds.length
  }
  return last.at
}

/** The positions of the line feeds in a part of a file, some at a time. */
async function* lineFeeds(
  handle: LinesFile,
  from: number,
  to: number,
): AsyncGenerator<readonly number[]> {
  const chunk = Buffer.alloc(CHUNK)
  for (let at = from; at < to;) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK, to - at), at)
    if (bytesRead === 0) return
    const read = chunk.subarray(0, bytesRead)
    const feeds: number[] = []
    for (let feed = read.indexOf(LINE_FEED); feed >= 0; feed = read.indexOf(LINE_FEED, feed + 1))
      feeds.push(at + feed)
    yield feeds
    at += bytesRead
  }
}
