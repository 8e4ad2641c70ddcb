import { ENTITY_KINDS } from '../entities/entities.ts'
import { constructAt, tagNameOf } from '../highlight/xml-scanner.ts'
import { WholeElements } from '../highlight/whole-elements.ts'
import { lineFeedsIn } from '../text/line-feeds.ts'
import type { Span } from '../xml/xml-tree.ts'

/** An unchanged pipeline or agent. */
interface Untouched extends Span {
  /** Where its opening tag ends. */
  readonly tagEnd: number
}

/** The lists whose elements are matched by name, independent of the lines of a diff. */
const LISTS = new Map(
  ENTITY_KINDS.filter(({ isListed }) => isListed).map(
    ({ steps: [[list = ''] = [], [member = ''] = []] }) => [list, member],
  ),
)

/** The condensed form of a longer text. */
export interface Condensed {
  readonly text: string
  /** Maps a line to the longer text; both count from 1. */
  readonly lineOf: (line: number) => number
}

/**
 * Two documents without the contents of unchanged pipelines and agents: they have the same
 * differences, and are much quicker to read. Unchanged ones are left out entirely when no other was
 * added, removed or moved, and each is in the list where it was.
 */
export function condensePair(
  before: MemberScan,
  after: MemberScan,
): { readonly before: Condensed; readonly after: Condensed } {
  const isInPlace = before.touched.join('\n') === after.touched.join('\n')
  return { before: condense(before, isInPlace), after: condense(after, isInPlace) }
}

function condense({ text, untouched }: MemberScan, isInPlace: boolean): Condensed {
  const lines = new LineMap()
  const parts: string[] = []
  let from = 0
  for (const { start, tagEnd, end } of untouched) {
    const keptEnd = isInPlace ? start : tagEnd
    parts.push(text.slice(from, keptEnd), isInPlace ? '' : '/>')
    lines.keep(lineFeedsIn(text.slice(from, keptEnd)).count)
    if (lines.leaveOut(lineFeedsIn(text.slice(keptEnd, end)).count)) parts.push('\n')
    from = end
  }
  parts.push(text.slice(from))
  return { text: parts.join(''), lineOf: (line) => lines.of(line) }
}

/** Maps the lines of a condensed text to those of the original. */
class LineMap {
  /** The condensed lines below which lines were left out, and the total up to there. */
  readonly #places: number[] = []
  readonly #sums: number[] = []
  #line = 1
  #sum = 0

  keep(lineFeeds: number): void {
    this.#line += lineFeeds
  }

  /** Whether the omitted lines are replaced by a line feed. */
  leaveOut(lineFeeds: number): boolean {
    if (lineFeeds === 0) return false
    this.#line += 1
    this.#sum += lineFeeds - 1
    this.#places.push(this.#line)
    this.#sums.push(this.#sum)
    return true
  }

  of(line: number): number {
    const place = this.#places.findLastIndex((each) => each <= line)
    return line + (this.#sums[place] ?? 0)
  }
}

/** The members of lists in a document. */
export interface MemberScan {
  readonly text: string
  readonly untouched: readonly Untouched[]
  /** The tags of the lists and of the changed ones, each with the number of unchanged ones before it. */
  readonly touched: readonly string[]
}

export function scanMembers(text: string, isTouched: (span: Span) => boolean): MemberScan {
  const wholes = new WholeElements(text)
  const open: string[] = []
  const untouched: Untouched[] = []
  const touched: string[] = []
  for (let at = 0; at < text.length;) {
    const construct = constructAt(text, at)
    const { kind, start, end: tagEnd } = construct
    at = tagEnd
    if (kind === 'close') close(open, tagNameOf(text, construct))
    if (kind !== 'open') continue
    const name = tagNameOf(text, construct)
    const isMember = LISTS.get(open.at(-1) ?? '') === name
    const isEmpty = text[tagEnd - 2] === '/'
    const end = isMember && !isEmpty ? wholes.endOf(name, construct) : null
    if (end !== null && !isTouched({ start, end })) {
      untouched.push({ start, tagEnd: tagEnd - 1, end })
      at = end
      continue
    }
    if (isMember || LISTS.has(name))
      touched.push(`${untouched.length} ${text.slice(start, tagEnd)}`)
    if (!isEmpty) open.push(name)
  }
  return { text, untouched, touched }
}

function close(open: string[], name: string): void {
  const place = open.lastIndexOf(name)
  if (place !== -1) open.length = place
}
