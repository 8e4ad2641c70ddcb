export type SqlValue = string | number | Uint8Array

export type SqlRow = Readonly<Record<string, unknown>>

/** Runs one statement of plain SQL with `?` for its values, and returns its rows. */
export type SqlQuery = (text: string, ...values: readonly SqlValue[]) => Promise<readonly SqlRow[]>

/** The one write transaction that is open on a store. */
export interface WriteSession {
  readonly query: SqlQuery
  /** Commits the session, which is durable when it returns. */
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** A view of the store at one moment, unaffected by later writes. */
export interface StoreSnapshot extends AsyncDisposable {
  readonly query: SqlQuery
}

/** A database engine under the store. Every failure of the engine itself is `unavailable`. */
export interface Driver extends AsyncDisposable {
  /** The engine's text type that sorts by bytes. */
  readonly textType: string
  /** The type of a key that the engine numbers; a number is never given twice. */
  readonly numberedKey: string
  /** Reads committed data; never waits for a writer. */
  readonly query: SqlQuery
  /** Waits for any other writer, in this process or another one. */
  begin(): Promise<WriteSession>
  snapshot(): Promise<StoreSnapshot>
  tables(): Promise<readonly string[]>
  /** The errors that the engine finds in its own files. */
  integrity(): Promise<readonly string[]>
}

export function textColumn(row: SqlRow | undefined, column: string): string {
  const value = row?.[column]
  if (typeof value === 'string') return value
  throw new TypeError(`The column ${column} holds ${typeof value}, not text`)
}

export function numberOf(row: SqlRow | undefined, column: string): number {
  const value = row?.[column]
  if (typeof value === 'number') return value
  throw new TypeError(`The column ${column} holds ${typeof value}, not a number`)
}
