import { bisect } from '../../lib/bisect.ts'
import { commonEnds, ownSlice, type TextSource } from '../text/text-source.ts'
import { findMembers, type MemberPlace } from './find-members.ts'
import type { MemberElement } from './member-element.ts'

/** A member that was read, and its place in the document. */
export interface ReadMember extends MemberPlace {
  readonly element: MemberElement
}

/** A member that was found in a text: it has yet to be read, or is as the text before has it. */
export type FoundMember = MemberPlace | ReadMember

/** The exact text of a member that was found. */
export function memberText(found: FoundMember, source: TextSource): string {
  return isRead(found) ? found.element.text : ownSlice(source, found.start, found.end)
}

/** A member with its element; the same object where that is known of it. */
export function readMember(found: FoundMember, element: MemberElement): ReadMember {
  if (isRead(found) && found.element === element) return found
  const { list, start, end } = found
  return { list, start, end, element }
}

/**
 * Finds the members of documents. Most documents are the one before with a small change: only what lies
 * between the members that both have at their start and at their end is gone through.
 */
export class MemberFinder {
  #last: ReadText | null = null;

  /**
   * Finds the members in steps. The caller has to verify them: the result for malformed text is
   * undefined, or null.
   */
  *find(source: TextSource): Generator<void, FoundMember[] | null> {
    const shared = this.#last && new SharedMembers(this.#last, source)
    const near = shared === null ? null : yield* membersUpTo(source, shared.near, shared)
    return near ?? (yield* membersUpTo(source, source.length, shared))
  }

  /** Keeps the members of a valid document, in their order, until the next one. */
  remember(source: TextSource, members: readonly ReadMember[]): void {
    this.#last = { source, members }
  }
}

/** The members of a text, of which no more is looked at than up to an offset; null where they are not found in that. */
function* membersUpTo(
  source: TextSource,
  limit: number,
  shared: SharedMembers | null,
): Generator<void, FoundMember[] | null> {
  const found = shared?.inFront() ?? []
  const last = found.at(-1)
  const from = last?.end ?? 0
  const finding = findMembers(source.slice(from, limit), last?.list ?? null)
  let step = finding.next()
  for (; !step.done; step = finding.next()) {
    const { list, start, end } = step.value
    const place = { list, start: from + start, end: from + end }
    found.push(place)
    const rest = shared?.behind(place)
    if (rest) return found.concat(rest)
    yield
  }
  return step.value && limit === source.length ? found : null
}

function isRead(found: FoundMember): found is ReadMember {
  return 'element' in found
}

interface ReadText {
  readonly source: TextSource
  readonly members: readonly ReadMember[]
}

/** The members of a text that another has as well, in front of their difference and behind it. */
class SharedMembers {
  readonly #members: readonly ReadMember[]
  /** Where the difference begins and ends in the first text. */
  readonly #difference: { readonly start: number; readonly end: number }
  /** How far the other text has moved what is behind the difference. */
  readonly #distance: number
  /** Up to where the other text has to be looked at, as a rule: the end of the member that their difference ends in. */
  readonly near: number

  constructor({ source, members }: ReadText, other: TextSource) {
    const { start, end } = commonEnds(source, other)
    this.#members = members
    this.#difference = { start, end: source.length - end }
    this.#distance = other.length - source.length
    const next = members[this.#countUpTo(this.#difference.end - 1)]
    this.near = next ? next.end + this.#distance : other.length
  }

  inFront(): FoundMember[] {
    const count = this.#countUpTo(this.#difference.start)
    return this.#members.slice(0, count).map((member) => foundIn(member, 0))
  }

  /**
   * The members behind a member of the other text. Null where only a look at the tags can tell: the
   * texts differ behind that member, or the first text has none that ends there.
   */
  behind(member: MemberPlace): FoundMember[] | null {
    const end = member.end - this.#distance
    if (end < this.#difference.end) return null
    const count = this.#countUpTo(end)
    const known = this.#members[count - 1]
    if (known?.end !== end || known.list !== member.list) return null
    return this.#members.slice(count).map((each) => foundIn(each, this.#distance))
  }

  /** How many members end at an offset or before it. */
  #countUpTo(offset: number): number {
    const members = this.#members
    return bisect({ high: members.length }, (n) => (members[n]?.end ?? 0) <= offset)
  }
}

function foundIn(member: ReadMember, distance: number): FoundMember {
  if (distance === 0) return member
  const { list, start, end, element } = member
  const moved: ReadMember = { list, start: start + distance, end: end + distance, element }
  return moved
}
