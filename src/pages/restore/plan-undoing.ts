import type { DocumentChange } from '../../document/entities/change.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import { entitiesOf } from '../../document/changes/entities-of.ts'
import { findNumber, numbered, type NumberedRevision } from '../revisions/numbered-revision.ts'
import { PLAIN } from '../code/plain-options.ts'
import type { Obstacle, RestoreDeps, RestoreGround, RestoreResult } from './restore-scope.ts'

/**
 * The current document without the changes of one revision. A three-way merge by entities: each
 * entity that it changed must still be as it left it.
 */
export async function planUndoing(
  deps: RestoreDeps,
  { revision, current, before: theirs }: RestoreGround,
): Promise<RestoreResult> {
  const { history, entities, compare } = deps
  const name = `r${revision.number}`
  const previous = findNumber(history, revision.number - 1)
  if (previous === null)
    return blocked(`${name} is the first revision, so there is nothing to go back to`)
  const ours = await history.readDocument(previous)
  const base = await history.readDocument(revision)
  if (revision.digest === current.digest) return ours
  const done = entities.find(revision) ?? (await compare([ours, base], PLAIN)).changes
  const since = (await compare([base, theirs], PLAIN)).changes
  if (done === null || since === null) {
    return blocked(`Too much has changed since ${name} to undo it alone`)
  }
  const touched = touchedBy(done, since)
  if (touched.length > 0) return later(deps, { revision, current, touched, since })
  const undoing = await deps.work.undoChange({ ours, base, theirs, done })
  return undoing.kind === 'undone' ? undoing.document : besides(revision, current)
}

/** The entities that both sets of changes are about. */
function touchedBy(done: readonly DocumentChange[], since: readonly DocumentChange[]): string[] {
  const changed = new Set(entitiesOf(done).map(foldEntity))
  return entitiesOf(since)
    .map(foldEntity)
    .filter((entity) => changed.has(entity))
}

interface Later {
  readonly revision: NumberedRevision
  readonly current: NumberedRevision
  readonly touched: readonly string[]
  readonly since: readonly DocumentChange[]
}

/** The revision that changed the same entities later. */
function later(
  { history, entities }: RestoreDeps,
  { revision, current, touched, since }: Later,
): Obstacle {
  const newer = history.list({ offset: 0, limit: current.number - revision.number })
  const isTouching = (changes: readonly DocumentChange[] | null) =>
    entitiesOf(changes ?? []).some((entity) => touched.includes(foldEntity(entity)))
  const found = newer.find((each) => isTouching(entities.find(each)))
  const by = found ? numbered(history, found) : current
  const what = since.filter((change) => isTouching([change])).map(nameOf)
  const [first = 'The same'] = what
  const others = new Set(what).size - 1
  const and = others > 0 ? ` and ${others} more` : ''
  const were = others > 0 ? 'were' : 'was'
  const reason = `${first}${and} ${were} changed again by ${by.who} in r${by.number}, so r${revision.number} can no longer be undone alone`
  return { reason, revision: by }
}

function nameOf({ entity, label }: DocumentChange): string {
  const [kind = ''] = entity.split('/', 1)
  const word = kind === 'document' ? 'The' : `The ${kind}`
  return kind === label ? word : `${word} ${label}`
}

function besides(revision: NumberedRevision, current: NumberedRevision): Obstacle {
  const reason = `Lines next to those of r${revision.number} have changed since, up to r${current.number}, so it cannot be undone alone`
  return { reason, revision: current }
}

function blocked(reason: string): Obstacle {
  return { reason, revision: null }
}
