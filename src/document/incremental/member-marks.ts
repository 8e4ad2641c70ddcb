import { bisect } from '../../lib/bisect.ts'
import { replacedPart } from '../../lib/replaced-part.ts'
import { lineFeedsIn } from '../text/line-feeds.ts'
import type { FindMark, LineMark } from '../text/line-index.ts'
import type { ReadMember } from './member-finder.ts'
import type { TextSource } from '../text/text-source.ts'
import type { Skeleton } from './skeleton.ts'

const FIRST: LineMark = { offset: 0, line: 0, start: 0 }

/** A document in its parts. */
interface DocumentInParts {
  readonly source: TextSource
  readonly skeleton: Skeleton
  readonly members: readonly ReadMember[]
}

/**
 * Marks the lines at the ends of the members of documents, when one is first asked for. The lines of a member are
 * counted once. In a document that differs in a few members from the one before, the marks around these are taken
 * from there.
 */
export class MemberMarks {
  #last: MarkedDocument | null = null

  of(document: DocumentInParts): FindMark {
    let marked: MarkedDocument | null = null
    return (offset) => (marked ??= this.#mark(document)).before(offset)
  }

  #mark(document: DocumentInParts): MarkedDocument {
    this.#last = new MarkedDocument(document, this.#last)
    return this.#last
  }
}

/** A mark at the start and one at the end of each member, without an object for each of them. */
class MarkedDocument {
  readonly #skeleton: Skeleton
  readonly #members: readonly ReadMember[]
  readonly #offsets: Uint32Array
  readonly #lines: Uint32Array
  readonly #starts: Uint32Array

  constructor({ source, skeleton, members }: DocumentInParts, before: MarkedDocument | null) {
    this.#skeleton = skeleton
    this.#members = members
    const length = 2 * members.length
    this.#offsets = new Uint32Array(length)
    this.#lines = new Uint32Array(length)
    this.#starts = new Uint32Array(length)
    // With one skeleton, the texts between the members are equal as well.
    const known = before !== null && before.#skeleton === skeleton ? before : null
    const { start, end } = known
      ? replacedPart(known.#members, members, isSameMember)
      : { start: 0, end: members.length }
    if (known) this.#take(known, { from: 0, to: 2 * start })
    const marked = this.#count(source, { start, end })
    if (known) this.#take(known, { from: marked, to: length })
  }

  /** The last mark that is not behind an offset. */
  before(offset: number): LineMark {
    const offsets = this.#offsets
    return this.#at(bisect({ high: offsets.length }, (at) => (offsets[at] ?? 0) <= offset) - 1)
  }

  /**
   * Marks members up to an end, and those behind it that begin in the line of the last of them. Returns the number of
   * marks so far.
   */
  #count(
    source: TextSource,
    { start: from, end: to }: { readonly start: number; readonly end: number },
  ) {
    let { offset, line, start } = this.#at(2 * from - 1)
    for (let n = from; n < this.#members.length; n += 1) {
      const member = this.#members[n]
      if (member === undefined) break
      const between = lineFeedsIn(source.slice(offset, member.start))
      if (between.last >= 0) start = offset + between.last + 1
      line += between.count
      this.#set(2 * n, { offset: member.start, line, start })
      if (n >= to && between.last >= 0) return 2 * n + 1
      const { count, last } = member.element.lineFeeds
      if (last >= 0) start = member.start + last + 1
      line += count
      offset = member.end
      this.#set(2 * n + 1, { offset, line, start })
    }
    return 2 * this.#members.length
  }

  /** Takes marks from another document, as far from the last one so far as they are there. */
  #take(known: MarkedDocument, { from, to }: { readonly from: number; readonly to: number }): void {
    const [here, there] = [this.#at(from - 1), known.#at(from - 1)]
    const [moved, lines] = [here.offset - there.offset, here.line - there.line]
    this.#offsets.set(known.#offsets.subarray(from, to), from)
    this.#lines.set(known.#lines.subarray(from, to), from)
    this.#starts.set(known.#starts.subarray(from, to), from)
    if (moved === 0 && lines === 0) return
    for (let n = from; n < to; n += 1) {
      this.#offsets[n] = (this.#offsets[n] ?? 0) + moved
      this.#lines[n] = (this.#lines[n] ?? 0) + lines
      this.#starts[n] = (this.#starts[n] ?? 0) + moved
    }
  }

  #at(n: number): LineMark {
    const [offset, line, start] = [this.#offsets[n], this.#lines[n], this.#starts[n]]
    if (offset === undefined || line === undefined || start === undefined) return FIRST
    return { offset, line, start }
  }

  #set(n: number, { offset, line, start }: LineMark): void {
    this.#offsets[n] = offset
    this.#lines[n] = line
    this.#starts[n] = start
  }
}

function isSameMember(one: ReadMember, other: ReadMember): boolean {
  return one.element === other.element
}
