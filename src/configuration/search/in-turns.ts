import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { Turns } from '../../lib/cooperative.ts'
import type { LazyList } from '../../lib/lazy-list.ts'

/** The revisions that are read from the history at once. */
const AT_ONCE = 500
/** The number of items that are read first, because many callers need no more. */
const FIRST = 20

type ListedHistory = Pick<History, 'atPlace' | 'kept' | 'list'>

/** The revisions that a history has now, newest first, some at a time: others get their turns between. */
export async function* revisionsInTurns(
  history: Pick<History, 'kept' | 'list'>,
): AsyncGenerator<readonly Revision[], void> {
  const turns = new Turns()
  for (let left = history.kept(); left > 0; left -= AT_ONCE) {
    const offset = Math.max(0, history.kept() - left)
    yield history.list({ offset, limit: Math.min(AT_ONCE, left) })
    if (turns.isOver) await turns.next()
  }
}

/**
 * The revisions at some places, which are numbers of older revisions, some at a time: only those that a
 * caller goes on to are looked for.
 */
export async function* placesInTurns(
  history: ListedHistory,
  places: Iterator<number, void>,
): AsyncGenerator<readonly Revision[], void> {
  const turns = new Turns()
  for (let limit = FIRST; ; limit = Math.min(limit * 2, AT_ONCE)) {
    const some: number[] = []
    for (let next = places.next(); !next.done; next = places.next())
      if (some.push(next.value) === limit) break
    if (some.length === 0) return
    yield revisionsAt(history, some)
    if (turns.isOver) await turns.next()
  }
}

/** The revisions at some places, descending. Neighbours are read together. */
export function revisionsAt(history: ListedHistory, places: readonly number[]): Revision[] {
  const [newest = 0, oldest = 0] = [places[0], places.at(-1)]
  const last = history.kept() - 1
  if (newest - oldest === places.length - 1)
    return [...history.list({ offset: last - newest, limit: places.length })]
  return places.flatMap((place) => history.atPlace(place) ?? [])
}

/** The results of some items, in the same way. */
export async function* inTurns<Item, Result>(
  items: LazyList<Item>,
  take: (item: Item) => readonly Result[],
): AsyncGenerator<readonly Result[], void> {
  const turns = new Turns()
  for (let [n, count] = [0, FIRST]; n < items.length; n += count, count = AT_ONCE) {
    yield items.slice(n, n + count).flatMap(take)
    if (turns.isOver) await turns.next()
  }
}
