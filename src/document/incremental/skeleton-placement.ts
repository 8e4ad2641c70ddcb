import type { XmlElement } from '../xml/xml-tree.ts'
import type { MemberPlace } from './find-members.ts'
import type { Skeleton } from './skeleton.ts'
import type { MemberElement } from './member-element.ts'
import { OffsetPlacement, RelocatedElement, type Placement } from './relocated-element.ts'

/** A frame as it stands in a document, with the members in the place of what stands for them. */
export class SkeletonPlacement implements Placement {
  readonly #starts: readonly number[]
  /** How far the text that follows so many members is moved. */
  readonly #distances: readonly number[]
  readonly #members: ReadonlyMap<XmlElement, { element: MemberElement; start: number }>

  constructor(
    { slots }: Skeleton,
    members: readonly { readonly place: MemberPlace; readonly element: MemberElement }[],
  ) {
    this.#starts = slots.map(({ start }) => start)
    this.#distances = [0, ...members.map((member, n) => distanceAfter(member, slots[n]))]
    this.#members = new Map(
      members.flatMap(({ element, place }, n) => {
        const slot = slots[n]
        return slot ? [[slot.element, { element, start: place.start }]] : []
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
  slot: Skeleton['slots'][number] | undefined,
): number {
  return place.end - (slot?.element.span.end ?? 0)
}

/** How many of the ascending numbers are below a number. */
function countBelow(numbers: readonly number[], number: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}
