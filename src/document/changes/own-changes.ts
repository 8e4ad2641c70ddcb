import type { DocumentChange } from '../entities/change.ts'
import { foldEntity, splitEntity } from '../entities/entities.ts'
import { entitiesOf, formerNameOf, isMove } from './entities-of.ts'

/** A part of a document: names of entities, and the groups that may be seen, in folded spelling; null for all. */
export interface OwnScope {
  readonly names: readonly string[]
  readonly groups: ReadonlySet<string> | null
}

/**
 * The changes of a revision as they look to those who see a part of the document alone. A pipeline that came
 * from elsewhere is new there, and one that went elsewhere is gone, whatever else became of it.
 */
export function ownChanges(
  changes: readonly DocumentChange[],
  { names, groups }: OwnScope,
): readonly DocumentChange[] {
  const own = new Set(names)
  const isOwn = (name: string) => own.has(foldEntity(name))
  const passages = new Map<string, DocumentChange | null>()
  for (const change of changes) {
    if (!isMove(change)) continue
    const [isFromOpen = true, isToOpen = true] = [change.from, change.to].map((group) => {
      return groups?.has(foldEntity(`group/${group}`))
    })
    if (isFromOpen && isToOpen) continue
    const passage = isToOpen ? arrival(change) : departure(change, changes)
    const isSeen = [...entitiesOf([change]), passage.entity].some(isOwn)
    passages.set(change.entity, isSeen ? passage : null)
  }
  return changes.flatMap((change) => {
    const passage = passages.get(change.entity)
    if (passage !== undefined) return passage !== null && isMove(change) ? [passage] : []
    const isOwnMove = isMove(change) && entitiesOf([change]).some(isOwn)
    return isOwn(change.entity) || isOwnMove ? [change] : []
  })
}

function arrival({ entity, label, after }: DocumentChange): DocumentChange {
  const added = { kind: 'added', entity, label, path: [], subject: `pipeline ${label}` } as const
  return after === undefined ? added : { ...added, after }
}

/** A pipeline goes by the name under which it is known to those whom it leaves. */
function departure(
  { entity, label, before }: DocumentChange,
  changes: readonly DocumentChange[],
): DocumentChange {
  const own = changes.filter((change) => change.entity === entity)
  const [former = entity] = own.flatMap((change) => formerNameOf(change) ?? [])
  const name = former === entity ? label : splitEntity(former).name
  const removed = {
    kind: 'removed',
    entity: former,
    label: name,
    path: [],
    subject: `pipeline ${name}`,
  } as const
  return before === undefined ? removed : { ...removed, before }
}
