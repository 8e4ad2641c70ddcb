import type { DocumentChange } from '../entities/change.ts'
import { DOCUMENT } from '../entities/entities.ts'
import { LINE_ENDINGS } from './line-endings.ts'

/** Whether there are changes, but none of what the document means: layout, line endings, and the version of its schema. */
export function isCosmetic(changes: readonly DocumentChange[]): boolean {
  return changes.length > 0 && changes.every(isNoiseOne)
}

function isNoiseOne({ kind, entity, subject }: DocumentChange): boolean {
  if (kind === 'reformatted') return subject === 'layout'
  if (kind !== 'changed' || entity !== DOCUMENT) return false
  return subject === 'schemaVersion' || subject === LINE_ENDINGS
}
