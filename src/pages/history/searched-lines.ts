import { splitLines } from '../../diff/lines.ts'
import { type TextLines, textLinesOf } from '../../document/text/text-lines.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { LinePieces } from '../code/line-pieces.ts'

/** A line in which a searched text came or went, cut around the text. */
export interface MatchedLine {
  readonly isAdded: boolean
  readonly before: string
  readonly text: string
  readonly after: string
}

/** The most bytes of documents that one page reads for the lines that it shows. */
const MAX_BYTES = 64 * 1_048_576
/** The most characters on either side of the text. */
const AROUND = 60

/** Finds the line of each revision that a search for a text has found. */
export class SearchedLines {
  readonly #history: History
  readonly #text: string
  /** The document of the last revision that was asked for: it is often the base of the next one. */
  #last: { readonly commit: string; readonly lines: TextLines } | null = null
  #bytes = 0

  constructor(history: History, text: string) {
    this.#history = history
    this.#text = text
  }

  async lineOf(revision: Revision): Promise<MatchedLine | null> {
    if (this.#text === '' || this.#bytes > MAX_BYTES) return null
    const base = this.#history.previousOf(revision)
    const after = await this.#linesOf(revision)
    const before = base && (await this.#linesOf(base))
    const [old, fresh] = [before ? this.#countsIn(before) : new Map(), this.#countsIn(after)]
    const added = firstMore(fresh, old)
    if (added !== null) return this.#cut(after, added, true)
    const removed = firstMore(old, fresh)
    return before && removed !== null ? this.#cut(before, removed, false) : null
  }

  async #linesOf(revision: Revision): Promise<TextLines> {
    if (this.#last?.commit === revision.commit) return this.#last.lines
    const document = await this.#history.readAsWritten(revision)
    this.#bytes += document.length
    const lines = textLinesOf(document, splitLines(document).count)
    this.#last = { commit: revision.commit, lines }
    return lines
  }

  /** How often each line with the text occurs, and where first. */
  #countsIn({ text, starts }: TextLines): ReadonlyMap<string, LineCount> {
    const counts = new Map<string, LineCount>()
    let line = 0
    for (let at = text.indexOf(this.#text); at >= 0; at = text.indexOf(this.#text, at)) {
      while ((starts[line + 1] ?? Infinity) <= at) line += 1
      const end = starts[line + 1] ?? text.length
      const whole = text.slice(starts[line], end)
      const known = counts.get(whole)
      counts.set(whole, { first: known?.first ?? line, count: (known?.count ?? 0) + 1 })
      at = Math.max(end, at + this.#text.length)
    }
    return counts
  }

  /** As the line is shown: a hidden secret is never told by what was searched for. */
  #cut(lines: TextLines, line: number, isAdded: boolean): MatchedLine | null {
    const [shown = ''] = new LinePieces(lines).textsOf({ start: line, end: line + 1 })
    const at = shown.indexOf(this.#text)
    if (at < 0) return null
    const end = at + this.#text.length
    return {
      isAdded,
      before: shown.slice(Math.max(0, at - AROUND), at).trimStart(),
      text: this.#text,
      after: shown.slice(end, end + AROUND).trimEnd(),
    }
  }
}

interface LineCount {
  readonly first: number
  readonly count: number
}

/** The first line that occurs more often than on the other side. */
function firstMore(
  these: ReadonlyMap<string, LineCount>,
  others: ReadonlyMap<string, LineCount>,
): number | null {
  for (const [line, { first, count }] of these) {
    if (count > (others.get(line)?.count ?? 0)) return first
  }
  return null
}
