import type { TextSource } from './text-source.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/** A place in a text as people name it. Both count from 1; a column counts UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

export function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.column < other.column)
}

/** Characters after which the number of lines so far is noted. */
const BLOCK = 256
const LINE_FEED = 0x0a

/** The lines at some offset of a text. */
export interface LineMark {
  readonly offset: number
  /** The line feeds before it. */
  readonly line: number
  /** The offset of the line that it is in. */
  readonly start: number
}

/** Finds the last mark that is not behind an offset. */
export type FindMark = (offset: number) => LineMark

/**
 * The lines of a text by place. A line ends with a line feed, as it does for git, so that the lines
 * of both agree. Lines are counted from the nearest mark. Where others have no marks to offer, each
 * block begins with one, made when it is first asked for: a list of all lines takes half a second
 * for a text that consists of line feeds.
 */
export class LineIndex {
  readonly #text: TextSource
  #findMark: FindMark | null

  constructor(text: TextSource, findMark: FindMark | null = null) {
    this.#text = text
    this.#findMark = findMark
  }

  positionOf(offset: number): Position {
    this.#findMark ??= marksOfBlocks(this.#text.slice())
    const mark = this.#findMark(offset)
    let { line, start } = mark
    const passed = this.#text.slice(mark.offset, offset)
    for (let at = 0; at < passed.length; at += 1) {
      if (passed.charCodeAt(at) !== LINE_FEED) continue
      line += 1
      start = mark.offset + at + 1
    }
    const unseen = line === 0 && offset > 0 && this.#text.slice(0, 1) === BYTE_ORDER_MARK ? 1 : 0
    return { line: line + 1, column: offset - start - unseen + 1 }
  }
}

/** The position of one offset. Ask a `LineIndex` when there are many. */
export function positionOf(text: string, offset: number): Position {
  return new LineIndex(text).positionOf(offset)
}

function marksOfBlocks(text: string): FindMark {
  const count = Math.floor(text.length / BLOCK) + 1
  const [lines, starts] = [new Uint32Array(count), new Uint32Array(count)]
  let [line, start, block] = [0, 0, 0]
  for (;;) {
    const end = nextLineFeed(text, start)
    for (; block < count && block * BLOCK <= end; block += 1) {
      lines[block] = line
      starts[block] = start
    }
    if (block === count) break
    line += 1
    start = end + 1
  }
  return (offset) => {
    const at = Math.min(Math.floor(offset / BLOCK), count - 1)
    return { offset: at * BLOCK, line: lines[at] ?? 0, start: starts[at] ?? 0 }
  }
}

/** The end of the text when there is none. A look at one character is quicker than a search that finds it. */
function nextLineFeed(text: string, from: number): number {
  if (text.charCodeAt(from) === LINE_FEED) return from
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}
