// @module-tag long

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, describe, expect, it } from 'vitest'
import { editScript } from '../../../src/diff/edit-script.ts'
import type { History } from '../../../src/history/history.ts'
import { LineOriginsFile } from '../../../src/index/line-origins-file.ts'
import { LineOriginsIndex } from '../../../src/index/line-origins-index.ts'
import { ArchivedFolder } from '../../support/history/archived-history.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { cloneRealHistory } from '../../support/documents/config-corpus.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'

const TIMEOUT_MS = 60_000

async function emptyFolder(): Promise<HistoryFolder> {
  const folder = new HistoryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder
}

interface IndexOptions {
  readonly path?: string
  /** The look compares once this is resolved. */
  readonly mayCompare?: Promise<unknown>
  /** How often it compares before that. */
  readonly freely?: number
}

function indexOf(
  history: History,
  { path = pathOfFile(), mayCompare, freely = 0 }: IndexOptions = {},
) {
  const asked = { scripts: 0 }
  const index = new LineOriginsIndex({
    history,
    file: new LineOriginsFile(path),
    script: async (before, after) => {
      asked.scripts += 1
      if (asked.scripts > freely) await mayCompare
      return editScript(before, after)
    },
    log: ({ message }) => expect.fail(message),
  })
  onTestFinished(() => index[Symbol.asyncDispose]())
  return { index, asked }
}

function pathOfFile(): string {
  return join(tempDir(), 'revision-origins')
}

/** A history of this many revisions, each with one line changed. */
async function longFolder(revisions: number): Promise<HistoryFolder> {
  const folder = await emptyFolder()
  await folder.open()
  await folder.close()
  await importEdits(folder, { first: 2, last: revisions, word: 'line' })
  return folder
}

async function importEdits(
  folder: HistoryFolder,
  { first, last, word }: { first: number; last: number; word: string },
): Promise<void> {
  const lines = Array.from({ length: 12 }, (_, n) => `${word} ${n} of ${first}`)
  const documents = Array.from({ length: last - first + 1 }, (_, n) => {
    lines[(n * 5) % lines.length] = `${word} ${first + n}`
    return documentOf(lines.join('\n  '))
  })
  await fastImport(folder.path, documents)
  folder.git('reset', '-q', '--hard')
}

/** As an index finds them that knows nothing yet. */
function tracedAnew(history: History): Promise<number[]> {
  return originsOf(indexOf(history).index, history)
}

async function originsOf(index: LineOriginsIndex, history: History): Promise<number[]> {
  const answer = await index.of(history.current(), TIMEOUT_MS)
  return answer.done ? [...answer.origins] : []
}

