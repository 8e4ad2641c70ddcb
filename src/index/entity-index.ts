import { LRUCache } from 'lru-cache'
import type { DocumentChange } from '../document/entities/change.ts'
import {
  entitiesIn,
  ENTITY_KINDS,
  entityName,
  entityOf,
  foldEntity,
} from '../document/entities/entities.ts'
import type { ChangeSummary } from '../document/changes/change-summary.ts'
import { changeKindOf, type EntityChangeKind } from '../document/changes/entities-of.ts'
import type { EntityRenames } from '../document/compare/compare-entities.ts'
import { renderChange } from '../document/changes/render-change.ts'
import { ServiceError } from '../core/errors.ts'
import { type CooperativeWork, runCooperatively, runSync } from '../lib/cooperative.ts'
import type { CommitSha, Revision } from '../core/revision.ts'
import type { History } from '../history/history.ts'
import {
  type EntityRevisions,
  entityRevisions,
  foundRevisions,
  type NameSpan,
} from './entity-revisions.ts'
import type { HistoryWalker } from './history-walker.ts'
import { type IndexProgress, isSettled } from './index-progress.ts'
import type { IndexTables } from './tables/index-tables.ts'
import { renamesOnTheWay } from './renames-on-the-way.ts'
import { foldedEntitiesOf, parseChanges } from './tables/revision-changes.ts'
import type { EntityRow, NumberBounds } from './tables/change-table.ts'
import { addToGroup } from '../lib/grouping.ts'

export interface EntityIndexDeps {
  readonly history: History
  readonly walker: HistoryWalker
  readonly tables: IndexTables
  readonly summary: ChangeSummary
}

/** The changes of whole pipelines or groups contain one of these. */
const WHOLE = ['"subject":"pipeline', '"subject":"group']

/** How long an answer waits for an index that is nearly complete. */
const SHORT_WAIT_MS = 500

/** The most revisions whose sentences stay in memory: those of a search in a long history are made each time. */
const MAX_SENTENCES = 100_000

/** The most revisions of which it stays in memory whether they may have moved something. */
const MAX_JUDGED = 100_000

/** The most entities with their changes that stay in memory. */
const MAX_CHANGES = 100_000

/** The cosmetic revisions that are looked for at once. */
const COSMETIC_AT_ONCE = 100

const GROUP = 'group/'
const PIPELINES = ENTITY_KINDS.filter(({ word }) => word === 'pipeline')
/** More revisions than any history has. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER

/** The groups whose history may be followed, in folded spelling; null for all. */
export type OpenGroups = ReadonlySet<string> | null

interface SpanOptions {
  /** Only revisions below this number. */
  readonly end?: number
  readonly groups?: OpenGroups
}

/** A revision that changed an entity, with the folded name that the entity had then. */
export interface NamedRevision {
  readonly entity: string
  readonly revision: Revision
}

type ChangesByEntity = ReadonlyMap<string, readonly DocumentChange[]>

