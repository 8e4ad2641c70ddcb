import type { Revision } from '../core/revision.ts'
import { LazyList } from '../lib/lazy-list.ts'
import type { EntityEntry } from './entity-entries.ts'

/** A revision that changed an entity, with the name that the entity had then. */
export interface EntityRevision {
  /** Its number in the history. */
  readonly number: number
  /** In the spelling that `foldEntity` gives. */
  readonly entity: string
  /**
   * Read when it is asked for: a page shows twenty of possibly a hundred thousand.
   *
   * @throws {ServiceError} `revision-not-found` when the history was rewritten since.
   */
  readonly revision: Revision
}

/** The revisions that changed an entity, under its former names too. */
export interface EntityRevisions {
  /** Newest first. */
  readonly revisions: LazyList<EntityRevision>
  /** The names that it had in them, in folded spelling, the latest first; one may occur twice. */
  readonly names: readonly string[]
}

/** The revisions that changed an entity while it had one name, newest first. */
export interface UnderOneName {
  readonly entity: string
  readonly entries: readonly EntityEntry[]
}

/** The revisions under all names, the latest name first. */
export function entityRevisions(
  parts: readonly UnderOneName[],
  read: (entry: EntityEntry) => Revision,
): EntityRevisions {
  const named = parts.filter(({ entries }) => entries.length > 0)
  const length = named.reduce((sum, { entries }) => sum + entries.length, 0)
  const revisions = new LazyList(length, (place) => {
    let start = 0
    for (const { entity, entries } of named) {
      const entry = entries[place - start]
      if (entry !== undefined) return new FoundRevision(entry, entity, read)
      start += entries.length
    }
    return undefined
  })
  return { revisions, names: named.map(({ entity }) => entity) }
}

class FoundRevision implements EntityRevision {
  readonly number: number
  readonly entity: string
  readonly #entry: EntityEntry
  readonly #read: (entry: EntityEntry) => Revision

  constructor(entry: EntityEntry, entity: string, read: (entry: EntityEntry) => Revision) {
    this.number = entry.number
    this.entity = entity
    this.#entry = entry
    this.#read = read
  }

  get revision(): Revision {
    return this.#read(this.#entry)
  }
}
