import { type SqlQuery, type SqlRow, numberOf, textColumn } from './sql.ts'

const CHUNK = 500

const DOCUMENTS = `SELECT kind, key, json FROM document
  WHERE (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?`
const LISTS = `SELECT key, ord, id FROM list
  WHERE (key, ord) > (?, ?) ORDER BY key, ord LIMIT ?`
const COUNTERS = 'SELECT key, n FROM counter WHERE key > ? ORDER BY key LIMIT ?'

/** Every document, by kind and key, read in chunks. */
export async function* scanDocuments(query: SqlQuery): AsyncGenerator<SqlRow> {
  let after: SqlRow = { kind: '', key: '' }
  for (;;) {
    const rows = await query(DOCUMENTS, textColumn(after, 'kind'), textColumn(after, 'key'), CHUNK)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last
  }
}

/** Every entry of every list, in order. */
export async function* scanLists(query: SqlQuery): AsyncGenerator<SqlRow> {
  let after: SqlRow = { key: '', ord: 0 }
  for (;;) {
    const rows = await query(LISTS, textColumn(after, 'key'), numberOf(after, 'ord'), CHUNK)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last
  }
}

export async function* scanCounters(query: SqlQuery): AsyncGenerator<SqlRow> {
  let after: SqlRow = { key: '' }
  for (;;) {
    const rows = await query(COUNTERS, textColumn(after, 'key'), CHUNK)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last
  }
}