/** Answers what each revision changed, and which revisions changed an entity. */
export class EntityIndex {
  readonly #deps: EntityIndexDeps
  /** With `max`, the cache would take the room of all of them at the start. */
  readonly #sentences = new LRUCache<CommitSha, string>({
    maxSize: MAX_SENTENCES,
    sizeCalculation: () => 1,
  })
  /** A page asks about dozens of entities that one revision changed. */
  readonly #byEntity = new LRUCache<CommitSha, ChangesByEntity>({
    maxSize: MAX_CHANGES,
    sizeCalculation: ({ size }) => size + 1,
  })
  readonly #reading = new Map<CommitSha, Promise<void>>()
  /** A page asks about dozens of entities: one row may hold the changes of tens of thousands. */
  readonly #mayMove = new LRUCache<CommitSha, boolean>({
    maxSize: MAX_JUDGED,
    sizeCalculation: () => 1,
  })

  constructor(deps: EntityIndexDeps) {
    this.#deps = deps
  }

  isIndexed(revision: Revision): boolean {
    return this.#numberOf(revision) !== null
  }

  /** The changes of a revision, of a merge its own; null while it is not indexed. */
  find(revision: Revision): readonly DocumentChange[] | null {
    const stored = this.findStored(revision)
    return stored === null ? null : parseChanges(stored)
  }

  /**
   * Whether a revision changed an entity of a kind in some way; null stands for any. False while it is not
   * indexed.
   */
  hasChange(
    revision: Revision,
    { how, kind }: { readonly how: EntityChangeKind | null; readonly kind: string | null },
  ): boolean {
    return (this.find(revision) ?? []).some(
      (change) =>
        (how === null || changeKindOf(change) === how) &&
        (kind === null || change.entity.split('/', 1)[0] === kind),
    )
  }

  /** The same in stored form, for `parseChanges`: it costs little, however many changes there are. */
  findStored(revision: Revision): string | null {
    const number = this.#numberOf(revision)
    return number === null ? null : this.#deps.tables.changes.stored(number)
  }

  /** The changes of the revisions between two numbers in stored form, by their commits, as far as they are indexed. */
  findStoredBetween(bounds: NumberBounds): ReadonlyMap<string, string> {
    return this.#deps.tables.changes.storedBetween(bounds)
  }

  /**
   * The differences of two revisions in stored form, where they are the changes of the later one: it
   * came upon the earlier one and upon no other. Null for all other pairs.
   */
  findStep(before: Revision, after: Revision): string | null {
    const { history } = this.#deps
    const [base, ...others] = history.basesOf(after)
    return base === before.commit && others.length === 0 ? this.findStored(after) : null
  }

  /** The names of entities in one revision and in another, where revisions on the way have renamed them. */
  renamesBetween(before: Revision, after: Revision): EntityRenames {
    const { history, tables } = this.#deps
    const [from, to] = [history.numberOf(before), history.numberOf(after)]
    if (from === null || to === null) return []
    return renamesOnTheWay({ history, changes: tables.changes }, { from, to })
  }

  /** The changes about an entity, in folded spelling, under its new or its former name. */
  changesAbout(revision: Revision, entity: string): readonly DocumentChange[] {
    const { commit } = revision
    const known = this.#byEntity.get(commit)
    const stored = known ? null : this.findStored(revision)
    if (!known && stored === null) return []
    const found = known ?? runSync(changesByEntity(stored ?? ''))
    if (!known) this.#byEntity.set(commit, found)
    return found.get(entity) ?? []
  }

  /** Reads what a revision changed in time slices, once for all who ask, so that `changesAbout` is quick. */
  async readChanges(revision: Revision): Promise<void> {
    const { commit } = revision
    if (this.#byEntity.has(commit)) return
    const reading = this.#reading.get(commit) ?? this.#readInSlices(revision)
    this.#reading.set(commit, reading)
    await reading
  }

  /** The changes of a revision as sentences, in lower case for searches; cached. None while it is not indexed. */
  textOf(revision: Revision): string {
    const cached = this.#sentences.get(revision.commit)
    if (cached !== undefined) return cached
    const stored = this.findStored(revision)
    if (stored === null) return ''
    const sentences = parseChanges(stored).map(sentenceOf).join('\n').toLowerCase()
    this.#sentences.set(revision.commit, sentences)
    return sentences
  }

  /** Whether a revision changed only layout, line endings or the schema version; false while it is not indexed. */
  isCosmetic(revision: Revision): boolean {
    const { history, tables } = this.#deps
    const isSaidOf = tables.changes.isCosmetic(history.numberOf(revision) ?? 0)
    return isSaidOf && this.isIndexed(revision)
  }

  /** The numbers of the indexed revisions that changed only that, newest first, read as they are asked for. */
  *cosmetic(): Generator<number, void> {
    const { walker, tables } = this.#deps
    for (let below = MAX_NUMBER; ;) {
      const numbers = tables.changes.cosmetic(below, COSMETIC_AT_ONCE)
      for (const number of numbers) if (walker.isCurrent || this.#isIndexedAt(number)) yield number
      if (numbers.length < COSMETIC_AT_ONCE) return
      below = numbers.at(-1) ?? 0
    }
  }

  /** How many revisions changed only that, as far as they are indexed. */
  countCosmetic(): number {
    return this.#deps.tables.changes.countCosmetic()
  }

  /** Whether a revision may have added, removed, renamed or moved a pipeline or a group. */
  mayMove(revision: Revision): boolean {
    const { commit } = revision
    const known = this.#mayMove.get(commit)
    if (known !== undefined) return known
    const stored = this.findStored(revision)
    if (stored === null) return true
    const may = WHOLE.some((word) => stored.includes(word))
    this.#mayMove.set(commit, may)
    return may
  }

  /** Every entity that an indexed revision changed, also those that are gone. */
  entities(): readonly EntityRow[] {
    return this.#deps.tables.changes.entities()
  }

  /** How many revisions are indexed, and how many there are. */
  progress(): IndexProgress {
    return this.#deps.walker.progress()
  }

  /** Waits a moment for the index to be complete: an answer does not wait for a long history. */
  async settle(): Promise<void> {
    const { walker } = this.#deps
    if (!walker.isComplete) await isSettled(walker.settle(), SHORT_WAIT_MS)
  }

  /**
   * The revisions that changed an entity as far as they are indexed, newest first, under its former
   * names too. The cost does not grow with those that nobody asks for.
   */
  async revisionsOf(entity: string): Promise<EntityRevisions> {
    await this.settle()
    const spans = this.#spansOf(foldEntity(entity))
    return entityRevisions(this.#deps.tables.changes, spans, (number) => this.#at(number))
  }

  /**
   * The revisions in the scope of an entity, newest first: those that changed it; of a group also those of
   * the pipelines in it, with what they took along when they were moved or renamed, and of those that
   * have left it, until they did. Pipelines are followed back only to where they left a group that is not open.
   */
  async revisionsIn(
    entity: string,
    groups: OpenGroups = null,
  ): Promise<Pick<EntityRevisions, 'revisions'>> {
    const name = foldEntity(entity)
    await this.settle()
    const read = (number: number) => this.#at(number)
    if (!name.startsWith(GROUP)) {
      const spans = this.#spansOf(name, { groups })
      return entityRevisions(this.#deps.tables.changes, spans, read)
    }
    const members = await this.#membersOf(name)
    const changed = await runCooperatively(this.#changedIn(name, { members, groups }))
    return { revisions: foundRevisions(name, changed, read) }
  }

  /**
   * The newest revisions between two numbers that changed an entity, newest first, under the name
   * that it had at the end of them and those from before.
   */
  revisionsBetween(
    entity: string,
    { above, below }: NumberBounds,
    limit: number,
  ): readonly NamedRevision[] {
    const { changes } = this.#deps.tables
    const found: NamedRevision[] = []
    let name = foldEntity(entity)
    for (let end = below; end > above + 1 && found.length < limit;) {
      const renaming = changes.renaming(name, end)
      const bounds = { above: Math.max(above, (renaming?.number ?? 1) - 1), below: end }
      const numbers = changes.newest(name, bounds, limit - found.length)
      for (const number of numbers) found.push({ entity: name, revision: this.#at(number) })
      if (renaming === null) break
      name = renaming.former
      end = renaming.number
    }
    return found
  }

  /** The newest indexed revision that changed one of some entities, in folded spelling, under these names. */
  newestOf(entities: readonly string[]): Revision | null {
    const { changes } = this.#deps.tables
    const everything = { above: 0, below: Number.POSITIVE_INFINITY }
    const newest = entities.flatMap((entity) => changes.newest(entity, everything, 1))
    return newest.length === 0 ? null : this.#at(Math.max(...newest))
  }

  /** The names of an entity below some revision, the latest first. */
  #spansOf(
    latest: string,
    { end = Number.POSITIVE_INFINITY, groups = null }: SpanOptions = {},
  ): readonly NameSpan[] {
    const { changes } = this.#deps.tables
    const spans: NameSpan[] = []
    let [name, below] = [latest, end]
    for (;;) {
      const renaming = changes.renaming(name, below)
      const above = renaming === null ? 0 : renaming.number - 1
      const closed =
        groups === null
          ? undefined
          : changes
              .groupsLeft(name, { above, below: below + 1 })
              .find(({ group }) => !groups.has(group))
      spans.push({ entity: name, above: Math.max(above, closed?.number ?? 0), below })
      if (renaming === null || closed !== undefined) return spans
      name = renaming.former
      below = renaming.number
    }
  }

  /** The pipelines that are in a group now. */
  async #membersOf(group: string): Promise<readonly string[]> {
    const { history, summary } = this.#deps
    const current = history.current()
    const document = summary.find(current.digest) ?? (await history.readAsWritten(current))
    const reading = document instanceof Uint8Array ? await summary.read(document) : document
    if ('problems' in reading) return []
    return PIPELINES.flatMap((kind) => entitiesIn(reading.root, kind)).flatMap((pipeline) => {
      const holder = pipeline.element.parent && entityOf(pipeline.element.parent)
      const isIn = holder !== null && foldEntity(entityName(holder)) === group
      return isIn ? [foldEntity(entityName(pipeline))] : []
    })
  }

  /** The names of what each revision changed in the scope of a group, by its number, newest first. */
  *#changedIn(
    group: string,
    { members, groups }: { readonly members: readonly string[]; readonly groups: OpenGroups },
  ): CooperativeWork<readonly (readonly [number: number, entities: readonly string[]])[]> {
    const { changes } = this.#deps.tables
    const own = this.#spansOf(group)
    const left = own.flatMap((span) => changes.leaves(span.entity, span))
    const found = new Map<number, string[]>()
    const addAll = (spans: readonly NameSpan[]) => {
      for (const span of spans) {
        const numbers = changes.newest(span.entity, span, MAX_NUMBER)
        for (const number of numbers) addToGroup(found, number, span.entity)
      }
    }
    addAll(own)
    for (const name of members) yield addAll(this.#spansOf(name, { groups }))
    // The group itself is open: what left it is followed to this very revision, and then back.
    for (const { pipeline, number } of left) {
      yield addAll(this.#spansOf(pipeline, { end: number, groups }))
      addToGroup(found, number, pipeline)
    }
    return [...found].toSorted(([one], [other]) => other - one)
  }

  async #readInSlices(revision: Revision): Promise<void> {
    const { commit } = revision
    try {
      const stored = this.findStored(revision)
      if (stored !== null)
        this.#byEntity.set(commit, await runCooperatively(changesByEntity(stored)))
    } finally {
      this.#reading.delete(commit)
    }
  }

  /** @throws {ServiceError} `revision-not-found` when the history was rewritten since it was indexed. */
  #at(number: number): Revision {
    const { history, tables } = this.#deps
    const revision = history.at(number)
    if (revision !== null && tables.revisions.isAt(number, revision)) return revision
    const message = `The history no longer has the revision ${number} that was indexed`
    throw new ServiceError('revision-not-found', message, { commit: `r${number}` })
  }

  #isIndexedAt(number: number): boolean {
    const revision = this.#deps.history.at(number)
    return revision !== null && this.isIndexed(revision)
  }

  /** The number of an indexed revision; null for others. */
  #numberOf(revision: Revision): number | null {
    const { history, walker, tables } = this.#deps
    const number = history.numberOf(revision)
    if (number === null || !walker.isWalked(number)) return null
    return tables.revisions.isAt(number, revision) ? number : null
  }
}

/** The changes in stored form by each entity that they are about; some of them in each step. */
function* changesByEntity(stored: string): CooperativeWork<ChangesByEntity> {
  const found = new Map<string, DocumentChange[]>()
  const changes = parseChanges(stored)
  for (const change of changes) {
    for (const entity of foldedEntitiesOf([change])) addToGroup(found, entity, change)
    yield
  }
  return found
}

/** A change with the name of its entity in front. */
export function sentenceOf(change: DocumentChange): string {
  return `${change.label} ${renderChange(change)}`
}
