import { isCosmetic } from '../../document/changes/entities-of.ts'

import type { IndexDatabase } from '../database/index-database.ts'
import {
  bytesIn,
  checked,
  checkedIn,
  type DerivedRow,
  numberIn,
  numberOfRow,
  textIn,
} from '../database/index-rows.ts'
import { rowIdOf } from '../database/row-ids.ts'
import { type RevisionChanges, changesOfRevision } from './revision-changes.ts'
import type { Step } from './step.ts'

/** The changes of a revision, as the tables have them. */
export interface ChangeRecord extends RevisionChanges {
  readonly number: number
  readonly isCosmetic: boolean
  /** Whether entities and searches find it. */
  readonly isListed: boolean
}

export function changeRecordOf({ number, isListed, changes, groups }: Step): ChangeRecord {
  const changed = changesOfRevision(changes, groups)
  return { number, isListed, isCosmetic: isListed && isCosmetic(changes), ...changed }
}

/** An entity that some revision changed. */
export interface EntityRow {
  readonly entity: string
  readonly label: string
  readonly revisions: number
}

/** A revision that renamed an entity. */
export interface RenameRow {
  readonly number: number
  readonly name: string
  readonly former: string
}

/** A revision that removed a pipeline from a group, or moved it away. */
export interface LeaveRow {
  readonly number: number
  readonly pipeline: string
}

/** A revision in which a pipeline left a group. */
export interface GroupLeftRow {
  readonly number: number
  /** In folded spelling, such as `group/shop`. */
  readonly group: string
}

/** The numbers above one and below another. */
export interface NumberBounds {
  readonly above: number
  readonly below: number
}

const CHANGES = `CREATE TABLE changes (id INTEGER PRIMARY KEY, is_cosmetic INTEGER NOT NULL,
  stored BLOB NOT NULL) STRICT`
const COSMETIC = 'CREATE INDEX cosmetic ON changes (id) WHERE is_cosmetic = 1'
const ENTITY = `CREATE TABLE entity (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, label TEXT NOT NULL,
  revisions INTEGER NOT NULL, newest INTEGER NOT NULL) STRICT`
const CHANGED = `CREATE TABLE changed (entity INTEGER NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY (entity, number)) STRICT, WITHOUT ROWID`
const RENAMED = `CREATE TABLE renamed (name TEXT NOT NULL, number INTEGER NOT NULL, former TEXT NOT NULL,
  PRIMARY KEY (name, number, former)) STRICT, WITHOUT ROWID`
const RENAMED_BY = 'CREATE INDEX renamed_by ON renamed (number)'
const LEFT = `CREATE TABLE left_group (grp TEXT NOT NULL, number INTEGER NOT NULL, pipeline TEXT NOT NULL,
  PRIMARY KEY (grp, number, pipeline)) STRICT, WITHOUT ROWID`
const LEFT_BY = 'CREATE INDEX left_by ON left_group (number)'
const LEFT_THEM = 'CREATE INDEX left_them ON left_group (pipeline, number)'
const NOTE_ENTITY = `INSERT INTO entity (name, label, revisions, newest) VALUES (?, ?, 1, ?)
  ON CONFLICT (name) DO UPDATE SET revisions = revisions + 1,
  label = iif(excluded.newest >= newest, excluded.label, label), newest = max(newest, excluded.newest)
  RETURNING id`
const FORGET_ENTITIES = `UPDATE entity SET revisions = revisions - gone.count
  FROM (SELECT entity, count(*) AS count FROM changed WHERE number > ? GROUP BY entity) AS gone
  WHERE gone.entity = entity.id`
const NEWEST_OF_ENTITIES = `UPDATE entity SET newest = (SELECT max(number) FROM changed WHERE entity = id)
  WHERE newest > ?`

const BETWEEN = 'entity = (SELECT id FROM entity WHERE name = ?) AND number > ? AND number < ?'
const STORED_BETWEEN = `SELECT name, stored FROM changes JOIN revision USING (id)
  WHERE id < ? AND id > ? ORDER BY id DESC`
const NEWEST_COSMETIC = `SELECT id FROM changes WHERE is_cosmetic = 1 AND id > ?
  ORDER BY id LIMIT ?`
const COUNT_BETWEEN = `SELECT count(*) AS count FROM changed WHERE ${BETWEEN}`
const NEWEST_BETWEEN = `SELECT number FROM changed WHERE ${BETWEEN} ORDER BY number DESC LIMIT ?`
const LEFT_BETWEEN =
  'SELECT pipeline, number FROM left_group WHERE grp = ? AND number > ? AND number < ?'
const LEFT_OF_PIPELINE = `SELECT grp, number FROM left_group
  WHERE pipeline = ? AND number > ? AND number < ? ORDER BY number DESC`
const NEWEST_RENAMING = `SELECT name, number, former FROM renamed WHERE name = ? AND number < ?
  ORDER BY number DESC LIMIT 1`
const RENAMED_BETWEEN = `SELECT name, number, former FROM renamed WHERE number > ? AND number < ?
  ORDER BY number`

/** The changes of each revision, and which revisions changed an entity, in folded spelling. */
export class ChangeTable {
  static readonly tables = [
    CHANGES,
    COSMETIC,
    ENTITY,
    CHANGED,
    RENAMED,
    RENAMED_BY,
    LEFT,
    LEFT_BY,
    LEFT_THEM,
  ]
  readonly #database: IndexDatabase

  constructor(database: IndexDatabase) {
    this.#database = database
  }

