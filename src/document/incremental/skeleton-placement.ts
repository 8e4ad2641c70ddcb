import { bisect } from '../../lib/bisect.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { MemberPlace } from './find-members.ts'
import type { Skeleton } from './skeleton.ts'
import type { MemberElement } from './member-element.ts'
import { OffsetPlacement, RelocatedElement, type Placement } from './relocated-element.ts'

/** Places a skeleton in its document, with the members in the place of their placeholders. */
export class SkeletonPlacement implements Placement {
  readonly #starts: readonly number[]
  /** How far the text behind the first n members moves. */
  readonly #distances: readonly number[]
  readonly #members: ReadonlyMap<XmlElement, { element: MemberElement; start: number }>

  constructor(
    { placeholders }: Skeleton,
    members: readonly { readonly place: MemberPlace; readonly element: MemberElement }[],
  ) {
    this.#starts = placeholders.map(({ start }) => start)
    this.#distances = [0, ...members.map((member, n) => distanceAfter(member, placeholders[n]))]
    this.#members = new Map(
      members.flatMap(({ element, place }, n) => {
        const placeholder = placeholders[n]
        return placeholder ? [[placeholder.element, { element, start: place.start }]] : []
      }),
    )
  }

  offsetOf(offset: number): number {
    return offset + (this.#distances[countBelow(this.#starts, offset)] ?? 0)
  }

  place(element: XmlElement, parent: XmlElement): XmlElement {
    const member = this.#members.get(element)
    if (!member) return new RelocatedElement(element, parent, this)
    return new RelocatedElement(member.element, parent, new OffsetPlacement(member.start))
  }
}

function distanceAfter(
  { place }: { readonly place: MemberPlace },
  placeholder: Skeleton['placeholders'][number] | undefined,
): number {
  return place.end - (placeholder?.element.span.end ?? 0)
}

/** How many of the ascending numbers are below a number. */
function countBelow(numbers: readonly number[], number: number): number {
  return bisect({ high: numbers.length }, (place) => (numbers[place] ?? 0) < number)
}
