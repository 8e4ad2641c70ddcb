import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '../../../src/storage/sqlite-engine.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { DocumentKind } from '../../../src/core/document-kind.ts'
import { copySqliteState, openSqliteState } from '../../../src/state/open-sqlite.ts'

const TEXT: DocumentKind<string> = { name: 'text', schema: z.string() }
const UNAVAILABLE = expect.objectContaining({ code: 'unavailable' })

describe('the file of a SQLite state store', () => {
  let folder: string
  let file: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-state-'))
    file = join(folder, 'state', 'state.db')
  })

  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  async function fill(documents: number): Promise<void> {
    await using store = await openSqliteState(file)
    await store.change(async (tx) => {
      for (let n = 0; n < documents; n += 1) {
        await tx.put(TEXT, `${n}`, 'x'.repeat(200))
        await tx.append('all', `${n}`)
      }
    })
  }

  function tamper(sql: string): void {
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
  }

  it('is private, whole after a clean close, and without left-overs', async () => {
    await fill(10)

    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    expect(readdirSync(join(folder, 'state')).filter((name) => name.includes('draft'))).toEqual([])
  })

  it.each([
    { damage: 'other bytes', bytes: Buffer.from('not a database at all\n'.repeat(400)) },
    { damage: 'a few bytes', bytes: Buffer.from('SQLi') },
    { damage: 'no bytes', bytes: Buffer.alloc(0) },
  ])('with $damage is unavailable and stays as it is', async ({ bytes }) => {
    await fill(1)
    writeFileSync(file, bytes)

    await expect(openSqliteState(file)).rejects.toEqual(UNAVAILABLE)
    expect(readFileSync(file)).toEqual(bytes)
  })

  it('of another program is unavailable', async () => {
    await fill(0)
    tamper('DROP TABLE meta')

    await expect(openSqliteState(file)).rejects.toEqual(UNAVAILABLE)
  })

  it('cut in the middle is unavailable where it is read', async () => {
    await fill(500)
    truncateSync(file, 40_960)

    const reading = async () => {
      await using store = await openSqliteState(file)
      await store.list(TEXT)
    }

    await expect(reading()).rejects.toEqual(UNAVAILABLE)
  })

  it('missing beside its log is unavailable', async () => {
    await fill(1)
    rmSync(file)
    writeFileSync(`${file}-wal`, 'what was written last')

    await expect(openSqliteState(file)).rejects.toEqual(UNAVAILABLE)
  })

  it('with damaged pages is reported by a check', async () => {
    await fill(500)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xaa, 20_480, 28_672))

    await using store = await openSqliteState(file)

    expect(await store.check([TEXT])).not.toEqual([])
  })

  it.each([
    { sql: 'DELETE FROM list WHERE ord = 2', problem: 'the list "all" has gaps' },
    { sql: 'DELETE FROM list WHERE ord = 3', problem: 'the list "all" counts 3 and has 2' },
    { sql: 'DELETE FROM list', problem: 'the "list:all" counts 3 and has none' },
    { sql: 'DELETE FROM counter', problem: 'the list "all" counts 0 and has 3' },
    { sql: "UPDATE document SET json = '{' WHERE key = '1'", problem: 'the text "1" is not JSON' },
  ])('changed by `$sql` is reported by a check', async ({ sql, problem }) => {
    await fill(3)
    tamper(sql)

    await using store = await openSqliteState(file)

    expect(await store.check([TEXT])).toContain(problem)
  })

  it('answers a document that is not JSON as unavailable', async () => {
    await fill(1)
    tamper("UPDATE document SET json = '{'")

    await using store = await openSqliteState(file)

    await expect(store.find(TEXT, '0')).rejects.toEqual(UNAVAILABLE)
  })

  it('is copied whole while it is written to', async () => {
    await using store = await openSqliteState(file)
    await store.change((tx) => tx.put(TEXT, 'before', 'copied'))
    const copy = join(folder, 'copy.db')

    const [, during] = await Promise.all([
      copySqliteState(file, copy),
      store.change((tx) => tx.put(TEXT, 'during', 'either')),
    ])

    await using copied = await openSqliteState(copy)
    expect(during).toBeUndefined()
    expect(await copied.find(TEXT, 'before')).toBe('copied')
    expect(await copied.check([TEXT])).toEqual([])
    expect(statSync(copy).mode & 0o777).toBe(0o600)
  })

  it('is written once another process has finished, without stopping this one', async () => {
    await using store = await openSqliteState(file)
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    const change = store.change(async (tx) => {
      await tx.put(TEXT, 'mine', await tx.find(TEXT, 'theirs').then(String))
    })

    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
    other.exec(`INSERT INTO document (kind, key, json) VALUES ('text', 'theirs', '"first"')`)
    other.exec('COMMIT')
    other.close()

    await change
    expect(await store.find(TEXT, 'mine')).toBe('first')
  })

  it('is made once when two open it at the same moment', async () => {
    const stores = await Promise.all([openSqliteState(file), openSqliteState(file)])

    const numbers = await Promise.all(stores.map((store) => store.change((tx) => tx.next('n'))))
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()))

    expect(new Set(numbers)).toEqual(new Set([1, 2]))
  })
})
