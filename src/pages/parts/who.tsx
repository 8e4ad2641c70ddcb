import { Avatar, type IconName } from '../kit/icon.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'

const LABELS = {
  person: null,
  agent: 'agent',
  'file-system': null,
  git: 'git',
  upgrade: 'upgrade',
} as const satisfies Record<NumberedRevision['kind'], string | null>

const ICONS: Partial<Record<NumberedRevision['kind'], IconName>> = {
  agent: 'agent',
  'file-system': 'file',
  upgrade: 'history',
}

/**
 * The author of a revision: an avatar, the name, and the origin if it was not saved by a person.
 */
export function Who({ revision: { who, username, kind } }: { revision: NumberedRevision }) {
  const label = LABELS[kind]
  return (
    <span class="who" title={username}>
      <Avatar name={who} icon={ICONS[kind]} />
      <span class="name">{who || '(no name)'}</span>
      {label !== null && label !== who.toLowerCase() && <span class="badge">{label}</span>}
    </span>
  )
}
