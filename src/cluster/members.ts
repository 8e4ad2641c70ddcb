import { reasonOf } from '../core/errors.ts'
import type { SeenServer } from '../core/seen-server.ts'
import { type Driver, type SqlRow, numberOf, textColumn } from '../state/sql.ts'
import type { ThisServer } from './server-lease.ts'

/** The server that has the duties. */
export interface Holder {
  readonly address: string
  /** Aborted when it has them no longer. */
  readonly gone: AbortSignal
}

export interface MembersOptions {
  readonly driver: Driver
  readonly server: ThisServer
}

/** A server that was not heard of for so long is no longer listed. */
const FORGOTTEN_AFTER = `interval '10 minutes'`

const NOTE = `INSERT INTO server (address, name, sequence, seen)
  VALUES (?, ?, ?, clock_timestamp()) ON CONFLICT (address) DO UPDATE
  SET name = excluded.name, sequence = excluded.sequence, seen = excluded.seen`
const SEEN = `SELECT server.name, server.address, sequence,
  CAST(floor(extract(epoch FROM clock_timestamp() - seen)) AS BIGINT) AS silence,
  lease.epoch AS epoch
  FROM server LEFT JOIN lease ON lease.name = 'server' AND lease.until > clock_timestamp()
    AND lease.address = server.address
  WHERE seen > clock_timestamp() - ${FORGOTTEN_AFTER} ORDER BY server.name, server.address`
const FORGET = `DELETE FROM server WHERE seen <= clock_timestamp() - ${FORGOTTEN_AFTER}`
const LEAVE = 'DELETE FROM server WHERE address = ?'

/** Which servers share the database, and which of them has the duties. */
export class Members implements AsyncDisposable {
  readonly #options: MembersOptions
  #servers: readonly Omit<SeenServer, 'lag'>[] = []
  #holder: { epoch: number; address: string; end: AbortController } | null = null
  #problem: string | null = null

  constructor(options: MembersOptions) {
    this.#options = options
  }

  /** Null while nobody has the duties, as far as this server knows. */
  holder(): Holder | null {
    if (this.#holder === null) return null
    const { address, end } = this.#holder
    return { address, gone: end.signal }
  }

  /** Why the database could not be asked at the last look; null when it could. */
  get problem(): string | null {
    return this.#problem
  }

  list(newest: number): readonly SeenServer[] {
    return this.#servers.map((server) => ({
      ...server,
      lag: Math.max(0, newest - server.sequence),
    }))
  }

  /** Says that this server is there and how far it is, and looks at the others. Never fails. */
  async look(sequence: number): Promise<void> {
    const { driver, server } = this.#options
    try {
      await driver.query(NOTE, server.address, server.name, sequence)
      await driver.query(FORGET)
      this.#take(await driver.query(SEEN))
      this.#problem = null
    } catch (error) {
      this.#problem = reasonOf(error)
    }
  }

  /** The others need not wait for its silence. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { driver, server } = this.#options
    this.#holder?.end.abort()
    // A database that is away notices by itself.
    await driver.query(LEAVE, server.address).catch(() => undefined)
  }

  #take(rows: readonly SqlRow[]): void {
    this.#servers = rows.map(serverOf)
    const row = rows.find(({ epoch }) => epoch !== null)
    const epoch = row === undefined ? null : numberOf(row, 'epoch')
    if (epoch === (this.#holder?.epoch ?? null)) return
    this.#holder?.end.abort()
    this.#holder =
      row === undefined || epoch === null
        ? null
        : { epoch, address: textColumn(row, 'address'), end: new AbortController() }
  }
}

function serverOf(row: SqlRow): Omit<SeenServer, 'lag'> {
  return {
    name: textColumn(row, 'name'),
    address: textColumn(row, 'address'),
    sequence: numberOf(row, 'sequence'),
    silence: numberOf(row, 'silence'),
    isHolder: row['epoch'] !== null,
  }
}
