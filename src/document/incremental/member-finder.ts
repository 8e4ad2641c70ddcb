import { bisect } from '../../lib/bisect.ts'
import { commonSuffix, commonPrefix } from '../text/common-ends.ts'
import { findMembers, type MemberPlace } from './find-members.ts'
import type { MemberElement } from './member-element.ts'

/** A member that was found in a text, and has yet to be read. */
export interface FoundMember extends MemberPlace {
  readonly text: string
}

/** A member that was read, and its place in the document. */
export interface ReadMember extends FoundMember {
  readonly element: MemberElement
}

/** A member with its element; the same object where that is known of it. */
export function readMember(found: FoundMember, element: MemberElement): ReadMember {
  if (isRead(found) && found.element === element) return found
  const { list, start, end } = found
  return { list, start, end, text: element.text, element }
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
  *find(text: string): Generator<void, FoundMember[] | null> {
    const shared = this.#last && new SharedMembers(this.#last, text)
    const found = shared?.inFront() ?? []
    const finding = findMembers(text, found.at(-1) ?? null)
    let step = finding.next()
    for (; !step.done; step = finding.next()) {
      const { list, start, end } = step.value
      found.push({ list, start, end, text: text.slice(start, end) })
      const rest = shared?.behind(step.value)
      if (rest) return found.concat(rest)
      yield
    }
    return step.value ? found : null
  }

  /** Keeps the members of a valid document, in their order, until the next one. */
  remember(text: string, members: readonly ReadMember[]): void {
    this.#last = { text, members }
  }
}

function isRead(found: FoundMember): found is ReadMember {
  return 'element' in found
}

interface ReadText {
  readonly text: string
  readonly members: readonly ReadMember[]
}

/** The members of a text that another has as well, in front of their difference and behind it. */
class SharedMembers {
  readonly #members: readonly ReadMember[]
  /** Where the difference begins and ends in the first text. */
  readonly #difference: { readonly start: number; readonly end: number }
  /** How far the other text has moved what is behind the difference. */
  readonly #distance: number

  constructor({ text, members }: ReadText, other: string) {
    const start = commonPrefix(text, other)
    this.#members = members
    this.#difference = { start, end: text.length - commonSuffix(text, other, start) }
    this.#distance = other.length - text.length
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
  const { list, start, end, text, element } = member
  const moved: ReadMember = { list, start: start + distance, end: end + distance, text, element }
  return moved
}
