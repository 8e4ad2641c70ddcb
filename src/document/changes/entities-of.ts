import type { DocumentChange } from '../entities/change.ts'
import { foldEntity, isLabelled, wholeEntityWord, DOCUMENT } from '../entities/entities.ts'
import { LINE_ENDINGS } from './line-endings.ts'

/**
 * Every entity that the changes concern: renamed ones under both names, and the former groups of
 * moved pipelines.
 */
export function entitiesOf(changes: readonly DocumentChange[]): readonly string[] {
  const names = changes.flatMap((change) => {
    const older = formerNameOf(change)
    return [change.entity, ...(older === null ? [] : [older]), ...groupsOf(change)]
  })
  return [...new Set(names)]
}

/** A moved pipeline concerns both groups. */
function groupsOf(change: DocumentChange): string[] {
  return isMove(change) ? [`group/${change.from}`, `group/${change.to}`] : []
}

/** Whether a pipeline is in another group afterwards. */
export function isMove({ kind, entity, path, subject, from, to }: DocumentChange): boolean {
  if (kind !== 'changed' || path.length > 0 || subject !== 'group') return false
  return entity.startsWith('pipeline/') && from !== undefined && to !== undefined
}

/** The former name of a renamed entity, or null. An agent keeps its uuid when its host changes. */
export function formerNameOf(change: DocumentChange): string | null {
  const { kind, entity, from } = change
  if (kind !== 'renamed' || from === undefined || isLabelled(entity)) return null
  if (wholeEntityWord(change) === null) return null
  return `${entity.slice(0, entity.indexOf('/'))}/${from}`
}

/** Whether all changes leave the meaning of the document: layout, line endings, or the schema version. False for no changes. */
export function isCosmetic(changes: readonly DocumentChange[]): boolean {
  return changes.length > 0 && changes.every(isNoiseOne)
}

function isNoiseOne({ kind, entity, subject }: DocumentChange): boolean {
  if (kind === 'reformatted') return subject === 'layout'
  if (kind !== 'changed' || entity !== DOCUMENT) return false
  return subject === 'schemaVersion' || subject === LINE_ENDINGS
}

/** The changes about an entity, in folded spelling, under its new or its former name. */
export function changesAbout(
  changes: readonly DocumentChange[],
  entity: string,
): readonly DocumentChange[] {
  return changes.filter((change) => entitiesOf([change]).map(foldEntity).includes(entity))
}

/** How a change leaves its entity. */
export type EntityChangeKind = 'created' | 'changed' | 'removed' | 'renamed'

export function changeKindOf(change: DocumentChange): EntityChangeKind {
  if (wholeEntityWord(change) === null) return 'changed'
  if (change.kind === 'added') return 'created'
  return change.kind === 'removed' || change.kind === 'renamed' ? change.kind : 'changed'
}
