import type { DocumentChange } from '../../document/entities/change.ts'
import { foldEntity } from '../../document/entities/entities.ts'
import { isCosmetic } from '../../document/changes/entities-of.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import type { Revision } from '../../core/revision.ts'
import { memoize } from '../../lib/memoize.ts'
import { type IndexProgress, waitForIndex } from './index-progress.ts'
import { EntityEntries } from './entity-entries.ts'
import { ChangeIndexer, type ChangeIndexerDeps } from './change-indexer.ts'
import { changesOf, labelsOf, type RevisionChanges } from './revision-changes.ts'

export interface EntityIndexDeps extends ChangeIndexerDeps {
  /** How long a query waits for the index to be complete, in milliseconds. */
  readonly patience?: number
}

/** A revision that changed an entity, with the name that the entity had then. */
export interface EntityRevision {
  readonly revision: Revision
  /** In the spelling that `foldEntity` gives. */
  readonly entity: string
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

/** Answers what each revision changed, and which revisions changed an entity. Derived from the history. */
export class EntityIndex implements AsyncDisposable {
  readonly #deps: EntityIndexDeps
  readonly #indexer: ChangeIndexer
  readonly #entries: EntityEntries
  readonly #texts = new WeakMap<RevisionChanges, string>()
  readonly #cosmetic = new WeakMap<RevisionChanges, boolean>()

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

  /** What a revision changed in the one before it; null while it is not indexed. */
  find(revision: Revision): readonly DocumentChange[] | null {
    const changes = this.#indexer.indexed.find(revision.commit)
    return changes && this.#indexer.isIndexed(revision) ? changesOf(changes) : null
  }

  /** The same in stored form, for `parseChanges`: it costs nothing, however many changes there are. */
  findStored(revision: Revision): string | null {
    const changes = this.#indexer.indexed.find(revision.commit)
    return changes && this.#indexer.isIndexed(revision) ? changes.changes : null
  }

  /** The changes of a revision as sentences, in lower case for searches; cached. None while it is not indexed. */
  textOf(revision: Revision): string {
    const changes = this.#indexer.indexed.find(revision.commit)
    if (changes === null || !this.#indexer.isIndexed(revision)) return ''
    const cached =
      this.#texts.get(changes) ?? changesOf(changes).map(sentenceOf).join('\n').toLowerCase()
    this.#texts.set(changes, cached)
    return cached
  }

  /** Whether a revision changed only layout or the schema version; false while it is not indexed. */
  isCosmetic(revision: Revision): boolean {
    const changes = this.#indexer.indexed.find(revision.commit)
    if (changes === null || !this.#indexer.isIndexed(revision)) return false
    const cached =
      this.#cosmetic.get(changes) ?? (mayBeCosmetic(changes) && isCosmetic(changesOf(changes)))
    this.#cosmetic.set(changes, cached)
    return cached
  }

  /** Whether a revision may have added, removed, renamed or moved a pipeline or a group. */
  mayMove(revision: Revision): boolean {
    const changes = this.#indexer.indexed.find(revision.commit)
    if (changes === null || !this.#indexer.isIndexed(revision)) return true
    return WHOLE.some((word) => changes.changes.includes(word))
  }

  /** Every entity that an indexed revision changed, also those that are gone. */
  entities(): readonly KnownEntity[] {
    const labelsIn = memoize(labelsOf)
    return Array.from(this.#indexer.indexed.entities(), ({ entity, revisions, one }) => ({
      entity,
      revisions,
      label: () => labelsIn(one).get(entity) ?? entity.slice(entity.indexOf('/') + 1),
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
   * The revisions that changed an entity, newest first, under its former names too. Its cost does
   * not grow with revisions that did not.
   *
   * @throws {ServiceError} `unavailable` when indexing takes too long.
   */
  async revisionsOf(entity: string): Promise<readonly EntityRevision[]> {
    await this.settle()
    const found: EntityRevision[] = []
    let name = foldEntity(entity)
    for (let below = Number.POSITIVE_INFINITY; ;) {
      const entries = this.#entries.about(name).filter(({ number }) => number < below)
      const renaming = entries.find(({ changes }) => formerOf(changes, name) !== null)
      const since = renaming?.number ?? 0
      for (const { revision, number } of entries) {
        if (number >= since) found.push({ revision, entity: name })
      }
      const former = renaming && formerOf(renaming.changes, name)
      if (!former) return found
      name = former
      below = since
    }
  }

  /** The newest indexed revision that changed one of some entities, in folded spelling, under these names. */
  newestOf(entities: readonly string[]): Revision | null {
    const newest = entities.flatMap((entity) => this.#entries.about(entity).slice(0, 1))
    return newest.toSorted((one, other) => other.number - one.number)[0]?.revision ?? null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#indexer[Symbol.asyncDispose]()
  }
}

/** A change with the name of its entity in front. */
export function sentenceOf(change: DocumentChange): string {
  return `${change.label} ${renderChange(change)}`
}

/** A quick test that avoids parsing the changes of most revisions. */
function mayBeCosmetic({ changes }: RevisionChanges): boolean {
  return changes.includes('"layout"') || changes.includes('"schemaVersion"')
}

function formerOf({ renames }: RevisionChanges, entity: string): string | null {
  return renames.find(([name]) => name === entity)?.[1] ?? null
}
