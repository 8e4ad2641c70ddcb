import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { Turns } from '../../lib/cooperative.ts'
import type { LazyList } from '../../lib/lazy-list.ts'

/** The revisions that are read from the history at once. */
const AT_ONCE = 500
/** The number of items that are read first, because many callers need no more. */
const FIRST = 20

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
