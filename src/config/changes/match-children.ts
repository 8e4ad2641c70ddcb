import type { XmlElement } from '../xml-tree.ts'
import { identityOf, nameAttributeOf } from './change.ts'
import { isAlike, portraitOf } from './likeness.ts'

/** Beyond this, what is gone and what is new are not compared one by one. */
const MOST_COMPARED = 2500

export interface Pair {
  readonly before: XmlElement
  readonly after: XmlElement
}

export interface Matching {
  readonly pairs: readonly Pair[]
  readonly removed: readonly XmlElement[]
  readonly added: readonly XmlElement[]
  /** Whether those that are in both stand in another order. */
  readonly reordered: boolean
}

/**
 * Says which elements of two lists are the same thing: first those that are
 * equal, then those of the same identity, then those of one kind whose name is
 * all that is new, and last, where there are no names, those in the same place
 * between others.
 */
export function matchChildren(
  before: readonly XmlElement[],
  after: readonly XmlElement[],
  sourceOf: (element: XmlElement) => string,
): Matching {
  const matcher = new Matcher(before, after)
  matcher.matchBy((element) => `${element.name} ${identityOf(element)} ${sourceOf(element)}`)
  matcher.matchBy((element) => (identityOf(element) === '' ? null : keyOf(element)))
  matcher.matchRenamed()
  const reordered = matcher.isReordered()
  const gaps = matcher.gaps()
  matcher.matchBy((element) =>
    nameAttributeOf(element) === null ? `${element.name} ${gaps.get(element)}` : null,
  )
  return matcher.matching({ reordered })
}

function keyOf(element: XmlElement): string {
  return `${element.name} ${identityOf(element)}`
}

function isNamed(element: XmlElement): boolean {
  return nameAttributeOf(element) !== null
}

class Matcher {
  readonly #before: readonly XmlElement[]
  readonly #after: readonly XmlElement[]
  readonly #partners = new Map<XmlElement, XmlElement>()
  readonly #taken = new Set<XmlElement>()

  constructor(before: readonly XmlElement[], after: readonly XmlElement[]) {
    this.#before = before
    this.#after = after
  }

  /** Pairs those that are left and have the same key, in order. */
  matchBy(key: (element: XmlElement) => string | null): void {
    const waiting = new Map<string, XmlElement[]>()
    for (const element of this.#removed().toReversed()) {
      const own = key(element)
      if (own === null) continue
      const queue = waiting.get(own)
      if (queue) queue.push(element)
      else waiting.set(own, [element])
    }
    for (const element of this.#added()) {
      const partner = waiting.get(key(element) ?? '')?.pop()
      if (partner) this.#pair(partner, element)
    }
  }

  matchRenamed(): void {
    const removed = this.#removed().filter(isNamed).map(portraitOf)
    const added = this.#added().filter(isNamed).map(portraitOf)
    if (removed.length * added.length > MOST_COMPARED) return
    for (const portrait of added) {
      const partner = removed.find(
        (candidate) => !this.#taken.has(candidate.element) && isAlike(candidate, portrait),
      )
      if (partner) this.#pair(partner.element, portrait.element)
    }
  }

  isReordered(): boolean {
    const places = new Map(this.#before.map((element, n) => [element, n]))
    const order = this.#pairs().map(({ before }) => places.get(before) ?? 0)
    return order.some((place, n) => place < (order[n - 1] ?? 0))
  }

  /** Numbers the gaps between the pairs, so that elements of the same gap can be told. */
  gaps(): ReadonlyMap<XmlElement, number> {
    const numbers = new Map(this.#pairs().map(({ before }, n) => [before, n]))
    const gaps = new Map<XmlElement, number>()
    for (const [list, pairOf] of [
      [this.#before, (element: XmlElement) => element],
      [this.#after, (element: XmlElement) => this.#partners.get(element)],
    ] as const) {
      let gap = -1
      for (const element of list) {
        const partner = pairOf(element)
        gap = (partner && numbers.get(partner)) ?? gap
        gaps.set(element, gap)
      }
    }
    return gaps
  }

  matching({ reordered }: Pick<Matching, 'reordered'>): Matching {
    return { pairs: this.#pairs(), removed: this.#removed(), added: this.#added(), reordered }
  }

  #pairs(): Pair[] {
    return this.#after.flatMap((after) => {
      const before = this.#partners.get(after)
      return before ? [{ before, after }] : []
    })
  }

  #pair(before: XmlElement, after: XmlElement): void {
    this.#partners.set(after, before)
    this.#taken.add(before)
  }

  #removed(): XmlElement[] {
    return this.#before.filter((element) => !this.#taken.has(element))
  }

  #added(): XmlElement[] {
    return this.#after.filter((element) => !this.#partners.has(element))
  }
}
