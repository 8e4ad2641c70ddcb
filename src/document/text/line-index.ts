const BYTE_ORDER_MARK = '\uFEFF'

/** A place in a text as people name it. Both count from 1; a column counts UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/**
 * The places where the lines of a text begin. A line ends with a line feed, as
 * it does for git, so that the lines of both agree. Built when first asked.
 */
export class LineIndex {
  readonly #text: string
  #starts: readonly number[] | null = null

  constructor(text: string) {
    this.#text = text
  }

  positionOf(offset: number): Position {
    this.#starts ??= lineStarts(this.#text)
    const line = lastAtOrBefore(this.#starts, offset)
    const start = this.#starts[line] ?? 0
    const unseen = line === 0 && offset > 0 && this.#text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
    return { line: line + 1, column: offset - start - unseen + 1 }
  }
}

/** The position of one offset. Ask a `LineIndex` when there are many. */
export function positionOf(text: string, offset: number): Position {
  return new LineIndex(text).positionOf(offset)
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
