import type { Revision } from '../core/revision.ts'
import { LazyList } from '../lib/lazy-list.ts'
import type { NumberBounds, ChangeTable } from './tables/change-table.ts'

/** The revisions that changed an entity, under its former names too. */
export interface EntityRevisions {
  /** Newest first. */
  readonly revisions: LazyList<EntityRevision>
  /** The names that it had in them, in folded spelling, the latest first; one may occur twice. */
  readonly names: readonly string[]
}

/** The time in which an entity had one name, as numbers of revisions. */
export interface NameSpan extends NumberBounds {
  readonly entity: string
}

/** The revisions under all names, the latest name first. Only as many are read as are asked for. */
export function entityRevisions(
  table: ChangeTable,
  spans: readonly NameSpan[],
  read: (number: number) => Revision,
): EntityRevisions {
  const parts = spans
    .map((span) => new PartOfEntity(table, span))
    .filter(({ length }) => length > 0)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const revisions = new LazyList(length, (place) => {
    let start = 0
    for (const part of parts) {
      const number = part.at(place - start)
      if (number !== undefined) {
        const { entity } = part
        return new EntityRevision({ number, entity, changed: [entity] }, read)
      }
      start += part.length
    }
    return undefined
  })
  return { revisions, names: parts.map(({ entity }) => entity) }
}

/** Revisions by their numbers, each with what it changed in the scope of an entity, read when they are asked for. */
export function foundRevisions(
  entity: string,
  changed: readonly (readonly [number: number, entities: readonly string[]])[],
  read: (number: number) => Revision,
): LazyList<EntityRevision> {
  return LazyList.of(
    changed.map(
      ([number, entities]) => new EntityRevision({ number, entity, changed: entities }, read),
    ),
  )
}

/** The revisions that are read first; then twice as many each time. */
const FIRST = 64

/** The numbers of the revisions under one name, newest first. */
class PartOfEntity {
  readonly entity: string
  readonly length: number
  readonly #table: ChangeTable
  readonly #span: NameSpan
  #numbers: readonly number[] = []

  constructor(table: ChangeTable, span: NameSpan) {
    this.entity = span.entity
    this.length = table.count(span.entity, span)
    this.#table = table
    this.#span = span
  }

  at(place: number): number | undefined {
    if (place < 0 || place >= this.length) return undefined
    if (place >= this.#numbers.length) {
      const limit = Math.max(FIRST, 2 * (place + 1))
      this.#numbers = this.#table.newest(this.entity, this.#span, limit)
    }
    return this.#numbers[place]
  }
}

/** A revision that changed an entity, with the name that the entity had then. */
export class EntityRevision {
  /** Its number in the history. */
  readonly number: number
  /** In the spelling that `foldEntity` gives. */
  readonly entity: string
  /** The same names of all that it changed in the scope in question: of a group, also of its pipelines. */
  readonly changed: readonly string[]
  readonly #read: (number: number) => Revision

  constructor(
    { number, entity, changed }: Omit<EntityRevision, 'revision'>,
    read: (number: number) => Revision,
  ) {
    this.number = number
    this.entity = entity
    this.changed = changed
    this.#read = read
  }

  /**
   * Read when it is asked for: a page shows twenty of possibly a hundred thousand.
   *
   * @throws {ServiceError} `revision-not-found` when the history was rewritten since.
   */
  get revision(): Revision {
    return this.#read(this.number)
  }
}
