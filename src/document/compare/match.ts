import { alignEqual } from './align.ts'
import { groupBy } from '../../lib/grouping.ts'

/** An item of a list, to be matched with one of another list. */
export interface Item {
  /** The key that both items of a pair share; null to match by content only. */
  readonly key: string | null
  readonly content: () => string
  /** Weaker keys for items of different content, tried in this order. */
  readonly hints: () => readonly string[]
}

export interface Matching<Thing> {
  readonly pairs: readonly (readonly [Thing, Thing])[]
  readonly removed: readonly Thing[]
  readonly added: readonly Thing[]
}

/** Matches the items of two lists: by key first, then by content. */
export function matchItems<Thing extends Item>(
  before: readonly Thing[],
  after: readonly Thing[],
): Matching<Thing> {
  const keyed = matchByKey(
    before.filter(({ key }) => key !== null),
    after.filter(({ key }) => key !== null),
    ({ key }) => key,
  )
  const others = matchByContent(
    before.filter(({ key }) => key === null),
    after.filter(({ key }) => key === null),
  )
  return join(keyed, others)
}

/** The n-th item of a key goes with the n-th of the same key; one without a key goes with none. */
export function matchByKey<Thing>(
  before: readonly Thing[],
  after: readonly Thing[],
  keyOf: (thing: Thing) => string | null,
): Matching<Thing> {
  const waiting: Map<string | null, Thing[]> = groupBy(after.toReversed(), keyOf)
  const pairs: [Thing, Thing][] = []
  const removed: Thing[] = []
  for (const thing of before) {
    const key = keyOf(thing)
    const found = key === null ? undefined : waiting.get(key)?.pop()
    if (found === undefined) removed.push(thing)
    else pairs.push([thing, found])
  }
  const taken = new Set(pairs.map(([, found]) => found))
  return { pairs, removed, added: after.filter((thing) => !taken.has(thing)) }
}

/** Pairs equal items in order where possible, then equal items elsewhere, then similar ones. */
function matchByContent<Thing extends Item>(
  before: readonly Thing[],
  after: readonly Thing[],
): Matching<Thing> {
  const contents = new Map([...before, ...after].map((thing) => [thing, thing.content()]))
  const contentOf = (thing: Thing) => contents.get(thing) ?? ''
  const aligned = alignEqual(before.map(contentOf), after.map(contentOf))
  const equal = refine(leftBy(before, after, aligned), contentOf)
  if (equal.removed.length === 0 || equal.added.length === 0) return equal
  const left = [...equal.removed, ...equal.added]
  const hints = new Map(left.map((thing) => [thing, thing.hints()]))
  const rounds = Math.max(...left.map((thing) => hints.get(thing)?.length ?? 0))
  return Array.from({ length: rounds }).reduce<Matching<Thing>>(
    (matching, _, round) => refine(matching, (thing) => hints.get(thing)?.[round] ?? null),
    equal,
  )
}

function leftBy<Thing>(
  before: readonly Thing[],
  after: readonly Thing[],
  indexes: readonly (readonly [number, number])[],
): Matching<Thing> {
  const [ats, tos] = [new Set<number>(), new Set<number>()]
  const pairs: [Thing, Thing][] = []
  for (const [at, to] of indexes) {
    const [one, other] = [before[at], after[to]]
    if (one === undefined || other === undefined) continue
    pairs.push([one, other])
    ats.add(at)
    tos.add(to)
  }
  const removed = before.filter((_, at) => !ats.has(at))
  return { pairs, removed, added: after.filter((_, to) => !tos.has(to)) }
}

/** Pairs unmatched items by one more key. */
export function refine<Thing>(
  { pairs, removed, added }: Matching<Thing>,
  keyOf: (thing: Thing) => string | null,
): Matching<Thing> {
  const more = matchByKey(removed, added, keyOf)
  return { ...more, pairs: [...pairs, ...more.pairs] }
}

function join<Thing>(one: Matching<Thing>, other: Matching<Thing>): Matching<Thing> {
  return {
    pairs: [...one.pairs, ...other.pairs],
    removed: [...one.removed, ...other.removed],
    added: [...one.added, ...other.added],
  }
}