describe('the origins of the lines of a revision', () => {
  it('are found for any revision, and looked for once', async () => {
    const history = await (await emptyFolder()).open()
    await save(history, documentOf('a\n  b\n  c'))
    await save(history, documentOf('a\n  B\n  c'))
    const { index, asked } = indexOf(history)

    const first = await originsOf(index, history)
    const scripts = asked.scripts
    const again = await originsOf(index, history)

    expect(first).toEqual([1, 2, 3, 2, 1])
    expect(again).toEqual(first)
    expect(asked.scripts).toBe(scripts)
  })

  it('go on from what is known when a revision arrives', async () => {
    const history = await (await emptyFolder()).open()
    for (let n = 0; n < 60; n += 1) await save(history, documentOf(`line ${n}`))
    const { index, asked } = indexOf(history)
    await originsOf(index, history)
    const before = asked.scripts
    await save(history, documentOf('line 59\n  more'))

    expect(await originsOf(index, history)).toEqual([1, 61, 62, 1])
    expect(asked.scripts - before).toBeLessThan(12)
  })

  it('are in a file, from which a start goes on', async () => {
    const history = await (await longFolder(350)).open()
    const path = pathOfFile()
    const first = await originsOf(indexOf(history, { path }).index, history)

    const { index, asked } = indexOf(history, { path })

    expect(await originsOf(index, history)).toEqual(first)
    expect(asked.scripts).toBe(50)
  })

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 20)],
    ['damaged', (bytes: Buffer) => bytes.fill('?', 200, 220)],
    ['of another format', (bytes: Buffer) => bytes.fill('?', 12, 14)],
    ['empty', (bytes: Buffer) => bytes.subarray(0, 0)],
  ])('are traced again where the file is %s', async (_what, damage) => {
    const history = await (await longFolder(350)).open()
    const path = pathOfFile()
    const first = await originsOf(indexOf(history, { path }).index, history)
    writeFileSync(path, damage(readFileSync(path)))

    expect(await originsOf(indexOf(history, { path }).index, history)).toEqual(first)
    const { index, asked } = indexOf(history, { path })
    expect(await originsOf(index, history)).toEqual(first)
    expect(asked.scripts).toBe(50)
  })

  it('are traced before anybody asks where there are many revisions', async () => {
    const history = await (await longFolder(1_150)).open()
    const { index, asked } = indexOf(history)

    index.begin()
    await expect.poll(() => asked.scripts).toBeGreaterThanOrEqual(1_000)
    const answer = await index.of(history.current(), TIMEOUT_MS)

    expect(asked.scripts).toBe(1_150)
    expect(answer).toEqual({ done: true, origins: Int32Array.from(await tracedAnew(history)) })
  })

  it('are traced anew, without a complaint, when the history is rewritten meanwhile', async () => {
    const folder = await longFolder(1_150)
    const history = await folder.open()
    const mayCompare = new AbortController()
    const { index, asked } = indexOf(history, {
      mayCompare: once(mayCompare.signal, 'abort'),
      freely: 200,
    })
    index.begin()
    await expect.poll(() => asked.scripts).toBe(201)
    folder.git('reset', '-q', '--hard', 'HEAD~1100')
    await importEdits(folder, { first: 51, last: 1_150, word: 'other' })
    await history.follow()
    mayCompare.abort()
    await expect.poll(() => asked.scripts).toBe(201 + 1_000)

    expect(await originsOf(index, history)).toEqual(await tracedAnew(history))
  })

  it('are no longer looked for when the index is closed, without a complaint', async () => {
    const history = await (await longFolder(1_150)).open()
    const mayCompare = new AbortController()
    const { index, asked } = indexOf(history, { mayCompare: once(mayCompare.signal, 'abort') })
    index.begin()
    await expect.poll(() => asked.scripts).toBe(1)

    const closing = index[Symbol.asyncDispose]()
    mayCompare.abort()
    await closing

    expect(asked.scripts).toBe(1)
  })

  it('are those of a history that was rewritten beside the file', async () => {
    const folder = await longFolder(350)
    const path = pathOfFile()
    const before = await folder.open()
    await originsOf(indexOf(before, { path }).index, before)
    await folder.close()
    folder.git('reset', '-q', '--hard', 'HEAD~200')
    await importEdits(folder, { first: 151, last: 420, word: 'other' })

    const history = await folder.open()
    const origins = await originsOf(indexOf(history, { path }).index, history)

    expect(origins).toEqual(await tracedAnew(history))
    expect(Math.max(...origins)).toBe(420)
    const { index, asked } = indexOf(history, { path })
    expect(await originsOf(index, history)).toEqual(origins)
    expect(asked.scripts).toBe(20)
  })

  it('begin with the first revision that is not in an archive', async () => {
    const folder = await ArchivedFolder.of('a', 'a\n  b', 'a\n  B')
    onTestFinished(() => folder[Symbol.asyncDispose]())
    await folder.archiveBefore(3)
    const history = await folder.open()

    expect(await originsOf(indexOf(history).index, history)).toEqual([3, 3, 4, 3])
  })

  it('are not those of a history that has been rewritten', async () => {
    const folder = await emptyFolder()
    const history = await folder.open()
    await save(history, documentOf('a'))
    await save(history, documentOf('b'))
    const { index } = indexOf(history)
    await originsOf(index, history)
    folder.git('reset', '-q', '--hard', 'HEAD~1')
    await save(history, documentOf('c'))
    await save(history, documentOf('c\n  d'))

    expect(await originsOf(index, history)).toEqual([1, 3, 4, 1])
  })

  it('say how far the look has come when it takes longer than the caller waits', async () => {
    const history = await (await emptyFolder()).open()
    for (let n = 0; n < 5; n += 1) await save(history, documentOf(`line ${n}`))
    const asked = new AbortController()
    const { index } = indexOf(history, { mayCompare: once(asked.signal, 'abort') })

    expect(await index.of(history.current(), 0)).toMatchObject({ done: false, of: 6 })
    asked.abort()
    expect(await originsOf(index, history)).toEqual([1, 6, 1])
  })

  it.skipIf(SHARED_DATA === null)(
    'are those of git blame on a real history (shared data)',
    async () => {
      const folder = new HistoryFolder({
        fileName: 'cruise-config.xml',
        inspect: async (document) => ({
          ok: true,
          document: Buffer.from(document),
          schemaVersion: 1,
        }),
      })
      onTestFinished(() => folder[Symbol.asyncDispose]())
      cloneRealHistory(folder.path)
      const history = await folder.open()
      const { index } = indexOf(history)

      const origins = await originsOf(index, history)

      const blame = folder.git('blame', '--line-porcelain', 'HEAD', '--', 'cruise-config.xml')
      const commits = [...blame.matchAll(/^([0-9a-f]{40}) /gm)].map(([, sha]) => sha)
      const ours = origins.map(
        (number) => history.list({ offset: history.size() - number, limit: 1 })[0]?.commit,
      )
      const same = ours.filter((commit, n) => commit === commits[n])
      expect(ours).toHaveLength(commits.length)
      expect(same.length / ours.length).toBeGreaterThan(0.97)
    },
  )
})
