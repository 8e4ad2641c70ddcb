import { parseJsonOr } from '../lib/parse-json.ts'
import type { DocumentKind } from '../core/document-kind.ts'
import { inWords } from '../core/problem.ts'
import { Turns } from '../lib/cooperative.ts'
import { type SqlQuery, type SqlRow, numberOf, textColumn } from './sql.ts'
import { storeUnavailable } from './unavailable.ts'

/** A document with its key. */
export interface Entry<Value> {
  readonly key: string
  readonly value: Value
}

const FIND = 'SELECT json FROM document WHERE kind = ? AND key = ?'
const LIST = `SELECT key, json FROM document
  WHERE kind = ? AND key >= ? AND key < ? ORDER BY key`
const PAGE = `SELECT document.key AS key, document.json AS json
  FROM list JOIN document ON document.key = list.id
  WHERE document.kind = ? AND list.key = ? AND list.ord <= ? ORDER BY list.ord DESC LIMIT ?`
const COUNTER = 'SELECT n FROM counter WHERE key = ?'

// Sorts after every character, so prefix + LAST ends the range of a prefix.
const LAST = '\u{10FFFF}'
const MANY = 64

export function listCounter(list: string): string {
  return `list:${list}`
}

/** Read access to the store. Every document is validated when read. */
export class StateReader {
  readonly #query: SqlQuery

  constructor(query: SqlQuery) {
    this.#query = query
  }

  async find<Value>(kind: DocumentKind<Value>, key: string): Promise<Value | null> {
    const [row] = await this.#query(FIND, kind.name, key)
    return row ? parsed(kind, key, row) : null
  }

  /**
   * The documents with these keys, in their order; missing ones are left out. There may be thousands,
   * between which others have their turn.
   */
  async findMany<Value>(kind: DocumentKind<Value>, keys: readonly string[]): Promise<Value[]> {
    const found = new Map<string, Value>()
    const turns = new Turns()
    for (let start = 0; start < keys.length; start += MANY) {
      if (turns.isOver) await turns.next()
      const some = keys.slice(start, start + MANY)
      const rows = await this.#query(findManyText(some.length), kind.name, ...padded(some))
      for (const row of rows) {
        const key = textColumn(row, 'key')
        found.set(key, parsed(kind, key, row))
      }
    }
    return keys.flatMap((key) => {
      const value = found.get(key)
      return value === undefined ? [] : [value]
    })
  }

  /** All documents whose key starts with `prefix`, by key. Between thousands, others have their turn. */
  async list<Value>(kind: DocumentKind<Value>, prefix = ''): Promise<Entry<Value>[]> {
    const rows = await this.#query(LIST, kind.name, prefix, prefix + LAST)
    const entries: Entry<Value>[] = []
    const turns = new Turns()
    for (const row of rows) {
      if (turns.isOver) await turns.next()
      const key = textColumn(row, 'key')
      entries.push({ key, value: parsed(kind, key, row) })
    }
    return entries
  }

  /** The documents of a list, last appended first, and its length. Equally fast at any offset. */
  async page<Value>(
    kind: DocumentKind<Value>,
    list: string,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly items: readonly Value[] }> {
    const total = await this.counter(listCounter(list))
    if (offset >= total) return { total, items: [] }
    const rows = await this.#query(PAGE, kind.name, list, total - offset, limit)
    return { total, items: rows.map((row) => parsed(kind, textColumn(row, 'key'), row)) }
  }

  /** The last number taken from a counter, 0 before the first. */
  async counter(name: string): Promise<number> {
    const [row] = await this.#query(COUNTER, name)
    return row ? numberOf(row, 'n') : 0
  }
}

/** @throws {ServiceError} `unavailable` when the text is not a document of this kind. */
function parsed<Value>(kind: DocumentKind<Value>, key: string, row: SqlRow): Value {
  const problem = (reason: string, cause: unknown) =>
    storeUnavailable(`the ${kind.name} "${key}" is damaged: ${reason}`, { cause })
  const value = parseJsonOr(textColumn(row, 'json'), (error) => {
    throw problem('it is not JSON', error)
  })
  const result = kind.schema.safeParse(value, { error: inWords })
  if (result.success) return result.data
  throw problem(result.error.issues[0]?.message ?? 'it has another form', result.error)
}

/** Statements have few sizes, so that few are prepared. */
function findManyText(count: number): string {
  const marks = Array.from({ length: paddedSize(count) }, () => '?').join(', ')
  return `SELECT key, json FROM document WHERE kind = ? AND key IN (${marks})`
}

function padded(keys: readonly string[]): string[] {
  const last = keys.at(-1) ?? ''
  return [...keys, ...Array.from({ length: paddedSize(keys.length) - keys.length }, () => last)]
}

function paddedSize(count: number): number {
  return 2 ** Math.ceil(Math.log2(count))
}
