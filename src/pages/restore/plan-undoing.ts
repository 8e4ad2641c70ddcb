import { numbered, type NumberedRevision } from '../revisions/numbered-revision.ts'
import type { ChangedAgain } from '../work/undo-work.ts'
import type { Obstacle, RestoreDeps, RestoreGround, RestoreResult } from './restore-scope.ts'

/** The current document without the changes of one revision. */
export async function planUndoing(
  deps: RestoreDeps,
  { revision, current, before: theirs }: RestoreGround,
): Promise<RestoreResult> {
  const { history, entities } = deps
  const name = `r${revision.number}`
  const previous = history.previousOf(revision)
  if (previous === null)
    return blocked(`${name} is the first revision, so there is nothing to go back to`)
  const ours = await history.readDocument(previous)
  const base = await history.readDocument(revision)
  if (revision.digest === current.digest) return ours
  const stored = entities.findStored(revision)
  const undoing = await deps.work.undoChange({ ours, base, theirs, stored })
  switch (undoing.kind) {
    case 'undone':
      return undoing.document
    case 'too-much':
      return blocked(`Too much has changed since ${name} to undo it alone`)
    case 'changed-again':
      return later(deps, { revision, current, again: undoing })
    case 'inseparable':
      return besides(revision, current)
  }
}

interface Later {
  readonly revision: NumberedRevision
  readonly current: NumberedRevision
  readonly again: ChangedAgain
}

/** The revision that changed the same entities later. */
function later(
  { history, entities }: RestoreDeps,
  { revision, current, again: { entities: touched, first, others } }: Later,
): Obstacle {
  const found = entities.newestOf(touched)
  const newest = found && numbered(history, found)
  const by = newest !== null && newest.number > revision.number ? newest : current
  const and = others > 0 ? ` and ${others} more` : ''
  const were = others > 0 ? 'were' : 'was'
  const reason = `${first}${and} ${were} changed again by ${by.who} in r${by.number}, so r${revision.number} can no longer be undone alone`
  return { reason, revision: by }
}

function besides(revision: NumberedRevision, current: NumberedRevision): Obstacle {
  const reason = `Lines next to those of r${revision.number} have changed since, up to r${current.number}, so it cannot be undone alone`
  return { reason, revision: current }
}

function blocked(reason: string): Obstacle {
  return { reason, revision: null }
}
