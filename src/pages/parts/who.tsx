import type { NumberedRevision } from '../revisions/numbered-revision.ts'

const LABELS = {
  person: null,
  agent: 'agent',
  'file-system': null,
  git: 'git',
  upgrade: 'upgrade',
} as const satisfies Record<NumberedRevision['kind'], string | null>

/**
 * The author of a revision: an initial, the name, and the origin if it was not saved by a person.
 */
export function Who({ revision: { who, username, kind } }: { revision: NumberedRevision }) {
  const label = LABELS[kind]
  return (
    <span class="who" title={username}>
      <span class={`initial ${kind}`} aria-hidden="true">
        {initialOf(who)}
      </span>
      <span class="name">{who || '(no name)'}</span>
      {label !== null && label !== who.toLowerCase() && <span class="badge">{label}</span>}
    </span>
  )
}

function initialOf(who: string): string {
  const [first = '?'] = Array.from(who.trim())
  return first.toUpperCase()
}
