/** The items of one key, in their order. */
type Group<Item> = [Item, ...Item[]]

/** Puts an item behind the others of its key. */
export function addToGroup<Key, Item>(
  groups: Map<Key, Item[]> | Map<Key, Group<Item>>,
  key: Key,
  item: Item,
): void {
  const group = groups.get(key)
  if (group) group.push(item)
  else groups.set(key, [item])
}

/** The items by their keys; keys and items are in the order of the items. */
export function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Group<Item>> {
  const groups = new Map<Key, Group<Item>>()
  for (const item of items) addToGroup(groups, keyOf(item), item)
  return groups
}

/** How often each of the values is there, in the order of their first occurrence. */
export function countEach<Value>(values: Iterable<Value>): Map<Value, number> {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
