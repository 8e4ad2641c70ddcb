/** Where a list differs from another: what both have at their start and at their end is left out. */
export interface ReplacedPart<Item> {
  /** The part of the second list, as offsets in it. */
  readonly start: number
  readonly end: number
  readonly removed: readonly Item[]
  readonly added: readonly Item[]
}

/** The part of a list that took the place of one of another. */
export function replacedPart<Item>(
  before: readonly Item[],
  after: readonly Item[],
  isSame: (one: Item, other: Item) => boolean = Object.is,
): ReplacedPart<Item> {
  const shorter = Math.min(before.length, after.length)
  const isSameAt = (n: number, m: number) => {
    const [one, other] = [before[n], after[m]]
    return one !== undefined && other !== undefined && (one === other || isSame(one, other))
  }
  let start = 0
  while (start < shorter && isSameAt(start, start)) start += 1
  let behind = 0
  while (
    behind < shorter - start &&
    isSameAt(before.length - behind - 1, after.length - behind - 1)
  ) {
    behind += 1
  }
  const end = after.length - behind
  return {
    start,
    end,
    removed: before.slice(start, before.length - behind),
    added: after.slice(start, end),
  }
}
