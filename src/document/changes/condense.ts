import { constructAt, tagNameOf } from '../highlight/xml-scanner.ts'
import { WholeElements } from '../highlight/whole-elements.ts'
import type { Span } from '../xml/xml-tree.ts'

/** A pipeline or agent that nothing has touched. */
interface Untouched extends Span {
  /** Where its opening tag ends. */
  readonly tagEnd: number
}

/** Where elements stand that are told from each other by their names, wherever the lines of a diff put them. */
const LISTS = new Map([
  ['pipelines', 'pipeline'],
  ['templates', 'pipeline'],
  ['environments', 'environment'],
  ['agents', 'agent'],
])

/** A text that stands for a longer one. */
export interface Condensed {
  readonly text: string
  /** The line of the longer text that a line stands for; both count from 1. */
  readonly lineOf: (line: number) => number
}

/**
 * Two documents without the contents of pipelines and agents that nothing has touched: the same
 * differences, and much quicker to read. Where no touched one came, went or moved, those that
 * nothing has touched are left out.
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
    lines.keep(lineFeedsIn(text, { start: from, end: keptEnd }))
    if (lines.leaveOut(lineFeedsIn(text, { start: keptEnd, end }))) parts.push('\n')
    from = end
  }
  parts.push(text.slice(from))
  return { text: parts.join(''), lineOf: (line) => lines.of(line) }
}

/** Which line of a text each line of its condensed form stands for. */
class LineMap {
  /** The condensed lines that lines are left out above, and how many in all up to there. */
  readonly #places: number[] = []
  readonly #sums: number[] = []
  #line = 1
  #sum = 0

  keep(lineFeeds: number): void {
    this.#line += lineFeeds
  }

  /** Whether a line feed stands for those that are left out. */
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
  /** The tags of the others, each after the number of untouched ones in front of it. */
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
    if (isMember) touched.push(`${untouched.length} ${text.slice(start, tagEnd)}`)
    if (!isEmpty) open.push(name)
  }
  return { text, untouched, touched }
}

function close(open: string[], name: string): void {
  const place = open.lastIndexOf(name)
  if (place !== -1) open.length = place
}

function lineFeedsIn(text: string, { start, end }: Span): number {
  let count = 0
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    count += 1
  }
  return count
}
