import { foldEntity } from '../../document/entities/entities.ts'
import { numbered } from '../revisions/numbered-revision.ts'
import type { ContestedPart } from '../work/undo-work.ts'
import {
  blocked,
  type Obstacle,
  type RestoreDeps,
  type RestoreGround,
  type RestoreResult,
} from './restore-scope.ts'

/** The current document without the changes of one revision, or without those that nobody has changed since. */
export async function planUndoing(
  deps: RestoreDeps,
  ground: RestoreGround,
  { isRest }: { readonly isRest: boolean },
): Promise<RestoreResult> {
  const { history } = deps
  const { revision, current, before: theirs } = ground
  const name = `r${revision.number}`
  const previous = history.previousOf(revision)
  if (previous === null)
    return blocked(`${name} is the first revision, so there is nothing to go back to`)
  const ours = await history.readDocument(previous)
  const base = await history.readDocument(revision)
  if (revision.digest === current.digest) return ours
  const undoing = await deps.work.undoChange({ ours, base, theirs })
  if (undoing.kind === 'unreadable')
    return blocked(`${name} cannot be undone, as a document of it is not readable XML`)
  const { contested, document } = undoing
  if (isRest || contested.length === 0) return document
  const hasRest = Buffer.compare(document, theirs) !== 0
  return { ...changedAgain(deps, ground, contested), contested, hasRest }
}

/** The revision that changed the same things later. */
function changedAgain(
  { history, entities }: RestoreDeps,
  { revision, current }: RestoreGround,
  contested: readonly ContestedPart[],
): Pick<Obstacle, 'reason' | 'revision'> {
  const touched = [...new Set(contested.map(({ entity }) => entity))]
  const found = entities.newestOf(touched.flatMap((entity) => entity ?? []).map(foldEntity))
  const newest = found && numbered(history, found)
  const by = newest !== null && newest.number > revision.number ? newest : current
  const and = touched.length > 1 ? ` and ${touched.length - 1} more` : ''
  const were = touched.length > 1 ? 'were' : 'was'
  const reason = `${nameOf(touched[0] ?? null)}${and} ${were} changed again by ${by.who} in r${by.number}, so r${revision.number} can no longer be undone alone`
  return { reason, revision: by }
}

/** `The pipeline shop` */
function nameOf(entity: string | null): string {
  return `The ${entity?.replace('/', ' ') ?? 'configuration'}`
}
