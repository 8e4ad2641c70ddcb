import type { Change } from './change.ts'
import { DOCUMENT } from './entities.ts'

/** Whether there are changes, but none of what the document means: layout, and the version of its schema. */
export function isNoise(changes: readonly Change[]): boolean {
  return changes.length > 0 && changes.every(isNoiseOne)
}

function isNoiseOne({ kind, entity, subject }: Change): boolean {
  if (kind === 'reformatted') return subject === 'layout'
  return kind === 'changed' && entity === DOCUMENT && subject === 'schemaVersion'
}
