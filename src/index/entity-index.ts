import { LRUCache } from 'lru-cache'
import type { DocumentChange } from '../document/entities/change.ts'
import { foldEntity } from '../document/entities/entities.ts'
import type { EntityRenames } from '../document/changes/compare-entities.ts'
import { renderChange } from '../document/changes/render-change.ts'
import { ServiceError } from '../core/errors.ts'
import { bisect } from '../lib/bisect.ts'
import { type CooperativeWork, runCooperatively, runSync } from '../lib/cooperative.ts'
import type { Revision } from '../core/revision.ts'
import type { Lineage } from '../history/history.ts'
import { type IndexProgress, isSettled, waitForIndex } from './index-progress.ts'
import { EntityEntries, type EntityEntry } from './entity-entries.ts'
import { type EntityRevisions, entityRevisions, type UnderOneName } from './entity-revisions.ts'
import { ChangeIndexer, type ChangeIndexerDeps } from './change-indexer.ts'
import type { Renames } from './indexed-changes.ts'
import { foldedEntitiesOf, labelsOf, parseChanges } from './revision-changes.ts'

export interface EntityIndexDeps extends ChangeIndexerDeps {
  /** How long a query waits for the index to be complete, in milliseconds. */
  readonly patience?: number
}

/** An entity that some revision changed. */
export interface KnownEntity {
  /** In folded spelling, such as `pipeline/shop`. */
  readonly entity: string
  /** Its name as the configuration spells it; the host name of an agent. Looked up when asked for. */
  readonly label: () => string
  /** How many revisions changed it under this name. */
  readonly revisions: number
}

/** The changes of whole pipelines or groups contain one of these. */
const WHOLE = ['"subject":"pipeline', '"subject":"group']

/** How long a page waits for an index that is nearly complete. */
const SHORT_WAIT_MS = 500

/** The most revisions whose sentences stay in memory: those of a search in a long history are made each time. */
const MOST_SENTENCES = 100_000

/** The most entities with their changes that stay in memory. */
const MOST_CHANGES = 100_000

type ChangesByEntity = ReadonlyMap<string, readonly DocumentChange[]>

