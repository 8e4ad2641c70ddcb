import type { EntityRenames } from '../document/compare/compare-entities.ts'
import type { History } from '../history/history.ts'
import type { ChangeTable, RenameRow } from './tables/change-table.ts'
import { groupBy } from '../lib/grouping.ts'

interface RenamesDeps {
  readonly history: Pick<History, 'archived' | 'at' | 'basesOf' | 'isClosed' | 'numberOf'>
  readonly changes: Pick<ChangeTable, 'renames'>
}

/**
 * The names of entities in one revision and in another, where revisions on the way have renamed them:
 * back to what both came upon, and from there on. A branch that was merged is on the way although
 * its revisions may be older than both.
 */
export function renamesOnTheWay(
  { history, changes }: RenamesDeps,
  { from, to }: { readonly from: number; readonly to: number },
): EntityRenames {
  const [before, after] = [ownHistoryOf(history, from), ownHistoryOf(history, to)]
  const above = Math.min(before.wholeTo, after.wholeTo)
  const rows = changes.renames({ above, below: Math.max(from, to) + 1 })
  const back = rows.filter(({ number }) => before.has(number) && !after.has(number))
  const onwards = rows.filter(({ number }) => after.has(number) && !before.has(number))
  return joinRenames([...back.toReversed().map(reversed), ...onwards])
}

/** The revisions that one has come upon, and itself. */
interface OwnHistory {
  /** All revisions up to this number are among them. */
  readonly wholeTo: number
  has(number: number): boolean
}

/** Follows all parents down to where the list is exactly the history of a revision, or begins. */
function ownHistoryOf(history: RenamesDeps['history'], number: number): OwnHistory {
  const found = new Set([number])
  let wholeTo = number
  for (; wholeTo > history.archived; wholeTo -= 1) {
    const revision = found.has(wholeTo) ? history.at(wholeTo) : null
    if (revision === null) continue
    if (history.isClosed(revision)) break
    for (const commit of history.basesOf(revision)) {
      const base = history.numberOf({ commit })
      if (base !== null) found.add(base)
    }
  }
  return { wholeTo, has: (other) => other <= wholeTo || found.has(other) }
}

function reversed({ number, name, former }: RenameRow): RenameRow {
  return { number, name: former, former: name }
}

/** The first and the last names of entities that revisions renamed one after the other. */
function joinRenames(rows: readonly RenameRow[]): EntityRenames {
  let firstNames: ReadonlyMap<string, string> = new Map()
  for (const step of groupBy(rows, ({ number }) => number).values()) {
    const former = new Set(step.map((row) => row.former))
    const others = [...firstNames].filter(([name]) => !former.has(name))
    const renamed = step.map((row) => [row.name, firstNames.get(row.former) ?? row.former] as const)
    firstNames = new Map([...others, ...renamed])
  }
  return Array.from(firstNames, ([name, first]) => [first, name])
}
