/** At least one of something, in order. */
export type Run<Item> = readonly [Item, ...Item[]]

export function lastOf<Item>([first, ...others]: Run<Item>): Item {
  return others.at(-1) ?? first
}

/** The items as a run; null when there is none. */
export function runOf<Item>([first, ...others]: readonly Item[]): Run<Item> | null {
  return first === undefined ? null : [first, ...others]
}

export function mapRun<Item, Result>(
  [first, ...others]: Run<Item>,
  map: (item: Item) => Result,
): Run<Result> {
  return [map(first), ...others.map(map)]
}
