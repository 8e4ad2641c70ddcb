import { z } from 'zod'
import { unavailable } from '../core/errors.ts'
import { CommitSha } from '../core/revision.ts'
import type { RefLog, RefLogEntry } from '../history/log/ref-log.ts'
import { wasRefused } from '../state/postgres-errors.ts'
import { type Driver, numberOf, textColumn } from '../state/sql.ts'
import { packBytesOf } from './log-rows.ts'

const LoggedRefs = z.array(z.object({ ref: z.string(), commit: CommitSha }))

const ENTRIES = 'SELECT sequence, refs FROM log_ref_move WHERE sequence > ? ORDER BY sequence'
const ENTRY = 'SELECT refs FROM log_ref_move WHERE sequence = ?'
const PACK = 'SELECT bytes FROM log_ref_move WHERE sequence = ?'
const APPEND = `INSERT INTO log_ref_move (sequence, refs, bytes)
  SELECT CAST(? AS BIGINT), CAST(? AS TEXT), CAST(? AS BYTEA)
  WHERE CAST(? AS BIGINT) = (SELECT COALESCE(MAX(sequence), 0) + 1 FROM log_ref_move)
  ON CONFLICT DO NOTHING RETURNING sequence`

/** The moves of the refs beside the branch in PostgreSQL: one statement for each. */
export class PostgresRefLog implements RefLog {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  async entriesAfter(sequence: number): Promise<readonly RefLogEntry[]> {
    const rows = await this.#driver.query(ENTRIES, sequence)
    return rows.map((row) => ({
      sequence: numberOf(row, 'sequence'),
      refs: LoggedRefs.parse(JSON.parse(textColumn(row, 'refs'))),
    }))
  }

  async readPack(sequence: number): Promise<Uint8Array> {
    const [row] = await this.#driver.query(PACK, sequence)
    if (row !== undefined) return packBytesOf(row)
    throw unavailable(`The log of refs has no entry ${sequence}`)
  }

  async append(entry: RefLogEntry, pack: Uint8Array): Promise<boolean> {
    try {
      return await this.#append(entry, pack)
    } catch (error) {
      if (wasRefused(error)) throw error
      // The connection may be lost after the commit; the entry may be there already.
      return this.#append(entry, pack).catch((cause: unknown) => {
        const message = 'The database went away: whether it was done is known when it is back'
        throw unavailable(message, cause)
      })
    }
  }

  /** The commits of an entry are its own, so that an entry with the same ones is this one. */
  async #append({ sequence, refs }: RefLogEntry, pack: Uint8Array): Promise<boolean> {
    const { query } = this.#driver
    const text = JSON.stringify(refs)
    const [row] = await query(APPEND, sequence, text, pack, sequence)
    if (row !== undefined) return true
    const [there] = await query(ENTRY, sequence)
    return there !== undefined && textColumn(there, 'refs') === text
  }
}
