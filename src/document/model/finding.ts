import { nameKey } from '../../core/name-key.ts'
import type { At } from './model.ts'

/** A fault that a rule finds in a configuration. */
export interface Finding {
  /** The element it is about. */
  readonly at: At
  readonly message: string
}

/** Pairs every item whose key another has used before it with the first that used it. */
export function* repeats<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string | null,
): Generator<{ readonly item: Item; readonly first: Item }> {
  const seen = new Map<string, Item>()
  for (const item of items) {
    const key = keyOf(item)
    if (key === null) continue
    const first = seen.get(key)
    if (first === undefined) seen.set(key, item)
    else yield { item, first }
  }
}

/** Repeats in another case. The structure of the document forbids repeats in the same case. */
export function* repeatsInOtherCase<Item extends { readonly name: string }>(
  items: Iterable<Item>,
): Generator<{ readonly item: Item; readonly first: Item }> {
  for (const repeat of repeats(items, ({ name }) => nameKey(name))) {
    if (repeat.item.name !== repeat.first.name) yield repeat
  }
}
