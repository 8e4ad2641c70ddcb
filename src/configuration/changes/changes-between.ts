import type { DocumentChange } from '../../document/entities/change.ts'
import { changesAbout } from '../../document/changes/entities-of.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import type { Revision } from '../../core/revision.ts'
import { unfinished } from '../../index/index-progress.ts'
import { type ConfigChangesDeps, readChanges } from './config-changes.ts'

/** A change of the configuration, with the revision that made it. */
export interface DatedChange {
  readonly change: DocumentChange
  /** Null where the branch no longer has one of the compared revisions: then only the sum is known. */
  readonly made: MadeChange | null
}

interface MadeChange {
  readonly revision: Revision
  readonly number: number
  /** The number of the revision upon which it came; null for the first one. */
  readonly base: number | null
}

/** The changes of some entities between two revisions, newest first. */
export interface ChangesBetween {
  readonly changes: readonly DatedChange[]
  /** Whether the second revision came before the first one, so that the changes are taken back. */
  readonly isBackwards: boolean
  /** False while the index is incomplete, or where there are too many changes to list all. */
  readonly isComplete: boolean
}

/** The most revisions of one entity that are looked at. */
const MAX_REVISIONS = 50

/**
 * The changes of entities, named as the later revision has them, from one revision to another. The
 * cost depends on the revisions that changed them, not on the length of the history.
 */
export async function changesBetween(
  deps: ConfigChangesDeps,
  { from, to }: { readonly from: Revision; readonly to: Revision },
  names: readonly string[],
): Promise<ChangesBetween> {
  if (from.digest === to.digest) return { changes: [], isBackwards: false, isComplete: true }
  const [first, last] = [deps.history.numberOf(from), deps.history.numberOf(to)]
  if (first === null || last === null) return compareDocuments(deps, { from, to }, names)
  await deps.entities.settle()
  const bounds = { above: Math.min(first, last), below: Math.max(first, last) + 1 }
  const found = new Map<DocumentChange, MadeChange>()
  let isComplete = unfinished(deps.entities.progress()) === null
  for (const name of names) {
    const revisions = deps.entities.revisionsBetween(name, bounds, MAX_REVISIONS)
    if (revisions.length === MAX_REVISIONS) isComplete = false
    for (const { entity, revision } of revisions) {
      await deps.entities.readChanges(revision)
      const made = madeBy(deps, revision)
      for (const change of deps.entities.changesAbout(revision, entity)) found.set(change, made)
    }
  }
  const changes = Array.from(found, ([change, made]) => ({ change, made }))
  const newestFirst = changes.toSorted((one, other) => other.made.number - one.made.number)
  return { changes: newestFirst, isBackwards: first > last, isComplete }
}

async function compareDocuments(
  deps: ConfigChangesDeps,
  { from, to }: { readonly from: Revision; readonly to: Revision },
  names: readonly string[],
): Promise<ChangesBetween> {
  const { changes, isFinal } = await readChanges(deps, { before: from, after: to })
  const about = names.flatMap((name) => changesAbout(changes, foldEntity(name)))
  const dated = [...new Set(about)].map((change) => ({ change, made: null }))
  return { changes: dated, isBackwards: false, isComplete: isFinal }
}

function madeBy({ history }: Pick<ConfigChangesDeps, 'history'>, revision: Revision): MadeChange {
  const [base] = history.basesOf(revision)
  const number = history.numberOf(revision) ?? 0
  return { revision, number, base: base === undefined ? null : history.numberOf({ commit: base }) }
}
