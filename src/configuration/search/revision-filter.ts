import { nameKey } from '../../core/name-key.ts'
import {
  type CommitSha,
  type Revision,
  type RevisionKind,
  revisionKindOf,
  shownAuthor,
} from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { LazyList } from '../../lib/lazy-list.ts'
import { inTurns, revisionsInTurns } from './in-turns.ts'

/** Selects revisions. Empty and null fields select all. */
export interface RevisionFilter {
  /** Text in the described changes, the subject, the message, the digest, the commit or the user, in any case. */
  readonly mentions: string
  /** Text that occurs more or less often in the configuration since the revision, as in `git log -S`. */
  readonly text: string
  /** The author, in any case. */
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
  /** The revisions that changed an entity, newest first, under its former names too. */
  revisionsOf(entity: string): Promise<{ readonly revisions: LazyList<NumberedFind> }>
}

interface NumberedFind {
  readonly number: number
  readonly revision: Revision
}

/** Finds the revisions that changed how often a text occurs. */
export type TextLookup = (text: string) => Promise<ReadonlySet<CommitSha>>

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

/** Tells of any revision whether its facts are as the filter wants them. */
export function wantedFacts(filter: RevisionFilter): (revision: Revision) => boolean {
  const author = nameKey(filter.username)
  return (revision) => {
    const { username, time } = revision
    if (filter.since !== null && time < filter.since) return false
    if (filter.until !== null && time > filter.until) return false
    if (author !== '' && nameKey(username) !== author) return false
    return hasKind(revision, filter)
  }
}

/** What a filter looks into. */
export interface FilterLookups {
  readonly history: Pick<History, 'kept' | 'list' | 'size' | 'findCommit' | 'numberOf'>
  readonly entities: RevisionLookup
  readonly searchText: TextLookup
}

/** The revisions of a history that a filter selects, newest first. */
export async function filterRevisions(
  filter: RevisionFilter,
  lookups: FilterLookups,
): Promise<readonly Revision[]> {
  const mentions = filter.mentions.toLowerCase()
  const hasWantedFacts = wantedFacts(filter)
  const found: Revision[] = []
  for await (const some of await candidates(filter, lookups)) {
    const wanted = some.filter((revision) => {
      if (!hasWantedFacts(revision)) return false
      if (filter.withoutNoise && lookups.entities.isCosmetic(revision)) return false
      return mentions === '' || isMentioned(revision, mentions, lookups.entities)
    })
    found.push(...wanted)
  }
  return found
}

/** The revisions that a filter can select. The others are not looked at, however many there are. */
async function candidates(
  { entity, text }: RevisionFilter,
  { history, entities, searchText }: FilterLookups,
): Promise<AsyncIterable<readonly Revision[]>> {
  if (entity === '' && text === '') return revisionsInTurns(history)
  const [first, last] = [history.size() - history.kept() + 1, history.size()]
  const about = entity === '' ? null : (await entities.revisionsOf(entity)).revisions
  const changing = text === '' ? null : await searchText(text)
  const found = about ?? LazyList.of(newestFirst(history, changing ?? new Set()))
  return inTurns(found, (one) => {
    if (one.number < first || one.number > last) return []
    const { revision } = one
    return changing === null || changing.has(revision.commit) ? [revision] : []
  })
}

function newestFirst(
  history: FilterLookups['history'],
  commits: ReadonlySet<CommitSha>,
): readonly NumberedFind[] {
  const found = Array.from(commits, (commit) => {
    const revision = history.findCommit(commit)
    const number = revision === null ? null : history.numberOf(revision)
    return revision === null || number === null ? [] : { revision, number }
  })
  return found.flat().toSorted((one, other) => other.number - one.number)
}

function hasKind(revision: Revision, { kind, agents, username }: RevisionFilter): boolean {
  const is = revisionKindOf(revision)
  if (kind !== null) return is === kind
  return is !== 'agent' || agents || username !== ''
}

function isMentioned(revision: Revision, text: string, lookup: RevisionLookup): boolean {
  const { username, subject, message, digest, commit } = revision
  const facts = [username, shownAuthor(username), subject, message, digest, commit]
  if (facts.some((fact) => fact.toLowerCase().includes(text))) return true
  return lookup.textOf(revision).includes(text)
}
