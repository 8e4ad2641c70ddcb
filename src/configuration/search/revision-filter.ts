import { nameKey } from '../../core/name-key.ts'
import {
  type Revision,
  type RevisionKind,
  revisionKindOf,
  shownAuthor,
} from '../../core/revision.ts'
import type { EntityChangeKind } from '../../document/changes/entities-of.ts'
import type { Authorship, History, WantedColumns } from '../../history/history.ts'
import type { LazyList } from '../../lib/lazy-list.ts'
import type { OpenGroups } from '../../index/entity-index.ts'
import type { TextSearch } from '../../index/text-index.ts'
import { inTurns, placesInTurns } from './in-turns.ts'

/** Selects revisions. Empty and null fields select all. */
export interface RevisionFilter {
  /** Text in the described changes, the subject, the message, the digest, the commit or the user, in any case. */
  readonly mentions: string
  /** Text that occurs more or less often in the configuration since the revision, as in `git log -S`. */
  readonly text: string
  /** The author, in any case. */
  readonly username: string
  readonly kind: RevisionKind | null
  /** The key of a changed entity, such as `pipeline/checkout`; a group is meant with its pipelines. */
  readonly entity: string
  /** The way in which an entity came out of the revision, of the kind below. */
  readonly changed: EntityChangeKind | null
  /** The kind of an entity that changed, such as `pipeline`. */
  readonly entityKind: string | null
  /** The first and the last moment, in milliseconds since the UNIX epoch. */
  readonly since: number | null
  readonly until: number | null
  /** Whether registrations of agents are included. */
  readonly agents: boolean
  /** Whether revisions with only cosmetic changes are left out: layout and the schema version. */
  readonly withoutNoise: boolean
}

/** The facts that the filter needs beside the revisions: the index of entities. */
export interface RevisionLookup {
  /** The described changes of a revision as one text, in lower case. */
  textOf(revision: Revision): string
  /** Whether the changes of a revision are cosmetic; false while unknown. */
  isCosmetic(revision: Revision): boolean
  /** The numbers of the revisions of which that is known, newest first. */
  cosmetic(): Iterator<number, void>
  /** Whether a revision changed an entity of a kind in some way; null stands for any. */
  hasChange(
    revision: Revision,
    wanted: { readonly how: EntityChangeKind | null; readonly kind: string | null },
  ): boolean
  /** The revisions in the scope of an entity, newest first, under its former names too. */
  revisionsIn(
    entity: string,
    groups?: OpenGroups,
  ): Promise<{ readonly revisions: LazyList<NumberedFind> }>
}

interface NumberedFind {
  readonly number: number
  readonly revision: Revision
}

/** Finds the revisions that changed how often a text occurs. */
interface TextLookup {
  search(text: string): Pick<TextSearch, 'revisions' | 'isChangedBy'>
}

/** Whether the filter leaves out at most cosmetic changes and registrations of agents. */
export function isOpen(filter: RevisionFilter): boolean {
  const { mentions, text, username, kind, entity, changed, entityKind, since, until } = filter
  return (
    [mentions, text, username, entity].join('') === '' &&
    [kind, changed, entityKind, since, until].every((one) => !one)
  )
}

/** Whether all that the filter looks at is in the revisions themselves, so that its answer about one stays. */
export function isAboutFacts(filter: RevisionFilter): boolean {
  return !needsIndex(filter) && !filter.withoutNoise
}

/** Whether the filter looks for what only the index says of revisions. */
export function needsIndex(filter: RevisionFilter): boolean {
  const { mentions, text, entity, changed, entityKind } = filter
  return [mentions, text, entity, changed ?? '', entityKind ?? ''].join('') !== ''
}

/** The authors and times that the filter wants. */
export function wantedColumns(filter: RevisionFilter): WantedColumns {
  const { since, until, agents, kind: wanted } = filter
  const name = nameKey(filter.username)
  const isKind = (kind: RevisionKind) =>
    wanted === null ? kind !== 'agent' || agents || name !== '' : kind === wanted
  const isBy = ({ username, kind }: Authorship) =>
    (name === '' || nameKey(username) === name) && isKind(kind)
  return { isBy, since, until }
}