  /** The stored changes of a revision; null for one that was not walked. */
  stored(number: number): string | null {
    return this.#database.read(() => {
      const [row] = this.#database.rows('SELECT stored FROM changes WHERE id = ?', rowIdOf(number))
      return row === undefined ? null : checkedIn(row, 'stored').toString()
    }, null)
  }

  /** The stored changes of the revisions with these numbers, by the names of their commits. */
  storedBetween({ above, below }: NumberBounds): ReadonlyMap<string, string> {
    return this.#database.read(() => {
      const rows = this.#database.rows(STORED_BETWEEN, rowIdOf(above), rowIdOf(below))
      return new Map(
        rows.map((row) => [
          bytesIn(row, 'name').toString('hex'),
          checkedIn(row, 'stored').toString(),
        ]),
      )
    }, new Map())
  }

  isCosmetic(number: number): boolean {
    const sql = 'SELECT 1 FROM changes WHERE id = ? AND is_cosmetic = 1'
    return this.#database.rows(sql, rowIdOf(number)).length > 0
  }

  countCosmetic(): number {
    const sql = 'SELECT count(*) AS count FROM changes WHERE is_cosmetic = 1'
    return this.#database.list(countIn, sql)[0] ?? 0
  }

  /** The newest revisions below a number that changed only that, newest first. */
  cosmetic(below: number, limit: number): readonly number[] {
    return this.#database.list(numberOfRow, NEWEST_COSMETIC, rowIdOf(below), limit)
  }

  entities(): readonly EntityRow[] {
    return this.#database.list(entityIn, 'SELECT name, label, revisions FROM entity')
  }

  /** How many revisions changed an entity. */
  count(entity: string, { above, below }: NumberBounds): number {
    const isWhole = above === 0 && below === Number.POSITIVE_INFINITY
    const [count] = isWhole
      ? this.#database.list(countIn, 'SELECT revisions AS count FROM entity WHERE name = ?', entity)
      : this.#database.list(countIn, COUNT_BETWEEN, entity, above, limited(below))
    return count ?? 0
  }

  /** The numbers of the newest revisions that changed an entity, newest first. */
  newest(entity: string, { above, below }: NumberBounds, limit: number): readonly number[] {
    return this.#database.list(
      (row) => numberIn(row, 'number'),
      NEWEST_BETWEEN,
      entity,
      above,
      limited(below),
      limit,
    )
  }

  /** The pipelines that left a group, by their names then, with the revisions of that. */
  leaves(group: string, { above, below }: NumberBounds): readonly LeaveRow[] {
    return this.#database.list(leaveIn, LEFT_BETWEEN, group, above, limited(below))
  }

  /** The groups that a pipeline left under a name, with the revisions of that, newest first. */
  groupsLeft(pipeline: string, { above, below }: NumberBounds): readonly GroupLeftRow[] {
    return this.#database.list(groupLeftIn, LEFT_OF_PIPELINE, pipeline, above, limited(below))
  }

  /** The newest revision below a number that gave an entity its name. */
  renaming(name: string, below: number): RenameRow | null {
    return this.#database.list(renameIn, NEWEST_RENAMING, name, limited(below))[0] ?? null
  }

  /** The renames by revisions, oldest first. */
  renames({ above, below }: NumberBounds): readonly RenameRow[] {
    return this.#database.list(renameIn, RENAMED_BETWEEN, above, limited(below))
  }

  *put(record: ChangeRecord): Generator<unknown, void> {
    const { number, stored, entities, renames } = record
    this.#database.run(
      'INSERT OR REPLACE INTO changes VALUES (?, ?, ?)',
      rowIdOf(number),
      record.isCosmetic ? 1 : 0,
      checked(Buffer.from(stored)),
    )
    if (!record.isListed) return
    for (const [entity, label] of entities) {
      const name = label ?? entity.slice(entity.indexOf('/') + 1)
      for (const row of this.#database.run(NOTE_ENTITY, entity, name, number))
        this.#database.run(
          'INSERT OR IGNORE INTO changed VALUES (?, ?)',
          numberIn(row, 'id'),
          number,
        )
      yield
    }
    for (const [pipeline, group] of record.leaves)
      this.#database.run(
        'INSERT OR IGNORE INTO left_group VALUES (?, ?, ?)',
        group,
        number,
        pipeline,
      )
    for (const [name, former] of renames)
      this.#database.run('INSERT OR IGNORE INTO renamed VALUES (?, ?, ?)', name, number, former)
  }

  dropAbove(number: number): void {
    this.#database.run(FORGET_ENTITIES, number)
    this.#database.run('DELETE FROM changed WHERE number > ?', number)
    this.#database.run('DELETE FROM entity WHERE revisions = 0')
    this.#database.run(NEWEST_OF_ENTITIES, number)
    this.#database.run('DELETE FROM renamed WHERE number > ?', number)
    this.#database.run('DELETE FROM left_group WHERE number > ?', number)
    this.#database.run('DELETE FROM changes WHERE id < ?', rowIdOf(number))
  }
}

function countIn(row: DerivedRow): number {
  return numberIn(row, 'count')
}

function entityIn(row: DerivedRow): EntityRow {
  return {
    entity: textIn(row, 'name'),
    label: textIn(row, 'label'),
    revisions: numberIn(row, 'revisions'),
  }
}

function renameIn(row: DerivedRow): RenameRow {
  return {
    name: textIn(row, 'name'),
    number: numberIn(row, 'number'),
    former: textIn(row, 'former'),
  }
}

function leaveIn(row: DerivedRow): LeaveRow {
  return { number: numberIn(row, 'number'), pipeline: textIn(row, 'pipeline') }
}

function groupLeftIn(row: DerivedRow): GroupLeftRow {
  return { number: numberIn(row, 'number'), group: textIn(row, 'grp') }
}

/** SQLite has no infinity among its whole numbers. */
function limited(below: number): number {
  return Math.min(below, Number.MAX_SAFE_INTEGER)
}
