export type NonEmptyArray<Item> = readonly [Item, ...Item[]]

export function lastOf<Item>([first, ...others]: NonEmptyArray<Item>): Item {
  return others.at(-1) ?? first
}

/** The items as a non-empty array; null when there are none. */
export function nonEmpty<Item>([first, ...others]: readonly Item[]): NonEmptyArray<Item> | null {
  return first === undefined ? null : [first, ...others]
}

export function mapNonEmpty<Item, Result>(
  [first, ...others]: NonEmptyArray<Item>,
  map: (item: Item) => Result,
): NonEmptyArray<Result> {
  return [map(first), ...others.map(map)]
}
