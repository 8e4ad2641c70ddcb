import type { DocumentChange } from '../entities/change.ts'
import { DOCUMENT } from '../entities/entities.ts'
import { LINE_ENDINGS } from './line-endings.ts'

/** Whether all changes leave the meaning of the document: layout, line endings, or the schema version. False for no changes. */
export function isCosmetic(changes: readonly DocumentChange[]): boolean {
  return changes.length > 0 && changes.every(isNoiseOne)
}

function isNoiseOne({ kind, entity, subject }: DocumentChange): boolean {
  if (kind === 'reformatted') return subject === 'layout'
  if (kind !== 'changed' || entity !== DOCUMENT) return false
  return subject === 'schemaVersion' || subject === LINE_ENDINGS
}