/** Tells of any revision whether its facts are as the filter wants them. */
function wantedFacts(filter: RevisionFilter): (revision: Revision) => boolean {
  const { isBy, since, until } = wantedColumns(filter)
  return (revision) => {
    const { username, time } = revision
    if (since !== null && time < since) return false
    if (until !== null && time > until) return false
    return isBy({ username, kind: revisionKindOf(revision) })
  }
}

/** The indexes that a filter uses. */
export interface FilterLookups {
  readonly history: Pick<History, 'archived' | 'atPlace' | 'columns' | 'kept' | 'list' | 'size'>
  readonly entities: RevisionLookup
  readonly texts: TextLookup
  /** The groups whose history may be followed; all when absent. */
  readonly groups?: OpenGroups
}

/**
 * The revisions of a history that a filter selects, newest first, some at a time: a caller who needs
 * ten of them has no more looked for.
 */
export async function* filterRevisions(
  filter: RevisionFilter,
  lookups: FilterLookups,
): AsyncGenerator<readonly Revision[], void> {
  const mentions = filter.mentions.toLowerCase()
  const hasWantedFacts = wantedFacts(filter)
  const { changed: how, entityKind: kind } = filter
  const isAnyChange = how === null && kind === null
  const isNoisy = filter.withoutNoise && [filter.entity, filter.text].join('') !== ''
  for await (const some of candidates(filter, lookups)) {
    yield some.filter((revision) => {
      if (!hasWantedFacts(revision)) return false
      if (isNoisy && lookups.entities.isCosmetic(revision)) return false
      if (!isAnyChange && !lookups.entities.hasChange(revision, { how, kind })) return false
      return mentions === '' || isMentioned(revision, mentions, lookups.entities)
    })
  }
}

/** The places of the revisions whose facts a filter wants, and which are no noise to it, newest first. */
export function placesByFacts(
  filter: RevisionFilter,
  { history, entities }: Pick<FilterLookups, 'history' | 'entities'>,
): Generator<number, void> {
  const places = history.columns.newest(wantedColumns(filter))
  if (!filter.withoutNoise) return places
  return placesWithout(places, entities.cosmetic(), history.archived + 1)
}

/** Places without those of some numbers, all of them descending. */
function* placesWithout(
  places: Iterable<number>,
  numbers: Iterator<number, void>,
  first: number,
): Generator<number, void> {
  let next = numbers.next()
  for (const place of places) {
    while (!next.done && next.value > first + place) next = numbers.next()
    if (next.done || next.value < first + place) yield place
  }
}

/** The revisions that a filter can select. The others are not looked at, however many there are. */
async function* candidates(
  filter: RevisionFilter,
  { history, entities, texts, groups }: FilterLookups,
): AsyncGenerator<readonly Revision[], void> {
  const { entity, text } = filter
  const search = text === '' ? null : texts.search(text)
  if (entity === '' && search !== null) {
    yield* search.revisions()
    return
  }
  if (entity === '') {
    await history.columns.load()
    yield* placesInTurns(history, placesByFacts(filter, { history, entities }))
    return
  }
  const [first, last] = [history.archived + 1, history.size()]
  const { revisions } = await entities.revisionsIn(entity, groups)
  const about = inTurns(revisions, ({ number, revision }) => {
    return number < first || number > last ? [] : [revision]
  })
  if (search === null) yield* about
  else for await (const some of about) yield await changedBy(search, some)
}

async function changedBy(
  search: Pick<TextSearch, 'isChangedBy'>,
  revisions: readonly Revision[],
): Promise<readonly Revision[]> {
  const changed: Revision[] = []
  for (const revision of revisions) if (await search.isChangedBy(revision)) changed.push(revision)
  return changed
}

function isMentioned(revision: Revision, text: string, lookup: RevisionLookup): boolean {
  const { username, subject, message, digest, commit } = revision
  const facts = [username, shownAuthor(username), subject, message, digest, commit]
  if (facts.some((fact) => fact.toLowerCase().includes(text))) return true
  return lookup.textOf(revision).includes(text)
}
