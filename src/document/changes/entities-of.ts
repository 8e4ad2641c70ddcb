import type { DocumentChange } from '../entities/change.ts'
import { wholeEntityWord } from '../entities/entities.ts'

/** Every entity that the changes are about: renamed ones under both names, groups that are moved from. */
export function entitiesOf(changes: readonly DocumentChange[]): readonly string[] {
  const names = changes.flatMap((change) => {
    const older = formerNameOf(change)
    return [change.entity, ...(older === null ? [] : [older]), ...groupsOf(change)]
  })
  return [...new Set(names)]
}

/** A pipeline that moves is news for both groups. */
function groupsOf({ kind, entity, path, subject, from, to }: DocumentChange): string[] {
  if (kind !== 'changed' || path.length > 0 || subject !== 'group') return []
  if (!entity.startsWith('pipeline/') || from === undefined || to === undefined) return []
  return [`group/${from}`, `group/${to}`]
}

/** What a renamed entity was called before, or null. An agent keeps its uuid, whatever its host. */
export function formerNameOf(change: DocumentChange): string | null {
  const { kind, entity, from } = change
  if (kind !== 'renamed' || from === undefined || entity.startsWith('agent/')) return null
  if (wholeEntityWord(change) === null) return null
  return `${entity.slice(0, entity.indexOf('/'))}/${from}`
}
