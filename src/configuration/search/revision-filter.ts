import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type CommitSha,
  type Revision,
  type RevisionKind,
  revisionKindOf,
  shownAuthor,
} from '../../core/revision.ts'

/** Selects revisions. Empty and null fields select all. */
export interface RevisionFilter {
  /** Text in the described changes, the subject, the message, the digest, the commit or the user, in any case. */
  readonly mentions: string
  /** Text that occurs more or less often in the configuration since the revision, as in `git log -S`. */
  readonly text: string
  readonly username: string
  readonly kind: RevisionKind | null
  /** The key of a changed entity, such as `pipeline/checkout`. */
  readonly entity: string
  /** The first and the last moment, in milliseconds since the UNIX epoch. */
  readonly since: number | null
  readonly until: number | null
  /** Whether registrations of agents are included. */
  readonly agents: boolean
  /** Whether revisions with only cosmetic changes are left out: layout and the schema version. */
  readonly withoutNoise: boolean
}

/** What the filter needs to know beyond the revisions themselves: the index of entities. */
export interface RevisionLookup {
  /** The described changes of a revision as one text, in lower case. */
  textOf(revision: Revision): string
  /** Whether the changes of a revision are cosmetic; false while unknown. */
  isCosmetic(revision: Revision): boolean
  /** The revisions that changed an entity, under its former names too. */
  revisionsOf(entity: string): Promise<readonly { readonly revision: Revision }[]>
}

/** Finds the revisions that changed how often a text occurs. */
export type TextLookup = (text: string) => Promise<ReadonlySet<CommitSha>>

/** The number of texts searched before the event loop gets its turn. */
const AT_ONCE = 500

/** Whether the filter leaves out at most cosmetic changes and registrations of agents. */
export function isOpen(filter: RevisionFilter): boolean {
  const { mentions, text, username, kind, entity, since, until } = filter
  return (
    [mentions, text, username, entity].join('') === '' && [kind, since, until].every((one) => !one)
  )
}

/** Whether all that the filter looks at is in the revisions themselves, so that its answer about one stays. */
export function isAboutFacts({ mentions, text, entity, withoutNoise }: RevisionFilter): boolean {
  return [mentions, text, entity].join('') === '' && !withoutNoise
}

/** Whether the facts of a revision are as the filter wants them. */
export function hasWantedFacts(revision: Revision, filter: RevisionFilter): boolean {
  const { username, time } = revision
  if (filter.since !== null && time < filter.since) return false
  if (filter.until !== null && time > filter.until) return false
  if (filter.username !== '' && username !== filter.username) return false
  return hasKind(revision, filter)
}

/** What a filter looks into. */
export interface FilterLookups {
  readonly entities: RevisionLookup
  readonly searchText: TextLookup
}

/** The revisions that a filter selects, in the same order. */
export async function filterRevisions(
  revisions: readonly Revision[],
  filter: RevisionFilter,
  { entities, searchText }: FilterLookups,
): Promise<readonly Revision[]> {
  const about = filter.entity === '' ? null : await commitsAbout(filter.entity, entities)
  const changing = filter.text === '' ? null : await searchText(filter.text)
  const found = revisions.filter((revision) => {
    if (!hasWantedFacts(revision, filter)) return false
    if (changing?.has(revision.commit) === false) return false
    if (about?.has(revision.commit) === false) return false
    return !filter.withoutNoise || !entities.isCosmetic(revision)
  })
  const { mentions } = filter
  return mentions === '' ? found : mentioning(found, mentions.toLowerCase(), entities)
}

async function commitsAbout(entity: string, lookup: RevisionLookup): Promise<Set<string>> {
  const revisions = await lookup.revisionsOf(entity)
  return new Set(revisions.map(({ revision }) => revision.commit))
}

function hasKind(revision: Revision, { kind, agents, username }: RevisionFilter): boolean {
  const is = revisionKindOf(revision)
  if (kind !== null) return is === kind
  return is !== 'agent' || agents || username !== ''
}

async function mentioning(
  revisions: readonly Revision[],
  text: string,
  lookup: RevisionLookup,
): Promise<readonly Revision[]> {
  const found: Revision[] = []
  for (let n = 0; n < revisions.length; n += AT_ONCE) {
    const some = revisions.slice(n, n + AT_ONCE)
    found.push(...some.filter((revision) => isMentioned(revision, text, lookup)))
    if (n + AT_ONCE < revisions.length) await nextTurn()
  }
  return found
}

function isMentioned(revision: Revision, text: string, lookup: RevisionLookup): boolean {
  const { username, subject, message, digest, commit } = revision
  const facts = [username, shownAuthor(username), subject, message, digest, commit]
  if (facts.some((fact) => fact.toLowerCase().includes(text))) return true
  return lookup.textOf(revision).includes(text)
}
