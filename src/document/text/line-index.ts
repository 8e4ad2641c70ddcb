const BYTE_ORDER_MARK = '\uFEFF'

/** A place in a text as people name it. Both count from 1; a column counts UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Characters after which the number of lines so far is noted. */
const BLOCK = 256
const LINE_FEED = 0x0a

/**
 * The lines of a text by place. A line ends with a line feed, as it does for git, so that the lines
 * of both agree. Only the lines up to the beginning of each block are counted, when they are first
 * asked for: a list of all lines takes half a second for a text that consists of line feeds.
 */
export class LineIndex {
  readonly #text: string
  #blocks: Blocks | null = null

  constructor(text: string) {
    this.#text = text
  }

  positionOf(offset: number): Position {
    const text = this.#text
    this.#blocks ??= blocksOf(text)
    const block = Math.min(Math.floor(offset / BLOCK), this.#blocks.lines.length - 1)
    let line = this.#blocks.lines[block] ?? 0
    let start = this.#blocks.starts[block] ?? 0
    const end = Math.min(offset, text.length)
    for (let at = block * BLOCK; at < end; at += 1) {
      if (text.charCodeAt(at) !== LINE_FEED) continue
      line += 1
      start = at + 1
    }
    const unseen = line === 0 && offset > 0 && text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
    return { line: line + 1, column: offset - start - unseen + 1 }
  }
}

/** The position of one offset. Ask a `LineIndex` when there are many. */
export function positionOf(text: string, offset: number): Position {
  return new LineIndex(text).positionOf(offset)
}

/** The facts at the beginning of each block. */
interface Blocks {
  /** The line feeds before it. */
  readonly lines: Uint32Array
  /** Where the line begins that it begins in. */
  readonly starts: Uint32Array
}

function blocksOf(text: string): Blocks {
  const count = Math.floor(text.length / BLOCK) + 1
  const [lines, starts] = [new Uint32Array(count), new Uint32Array(count)]
  let [line, start, block] = [0, 0, 0]
  for (;;) {
    const end = nextLineFeed(text, start)
    for (; block < count && block * BLOCK <= end; block += 1) {
      lines[block] = line
      starts[block] = start
    }
    if (block === count) return { lines, starts }
    line += 1
    start = end + 1
  }
}

/** The end of the text when there is none. A look at one character is quicker than a search that finds it. */
function nextLineFeed(text: string, from: number): number {
  if (text.charCodeAt(from) === LINE_FEED) return from
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}
