import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { IndexDatabase } from '../../../src/index/database/index-database.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { tempFolder } from '../../support/disk/temp-folder.ts'

/** Bytes of a change: a hundred pages. */
const CHANGE_BYTES = 409_600
const CHANGES = 120
/** The log is copied from 4 MB on, and writers wait for that from 16 on. Without it, it would have 33. */
const MAX_LOG_BYTES = 24_000_000

/** The two files that are written to all the time. */
const FILES = {
  'the state': async (file: string) => {
    const store = await openSqliteState(file)
    const text = { name: 'text', schema: z.string() }
    const write = (n: number) =>
      store.change((tx) => tx.put(text, `${n}`, 'x'.repeat(CHANGE_BYTES)))
    return { write, count: async () => (await store.list(text)).length, store }
  },
  'the index': async (file: string) => {
    const tables = ['CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT) STRICT']
    const store = new IndexDatabase({ file, format: 'a test', tables, log: () => {} })
    const write = async (n: number) => {
      await store.write(function* () {
        store.run('INSERT INTO texts VALUES (?, ?)', n, 'x'.repeat(CHANGE_BYTES))
        yield
      })
    }
    return { write, count: async () => store.rows('SELECT number FROM texts').length, store }
  },
}

/** The bytes that this thread has written so far, and its whole process. */
function written(): readonly [thread: number, process: number] {
  const [thread = NaN, all = NaN] = ['thread-self', 'self'].map((of) =>
    Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${of}/io`, 'utf8'))?.[1]),
  )
  return [thread, all]
}

describe.each(Object.entries(FILES))('the log of %s', (_name, open) => {
  it('is copied into the file by another thread, and stays short while others write', async () => {
    const file = tempFolder().file('a.sqlite')
    const { write, store } = await open(file)
    const [ownBefore, allBefore] = written()
    for (let n = 0; n < CHANGES; n += 1) await write(n)
    const { size } = statSync(`${file}-wal`)
    await store[Symbol.asyncDispose]()
    const [own, all] = written()

    expect(size).toBeLessThan(MAX_LOG_BYTES)
    // Both write about as much: the log, and the file.
    expect((own - ownBefore) / (all - allBefore)).toBeLessThan(0.75)
    const again = await open(file)
    expect(await again.count()).toBe(CHANGES)
    await again.store[Symbol.asyncDispose]()
  })
})
