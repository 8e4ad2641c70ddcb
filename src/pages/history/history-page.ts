import { LRUCache } from 'lru-cache'
import type { Principal } from '../../core/principal.ts'
import { type Revision, type RevisionKind, shownAuthor } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { NumberList } from '../../lib/compact/number-list.ts'
import { Turns } from '../../lib/cooperative.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import type { RevisionDetail } from '../../index/revision-details.ts'
import type { EntityRow } from '../../index/tables/change-table.ts'
import type { TextIndex } from '../../index/text-index.ts'
import { type IndexProgress, unfinished } from '../../index/index-progress.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { type MatchedLine, SearchedLines } from './searched-lines.ts'
import { type DayBar, SelectedRevisions } from './selected-revisions.ts'
import {
  filterRevisions,
  isAboutFacts,
  placesByFacts,
  needsIndex,
  type RevisionFilter,
  wantedColumns,
} from '../../configuration/search/revision-filter.ts'
import {
  numbered,
  type NumberedRevision,
  type RevisionReadingDeps,
} from '../revisions/numbered-revision.ts'
import { hasHistory } from '../revisions/entity-address.ts'

export interface HistoryPageDeps extends RevisionReadingDeps {
  readonly details: RevisionDetailsSource
  readonly entities: EntityIndex
  readonly texts: TextIndex
}

/** The known details of revisions. */
export interface RevisionDetailsSource {
  find(revision: Revision): RevisionDetail | null
  isKnown(revision: Revision): boolean
  /** Waits until revisions are indexed, for so many milliseconds at most. */
  wait(revisions: readonly Revision[], timeoutMs: number): Promise<void>
}

export interface HistoryQuery {
  readonly filter: RevisionFilter
  readonly chosen: ChosenRevisions
  /** The number of revisions to skip. */
  readonly offset: number
  /** The number of a revision whose page of the list is asked for in place of an offset. */
  readonly show: number | null
}

/** The revisions that are chosen for a comparison, by number; null where none is. */
export interface ChosenRevisions {
  readonly a: number | null
  readonly b: number | null
}

export interface HistoryRow {
  readonly revision: NumberedRevision
  /** Null while unknown. */
  readonly details: RevisionDetail | null
  /** The line in which a searched text came or went; null without one. */
  readonly matched: MatchedLine | null
}

export interface HistoryPage {
  /** The revisions of its rows. */
  readonly shown: readonly Revision[]
  /** Whether the rows have something to wait for: details, or lines of documents that are read for them. */
  readonly isWaiting: boolean
  /** Whether the details of all rows are known. */
  readonly isKnown: boolean
  readonly readRows: () => Promise<readonly HistoryRow[]>
  readonly offset: number
  /** The number of revisions that match the filter, and of all revisions. */
  readonly matching: number
  readonly total: number
  readonly current: NumberedRevision
  readonly first: NumberedRevision
  readonly bars: readonly DayBar[]
  readonly facts: HistoryFacts
  /** The number of indexed revisions, on which the facts depend. */
  readonly indexed: number
  /** How far the history is indexed for what the filter searches; null when it is, or nothing is searched. */
  readonly indexing: IndexProgress | null
}

/** Facts about the whole history, for the choices of the filter. */
export interface HistoryFacts {
  readonly users: readonly {
    readonly username: string
    readonly who: string
    readonly revisions: number
  }[]
  /** The number of revisions of each kind. */
  readonly kinds: ReadonlyMap<RevisionKind, number>
  /**
   * The entities with a history of their own, by name: of very many, those that most revisions
   * changed.
   */
  readonly entities: readonly ListedEntity[]
  readonly unlistedEntities: number
  readonly agentRegistrations: number
  /** The number of revisions with only cosmetic changes, as far as they are indexed. */
  readonly noise: number
}

/** An entity among the choices of the filter. */
interface ListedEntity extends EntityRow {
  readonly kind: string
}

export const ROWS = 50
/** The maximal number of entities to choose from: a page with tens of thousands is slow. */
const MAX_ENTITIES = 500
const BY_NAME = new Intl.Collator('en')
/** How long a page waits at most for the details of its revisions, in milliseconds. */
const DETAILS_TIMEOUT_MS = 250