/** Answers what each revision changed, and which revisions changed an entity. Derived from the history. */
export class EntityIndex implements AsyncDisposable {
  readonly #deps: EntityIndexDeps
  readonly #indexer: ChangeIndexer
  readonly #entries: EntityEntries
  /** By the number of the stored changes. With `max`, the cache would take the room of all of them at the start. */
  readonly #sentences = new LRUCache<number, string>({
    maxSize: MOST_SENTENCES,
    sizeCalculation: () => 1,
  })
  /** Also by that number: a page asks about dozens of entities that one revision changed. */
  readonly #byEntity = new LRUCache<number, ChangesByEntity>({
    maxSize: MOST_CHANGES,
    sizeCalculation: ({ size }) => size + 1,
  })
  readonly #reading = new Map<number, Promise<void>>()

  constructor(deps: EntityIndexDeps) {
    this.#deps = deps
    this.#indexer = new ChangeIndexer(deps)
    this.#entries = new EntityEntries(deps.history, this.#indexer)
  }

  /** Begins to index; otherwise the first query does. */
  begin(): void {
    this.#indexer.begin()
  }

  isIndexed(revision: Revision): boolean {
    return this.#indexer.isIndexed(revision)
  }

  /** What a revision changed, and a merge itself; null while it is not indexed. */
  find(revision: Revision): readonly DocumentChange[] | null {
    const stored = this.findStored(revision)
    return stored === null ? null : parseChanges(stored)
  }

  /** The same in stored form, for `parseChanges`: it costs little, however many changes there are. */
  findStored(revision: Revision): string | null {
    const text = this.#textOf(revision)
    return text === null ? null : this.#indexer.indexed.stored(text)
  }

  /**
   * What differs between two revisions in stored form, where that is what the later one changed: it
   * came upon the earlier one and upon no other. Null for all other pairs.
   */
  findStep(before: Revision, after: Revision): string | null {
    const { history } = this.#deps
    const [base, ...others] = history.basesOf(after)
    const isStep = base === before.commit && others.length === 0
    // What came before the first revision that is listed was not at hand when it was indexed.
    const isListed = (history.numberOf(before) ?? 0) > history.size() - history.kept()
    return isStep && isListed ? this.findStored(after) : null
  }

  /** The names of entities in one revision and in another, where revisions between them have renamed them. */
  renamesBetween(before: Revision, after: Revision): EntityRenames {
    const { history } = this.#deps
    const { indexed } = this.#indexer
    const [from, to] = [history.numberOf(before), history.numberOf(after)]
    if (from === null || to === null) return []
    const [low, high] = [Math.min(from, to), Math.max(from, to)]
    const steps = Array.from(indexed.renaming(), (commit) => ({
      number: history.numberOf({ commit: indexed.commitOf(commit) }) ?? 0,
      renames: indexed.renamesOf(commit),
    }))
    const onTheWay = steps.filter(({ number }) => number > low && number <= high)
    const renames = joinRenames(
      onTheWay.toSorted((one, other) => one.number - other.number).map((step) => step.renames),
    )
    return from <= to ? renames : renames.map(([former, name]) => [name, former])
  }

  /** Those that are about an entity, in folded spelling, under its new or its former name. */
  changesAbout(revision: Revision, entity: string): readonly DocumentChange[] {
    const text = this.#textOf(revision)
    if (text === null) return []
    const known = this.#byEntity.get(text)
    const found = known ?? runSync(changesByEntity(this.#indexer.indexed.stored(text)))
    if (!known) this.#byEntity.set(text, found)
    return found.get(entity) ?? []
  }

  /** Reads what a revision changed in time slices, once for all who ask, so that `changesAbout` is quick. */
  async readChanges(revision: Revision): Promise<void> {
    const text = this.#textOf(revision)
    if (text === null || this.#byEntity.has(text)) return
    const reading = this.#reading.get(text) ?? this.#readInSlices(text)
    this.#reading.set(text, reading)
    await reading
  }

  /** The changes of a revision as sentences, in lower case for searches; cached. None while it is not indexed. */
  textOf(revision: Revision): string {
    const text = this.#textOf(revision)
    if (text === null) return ''
    const cached = this.#sentences.get(text) ?? sentencesIn(this.#indexer.indexed.stored(text))
    this.#sentences.set(text, cached)
    return cached
  }

  /** Whether a revision changed only layout, line endings or the schema version; false while it is not indexed. */
  isCosmetic(revision: Revision): boolean {
    const { indexed } = this.#indexer
    return indexed.isCosmetic(revision.commit, this.#indexer.before(revision)) === true
  }

  /** The same of a revision whose bases are at hand; null while it is not indexed. */
  isCosmeticUpon({ commit, bases }: Lineage): boolean | null {
    return this.#indexer.indexed.isCosmetic(commit, bases[0] ?? null)
  }

  /** Whether a revision may have added, removed, renamed or moved a pipeline or a group. */
  mayMove(revision: Revision): boolean {
    const stored = this.findStored(revision)
    return stored === null || WHOLE.some((word) => stored.includes(word))
  }

  /** Every entity that an indexed revision changed, also those that are gone. */
  entities(): readonly KnownEntity[] {
    const { indexed } = this.#indexer
    const known = new Map<number, ReadonlyMap<string, string>>()
    const labelsIn = (text: number) => {
      const labels = known.get(text) ?? labelsOf(indexed.stored(text))
      known.set(text, labels)
      return labels
    }
    return Array.from(indexed.entities(), ({ entity, revisions, text }) => ({
      entity,
      revisions,
      label: () => labelsIn(text).get(entity) ?? entity.slice(entity.indexOf('/') + 1),
    }))
  }

  /** How many revisions are indexed, and how many there are. */
  progress(): IndexProgress {
    return { indexed: this.#indexer.indexed.size, of: this.#deps.history.kept() }
  }

  /**
   * Waits until every revision is indexed.
   *
   * @throws {ServiceError} `unavailable` when that takes too long.
   */
  async settle(): Promise<void> {
    await waitForIndex(this.#indexer.settle(), () => this.progress(), this.#deps.patience)
  }

  /**
   * The revisions that changed an entity, under its former names too. The cost does not grow with
   * revisions that did not, and hardly with those that did.
   *
   * @throws {ServiceError} `unavailable` when indexing takes too long.
   */
  async revisionsOf(entity: string): Promise<EntityRevisions> {
    await this.settle()
    return this.#revisionsOf(entity)
  }

  /** The same as far as it is indexed, newest revisions first: a page does not wait for a long history. */
  async knownRevisionsOf(entity: string): Promise<EntityRevisions> {
    await isSettled(this.#indexer.settle(), SHORT_WAIT_MS)
    return this.#revisionsOf(entity)
  }

  #revisionsOf(entity: string): EntityRevisions {
    const parts: UnderOneName[] = []
    let name = foldEntity(entity)
    for (let below = Number.POSITIVE_INFINITY; ;) {
      const { entries, renaming } = this.#entries.about(name)
      const isNewName = ({ number, renames }: EntityEntry) =>
        number < below && formerIn(renames, name) !== null
      const first = renaming.find(isNewName)
      parts.push({ entity: name, entries: between(entries, first?.number ?? 0, below) })
      const former = first && formerIn(first.renames, name)
      if (!former) return entityRevisions(parts, (entry) => this.#revisionOf(entry))
      name = former
      below = first.number
    }
  }

  /** The newest indexed revision that changed one of some entities, in folded spelling, under these names. */
  newestOf(entities: readonly string[]): Revision | null {
    const newest = entities.flatMap((entity) => this.#entries.about(entity).entries[0] ?? [])
    const [last] = newest.toSorted((one, other) => other.number - one.number)
    return last === undefined ? null : this.#revisionOf(last)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#indexer[Symbol.asyncDispose]()
  }

  async #readInSlices(text: number): Promise<void> {
    try {
      const stored = this.#indexer.indexed.stored(text)
      this.#byEntity.set(text, await runCooperatively(changesByEntity(stored)))
    } finally {
      this.#reading.delete(text)
    }
  }

  #revisionOf({ commit }: EntityEntry): Revision {
    const name = this.#indexer.indexed.commitOf(commit)
    const revision = this.#deps.history.findCommit(name)
    if (revision !== null) return revision
    const message = `The history no longer has ${name}`
    throw new ServiceError('revision-not-found', message, { commit: name })
  }

  /** The number of the stored changes of a revision; null while it is not indexed. */
  #textOf(revision: Revision): number | null {
    return this.isIndexed(revision) ? this.#indexer.indexed.find(revision.commit) : null
  }
}

/** The first and the last names of entities that revisions renamed one after the other. */
function joinRenames(steps: readonly Renames[]): EntityRenames {
  let firstNames: ReadonlyMap<string, string> = new Map()
  for (const renames of steps) {
    const former = new Set(renames.map(([, name]) => name))
    const others = [...firstNames].filter(([name]) => !former.has(name))
    const renamed = renames.map(
      ([name, before]) => [name, firstNames.get(before) ?? before] as const,
    )
    firstNames = new Map([...others, ...renamed])
  }
  return Array.from(firstNames, ([name, first]) => [first, name])
}

/** The changes in stored form by each entity that they are about; some of them in each step. */
function* changesByEntity(stored: string): CooperativeWork<ChangesByEntity> {
  const found = new Map<string, DocumentChange[]>()
  const changes = parseChanges(stored)
  for (const change of changes) {
    for (const entity of foldedEntitiesOf([change])) {
      const known = found.get(entity)
      if (known) known.push(change)
      else found.set(entity, [change])
    }
    yield
  }
  return found
}

/** A change with the name of its entity in front. */
export function sentenceOf(change: DocumentChange): string {
  return `${change.label} ${renderChange(change)}`
}

function sentencesIn(stored: string): string {
  return parseChanges(stored).map(sentenceOf).join('\n').toLowerCase()
}

/** The entries from a revision on, and before another one. */
function between(
  entries: readonly EntityEntry[],
  since: number,
  below: number,
): readonly EntityEntry[] {
  const placeOf = (number: number) =>
    bisect({ high: entries.length }, (n) => (entries[n]?.number ?? 0) >= number)
  const [start, end] = [placeOf(below), placeOf(since)]
  return start === 0 && end === entries.length ? entries : entries.slice(start, end)
}

function formerIn(renames: Renames, entity: string): string | null {
  return renames.find(([name]) => name === entity)?.[1] ?? null
}
