/** How many items two lists share at their start, and how many of the others at their end. */
export function commonItems<Item>(one: ArrayLike<Item>, other: ArrayLike<Item>) {
  const shorter = Math.min(one.length, other.length)
  let prefix = 0
  while (prefix < shorter && one[prefix] === other[prefix]) prefix += 1
  let suffix = 0
  while (suffix < shorter - prefix && fromEnd(one, suffix) === fromEnd(other, suffix)) suffix += 1
  return { prefix, suffix }
}

/** The parts in which two lists differ: what both have at their start and at their end is left out. */
export function replacedPart<Item>(before: readonly Item[], after: readonly Item[]) {
  const { prefix, suffix } = commonItems(before, after)
  return {
    removed: before.slice(prefix, before.length - suffix),
    added: after.slice(prefix, after.length - suffix),
  }
}

function fromEnd<Item>(list: ArrayLike<Item>, place: number): Item | undefined {
  return list[list.length - 1 - place]
}
