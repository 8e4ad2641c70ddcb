/** The items of a list that took the place of those of another. */
export interface ReplacedPart<Item> {
  readonly removed: readonly Item[]
  readonly added: readonly Item[]
}

/** The parts in which two lists differ: what both have at their start and at their end is left out. */
export function replacedPart<Item>(
  before: readonly Item[],
  after: readonly Item[],
): ReplacedPart<Item> {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let behind = 0
  while (behind < shorter - start && before.at(-1 - behind) === after.at(-1 - behind)) behind += 1
  return {
    removed: before.slice(start, before.length - behind),
    added: after.slice(start, after.length - behind),
  }
}
