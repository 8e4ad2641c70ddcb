import { LRUCache } from 'lru-cache'
import { type MemberPlace, placeholderIn } from './find-members.ts'
import type { ElementNumbers } from './element-numbers.ts'
import type { TextSource } from '../text/text-source.ts'
import { type Skeleton, readSkeleton } from './skeleton.ts'

/** Skeletons of the documents that were read last. */
const CACHED = 4

/** Skeletons by their exact text: most changes of a document leave its skeleton as it is. */
export class SkeletonStore {
  readonly #cache = new LRUCache<string, Skeleton>({ max: CACHED });

  /** Null where the document without its members is not valid, or the members are not in their places. */
  *read(
    source: TextSource,
    places: readonly MemberPlace[],
    numbers: ElementNumbers,
  ): Generator<void, Skeleton | null> {
    const outside = textWithout(source, places)
    const skeleton = this.#cache.get(outside) ?? (yield* readSkeleton(outside, numbers))
    if (!skeleton || !fits(skeleton, places)) return null
    this.#cache.set(outside, skeleton)
    return skeleton
  }
}

function textWithout(source: TextSource, places: readonly MemberPlace[]): string {
  const pieces: string[] = []
  let from = 0
  for (const { list, start, end } of places) {
    pieces.push(source.slice(from, start), placeholderIn(list))
    from = end
  }
  return pieces.join('') + source.slice(from)
}

/**
 * Whether each member has its placeholder and each placeholder its member. Then the document is well-formed when
 * its skeleton and its members are: an element is where the skeleton has one.
 */
function fits({ placeholders }: Skeleton, places: readonly MemberPlace[]): boolean {
  let left = 0
  const isEachInPlace = places.every(({ list, start, end }, n) => {
    const placeholder = placeholders[n]
    const isInPlace = placeholder?.list === list && placeholder.start === start - left
    left += end - start - placeholderIn(list).length
    return isInPlace && placeholder.element.span.end === end - left
  })
  return isEachInPlace && placeholders.length === places.length
}
