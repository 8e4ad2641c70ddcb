import type { Revision } from '../../core/revision.ts'
import { type RevisionKind, kindOf, shownName } from '../../core/revision-kind.ts'

/** Which revisions are wanted. Empty and null: whatever it is. */
export interface HistoryFilter {
  /** Text inside the change, its digest, commit or user. */
  readonly text: string
  readonly username: string
  readonly kind: RevisionKind | null
  /** The key of an entity that the change touches, such as `pipeline/checkout`. */
  readonly entity: string
  /** The first and the last moment, in milliseconds since the UNIX epoch. */
  readonly since: number | null
  readonly until: number | null
  /** Whether the agents that registered themselves are wanted too. */
  readonly agents: boolean
}

/** What can be asked of a revision besides its own facts. */
export interface RevisionLookup {
  /** Everything that is said about what the revision changed. */
  readonly textOf: (revision: Revision) => string
  readonly touches: (revision: Revision, entity: string) => boolean
}

/** Whether nothing but the agents' registrations is left out. */
export function isOpen(filter: HistoryFilter): boolean {
  const { text, username, kind, entity, since, until } = filter
  return [text, username, entity].join('') === '' && [kind, since, until].every((one) => !one)
}

export function filterRevisions(
  revisions: readonly Revision[],
  filter: HistoryFilter,
  lookup: RevisionLookup,
): readonly Revision[] {
  const text = filter.text.toLowerCase()
  return revisions.filter((revision) => {
    const { username, time } = revision
    if (filter.since !== null && time < filter.since) return false
    if (filter.until !== null && time > filter.until) return false
    if (filter.username !== '' && username !== filter.username) return false
    if (!hasKind(revision, filter)) return false
    if (filter.entity !== '' && !lookup.touches(revision, filter.entity)) return false
    return text === '' || mentions(revision, text, lookup)
  })
}

function hasKind(revision: Revision, { kind, agents, username }: HistoryFilter): boolean {
  const is = kindOf(revision)
  if (kind !== null) return is === kind
  return is !== 'agent' || agents || username !== ''
}

function mentions(revision: Revision, text: string, lookup: RevisionLookup): boolean {
  const { username, subject, digest, commit } = revision
  const facts = [username, shownName(username), subject, digest, commit]
  return [...facts, lookup.textOf(revision)].some((fact) => fact.toLowerCase().includes(text))
}