/**
 * One page of the history, newest first. Its rows are read when they are asked for.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function readHistoryPage(
  deps: HistoryPageDeps,
  principal: Principal,
  { filter, offset: skipped, show }: Omit<HistoryQuery, 'chosen'>,
): Promise<HistoryPage> {
  assertMay(deps.access, principal, { action: 'administer' })
  const { history, details, entities } = deps
  await history.columns.load()
  // From here to the rows it is one moment: a search begins with the revisions that there are.
  const looking = selectRevisions(deps, filter)
  const [state, facts] = [stateIn(history), factsOf(deps)]
  const found = await looking
  const newer = show === null ? skipped : found.newerThan(show - history.archived - 1)
  const offset = show === null ? skipped : newer - (newer % ROWS)
  const shown = found.list({ offset, limit: ROWS })
  const isKnown = shown.every((revision) => details.isKnown(revision))
  return {
    shown,
    isKnown,
    isWaiting: !isKnown || filter.text !== '',
    readRows: () => readRows(deps, filter, { shown, current: state.current }),
    offset,
    matching: found.size,
    ...state,
    facts,
    indexed: entities.progress().indexed,
    bars: found.bars(),
    indexing: needsIndex(filter) ? unfinished(entities.progress()) : null,
  }
}

async function readRows(
  { history, details }: HistoryPageDeps,
  { text }: RevisionFilter,
  { shown, current }: Pick<HistoryPage, 'shown' | 'current'>,
): Promise<readonly HistoryRow[]> {
  await details.wait(shown, DETAILS_TIMEOUT_MS)
  const rows: HistoryRow[] = []
  const turns = new Turns()
  const searched = new SearchedLines(history, text)
  for (const each of shown) {
    rows.push({
      revision: { ...numbered(history, each), isCurrent: each.commit === current.commit },
      details: details.find(each),
      matched: await searched.lineOf(each),
    })
    if (turns.isOver) await turns.next()
  }
  return rows
}

/** A consistent view of the history: revisions may be saved while a page is being read. */
function stateIn(history: History) {
  const first = history.atPlace(0) ?? history.current()
  return {
    total: history.kept(),
    current: numbered(history, history.current()),
    first: numbered(history, first),
  }
}

/** The selections of revisions that are kept for each history. */
const MAX_SELECTIONS = 4
const selections = new WeakMap<History, LRUCache<string, SelectedRevisions>>()

/** Selects again only when the history, the filter, or what is indexed for it has changed. */
async function selectRevisions(
  deps: HistoryPageDeps,
  filter: RevisionFilter,
): Promise<SelectedRevisions> {
  const { history, entities } = deps
  if (needsIndex(filter)) await entities.settle()
  const indexed = isAboutFacts(filter) ? 'facts' : entities.progress().indexed
  const state = [history.current().commit, history.size(), indexed]
  const key = JSON.stringify([...state, filter])
  const kept = selections.get(history) ?? new LRUCache({ max: MAX_SELECTIONS })
  selections.set(history, kept)
  const known = kept.get(key)
  if (known !== undefined) return known
  const places = needsIndex(filter) ? await search(deps, filter) : await selectByFacts(deps, filter)
  const found = new SelectedRevisions(history, places)
  kept.set(key, found)
  return found
}

async function selectByFacts(deps: HistoryPageDeps, filter: RevisionFilter): Promise<NumberList> {
  if (!filter.withoutNoise) return deps.history.columns.select(wantedColumns(filter))
  const [newest, turns] = [new NumberList(), new Turns()]
  for (const place of placesByFacts(filter, deps)) {
    newest.push(place)
    if (turns.isOver) await turns.next()
  }
  const places = new NumberList()
  for (const place of newest.slice().toReversed()) places.push(place)
  return places
}

/** The places of the revisions that a search finds. */
async function search(
  { history, entities, texts }: HistoryPageDeps,
  filter: RevisionFilter,
): Promise<NumberList> {
  const first = history.archived + 1
  const selected: Revision[] = []
  for await (const some of filterRevisions(filter, { history, entities, texts }))
    selected.push(...some)
  const places = new NumberList()
  for (const revision of selected.toReversed())
    places.push((history.numberOf(revision) ?? first) - first)
  return places
}

function factsOf({ history, entities }: HistoryPageDeps): HistoryFacts {
  const [kinds, people] = [new Map<RevisionKind, number>(), new Map<string, number>()]
  for (const { username, kind, revisions } of history.columns.counts()) {
    add(kinds, kind, revisions)
    if (kind !== 'agent') add(people, username, revisions)
  }
  const users = [...people].toSorted(([, one], [, other]) => other - one)
  return {
    users: users.map(([username, count]) => ({
      username,
      who: shownAuthor(username),
      revisions: count,
    })),
    kinds,
    ...entitiesIn(entities),
    agentRegistrations: kinds.get('agent') ?? 0,
    noise: entities.countCosmetic(),
  }
}

function add<Value>(counts: Map<Value, number>, value: Value, more: number): void {
  counts.set(value, (counts.get(value) ?? 0) + more)
}

/** The entities that most revisions changed, by name. */
function entitiesIn(index: EntityIndex): Pick<HistoryFacts, 'entities' | 'unlistedEntities'> {
  const all = index
    .entities()
    .filter(({ entity }) => hasHistory(kindOf(entity)))
    .toSorted((one, other) => other.revisions - one.revisions)
  const listed = all.slice(0, MAX_ENTITIES).map((row) => ({ ...row, kind: kindOf(row.entity) }))
  return {
    entities: listed.toSorted((one, other) => BY_NAME.compare(one.label, other.label)),
    unlistedEntities: all.length - listed.length,
  }
}

function kindOf(entity: string): string {
  return entity.slice(0, entity.indexOf('/'))
}
