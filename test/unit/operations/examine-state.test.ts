import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from '../../../src/storage/sqlite-engine.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { CommitSha } from '../../../src/core/revision.ts'
import { examineState, repairState } from '../../../src/operations/examine-state.ts'
import { WEBHOOKS } from '../../../src/notify/webhooks/webhook-cursor.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import type { StateStore } from '../../../src/state/state-store.ts'
import { openProcessLock } from '../../../src/storage/process-lock.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const COMMIT = CommitSha.parse('a'.repeat(40))

function put(store: StateStore, name: string): Promise<unknown> {
  return store.change(async (transaction) => {
    await transaction.put(WEBHOOKS, name, { name, commit: COMMIT, deliveredAt: null })
    await transaction.append('hooks', name)
    await transaction.next('ids')
  })
}

/** SQLite may hold a file that was closed for a while, so that only copies are opened here. */
function copyTo(target: string, file: string): string {
  for (const suffix of ['', '-wal']) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, target + suffix)
  }
  return target
}

async function dumpOf(file: string): Promise<string[]> {
  await using store = await openSqliteState(copyTo(join(tempDir(), 'copy.sqlite'), file))
  const lines: string[] = []
  for await (const line of store.dump()) lines.push(line)
  return lines
}

describe('the doctor of a state file', () => {
  let folder: string
  let file: string
  let lock: string

  beforeEach(async () => {
    folder = join(tempDir(), 'state')
    file = join(folder, 'state.sqlite')
    mkdirSync(folder)
    lock = join(folder, '..', 'lock')
    const first = join(folder, '..', 'first.sqlite')
    {
      await using store = await openSqliteState(first)
      for (let n = 0; n < 20; n += 1) await put(store, `hook ${n}`)
    }
    copyTo(file, first)
  })

  /** As a server leaves it that saves once more and dies, or that ends well. */
  async function putMore(name: string, end: 'dies' | 'ends'): Promise<void> {
    const used = copyTo(join(tempDir(), 'used.sqlite'), file)
    {
      await using store = await openSqliteState(used)
      await put(store, name)
      if (end === 'dies') copyTo(file, used)
    }
    if (end === 'ends') copyTo(file, used)
  }

  const repair = () => repairState({ file, lock, clock: () => 0 })

  /** The part of the file in which the first page of a table or index lies. */
  function pageOf(name: string): { at: number; size: number } {
    const database = new DatabaseSync(copyTo(join(tempDir(), 'copy.sqlite'), file))
    const numberIn = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0])
    const size = numberIn('PRAGMA page_size')
    const page = numberIn(`SELECT rootpage FROM sqlite_schema WHERE name = '${name}'`)
    database.close()
    return { at: (page - 1) * size, size }
  }

  function overwrite(at: number, bytes: Uint8Array): void {
    const all = readFileSync(file)
    all.set(bytes, at)
    writeFileSync(file, all)
  }

  function destroy(name: string): void {
    const { at, size } = pageOf(name)
    overwrite(at, Buffer.alloc(size))
  }

  it.each(['sqlite_autoindex_document_1', 'sqlite_autoindex_list_1', 'sqlite_autoindex_counter_1'])(
    'makes it anew without a loss when %s is destroyed, and keeps the damaged one',
    async (index) => {
      const before = await dumpOf(file)
      destroy(index)
      const damaged = readFileSync(file)

      const seen = await examineState(file)
      const quarantine = await repair()

      expect(seen).not.toEqual([])
      expect(await examineState(file)).toEqual([])
      expect(await dumpOf(file)).toEqual(before)
      expect(readFileSync(join(quarantine, 'state.sqlite')).equals(damaged)).toBe(true)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readdirSync(folder).filter((name) => name.includes('draft'))).toEqual([])
    },
  )

  it('has what was in the log of a server that died', async () => {
    await putMore('the newest', 'dies')
    const before = await dumpOf(file)

    const quarantine = await repair()

    expect(before.join('\n')).toContain('the newest')
    expect(await dumpOf(file)).toEqual(before)
    expect(readdirSync(quarantine).toSorted()).toEqual(['state.sqlite', 'state.sqlite-wal'])
  })

  it.each(['document', 'list', 'counter', 'meta'])(
    'is left as it is when its table "%s" is destroyed',
    async (table) => {
      destroy(table)
      const damaged = readFileSync(file)

      await expect(repair()).rejects.toMatchObject({ code: 'unavailable' })

      expect(readFileSync(file).equals(damaged)).toBe(true)
      expect(readdirSync(folder).filter((name) => /draft|doctor/.test(name))).toEqual([])
    },
  )

  it('is left as it is when the disk has lost rows that an index still knows', async () => {
    const { at, size } = pageOf('document')
    const page = readFileSync(file).subarray(at, at + size)
    await putMore('lost', 'ends')
    overwrite(at, page)

    await expect(repair()).rejects.toThrow('has lost 1 row of its table "document"')
  })

  it('is left to a service that runs, or to whoever has it open', async () => {
    {
      await using _ = await openProcessLock(lock)
      await expect(repair()).rejects.toThrow('is in use by process')
    }
    await using _ = await open(file)
    await expect(repair()).rejects.toThrow(/state\.sqlite is in use by process \d+/)
  })

  it('leaves a database of another program alone', async () => {
    const other = join(folder, 'other.sqlite')
    const database = new DatabaseSync(other)
    database.exec('CREATE TABLE meta (a); CREATE TABLE other (a)')
    database.close()
    const before = readFileSync(other)

    const repaired = repairState({ file: other, lock, clock: Date.now })

    await expect(repaired).rejects.toThrow('has no table "counter"')
    expect(readFileSync(other)).toEqual(before)
  })
})
