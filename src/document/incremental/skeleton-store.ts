import { type MemberPlace, placeholderIn } from './find-members.ts'
import { type Skeleton, readFrame } from './skeleton.ts'

/** Frames of the documents that were read last. */
const KEPT = 4

/** Frames by their exact text: most changes of a document leave its frame as it is. */
export class SkeletonStore {
  readonly #known = new Map<string, Skeleton>();

  /** Null where the document without its members is not sound, or they are not its members. */
  *read(text: string, places: readonly MemberPlace[]): Generator<void, Skeleton | null> {
    const framed = frameText(text, places)
    const frame = this.#known.get(framed) ?? (yield* readFrame(framed))
    if (!frame || !isFrameOf(frame, places)) return null
    this.#known.delete(framed)
    this.#known.set(framed, frame)
    const [oldest] = this.#known.keys()
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest)
    return frame
  }
}

function frameText(text: string, places: readonly MemberPlace[]): string {
  const pieces: string[] = []
  let from = 0
  for (const { list, start, end } of places) {
    pieces.push(text.slice(from, start), placeholderIn(list))
    from = end
  }
  return pieces.join('') + text.slice(from)
}

/**
 * Whether each member has its slot and each slot its member. Then the document is well-formed when
 * its frame and its members are: an element stands where the frame has one.
 */
function isFrameOf({ slots }: Skeleton, places: readonly MemberPlace[]): boolean {
  let left = 0
  const isEachInPlace = places.every(({ list, start, end }, n) => {
    const slot = slots[n]
    const isInPlace = slot?.list === list && slot.start === start - left
    left += end - start - placeholderIn(list).length
    return isInPlace && slot.element.span.end === end - left
  })
  return isEachInPlace && slots.length === places.length
}
