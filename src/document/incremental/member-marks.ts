import { bisect } from '../../lib/bisect.ts'
import { type LineFeeds, lineFeedsIn } from '../text/line-feeds.ts'
import type { FindMark, LineMark } from '../text/line-index.ts'
import type { TextSource } from '../text/text-source.ts'
import type { ReadMember } from './member-finder.ts'

const FIRST: LineMark = { offset: 0, line: 0, start: 0 }

/**
 * Marks the lines at the ends of the members of a document, when one is first asked for. The lines of a member are
 * counted once.
 */
export function memberMarks(source: TextSource, members: readonly ReadMember[]): FindMark {
  let marked: MarkedLines | null = null
  return (offset) => (marked ??= new MarkedLines(source, members)).before(offset)
}

/** A mark at the start and one at the end of each member, without an object for each of them. */
class MarkedLines {
  readonly #offsets: Uint32Array
  readonly #lines: Uint32Array
  readonly #starts: Uint32Array

  constructor(source: TextSource, members: readonly ReadMember[]) {
    const length = 2 * members.length
    this.#offsets = new Uint32Array(length)
    this.#lines = new Uint32Array(length)
    this.#starts = new Uint32Array(length)
    let last = FIRST
    for (const [n, { start, end, element }] of members.entries()) {
      last = behind(last, start, lineFeedsIn(source.slice(last.offset, start)))
      this.#set(2 * n, last)
      last = behind(last, end, element.lineFeeds)
      this.#set(2 * n + 1, last)
    }
  }

  /** The last mark that is not behind an offset. */
  before(offset: number): LineMark {
    const offsets = this.#offsets
    const n = bisect({ high: offsets.length }, (at) => (offsets[at] ?? 0) <= offset) - 1
    const [marked, line, start] = [offsets[n], this.#lines[n], this.#starts[n]]
    if (marked === undefined || line === undefined || start === undefined) return FIRST
    return { offset: marked, line, start }
  }

  #set(n: number, { offset, line, start }: LineMark): void {
    this.#offsets[n] = offset
    this.#lines[n] = line
    this.#starts[n] = start
  }
}

/** The mark at an offset behind another one, by the line feeds between them. */
function behind(mark: LineMark, offset: number, { count, last }: LineFeeds): LineMark {
  const start = last < 0 ? mark.start : mark.offset + last + 1
  return { offset, line: mark.line + count, start }
}
