import type { XmlElement } from '../xml/xml-tree.ts'
import { alignEqual } from './align.ts'
import { labelOf } from './labels.ts'
import type { ElementPart } from './parts.ts'
import { rangesOf, type Scope } from './scope.ts'
import { groupBy } from '../../lib/grouping.ts'

type PartPair = readonly [ElementPart, ElementPart]

/** Reports lists whose items are the same in another order. */
export function compareOrder(
  scope: Scope,
  pairs: readonly PartPair[],
  path: readonly string[],
): void {
  for (const [order, list] of groupBy(pairs, ([, part]) => part.order)) {
    const moved = movedOf(list, ({ element }) => element)
    if (moved.length > 0) reportOrder(scope, { order, moved, path })
  }
}

/** The fewest pairs that must move for the others to be in the same order. */
export function movedOf<Thing>(
  pairs: readonly (readonly [Thing, Thing])[],
  elementOf: (thing: Thing) => XmlElement,
): readonly (readonly [Thing, Thing])[] {
  const start = (thing: Thing) => elementOf(thing).span.start
  const newer = pairs.toSorted(([, one], [, other]) => start(one) - start(other))
  const older = newer.toSorted(([one], [other]) => start(one) - start(other))
  if (older.every((pair, at) => pair === newer[at])) return []
  const places = new Map(newer.map((pair, place) => [pair, String(place)]))
  const placesOf = (list: typeof newer) => list.map((pair) => places.get(pair) ?? '')
  const stayed = new Set(alignEqual(placesOf(older), placesOf(newer)).map(([, to]) => newer[to]))
  return newer.filter((pair) => !stayed.has(pair))
}

/** Names a single moved item; for several, reports only that their list is reordered. */
function reportOrder(
  scope: Scope,
  list: {
    readonly order: string
    readonly moved: readonly PartPair[]
    readonly path: readonly string[]
  },
): void {
  const [[before, after] = []] = list.moved
  if (!before || !after) return
  scope.report({
    kind: 'reordered',
    entity: scope.entity,
    label: scope.label,
    path: list.path,
    subject: list.moved.length === 1 ? labelOf(after.element) : nameOf(list.order),
    ...rangesOf(scope, { before: before.element.span, after: after.element.span }),
  })
}

/** The last list of the path, or the plural of items outside of a list. */
function nameOf(order: string): string {
  const list = order.split('/').at(-2)
  if (list === undefined) return `${order}s`
  return list === 'environmentvariables' ? 'variables' : list
}
