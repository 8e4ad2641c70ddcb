// @module-tag long

import { once } from 'node:events'
import { onTestFinished, describe, expect, it } from 'vitest'
import { editScript } from '../../../src/diff/edit-script.ts'
import type { History } from '../../../src/history/history.ts'
import type { HistoryIndex, HistoryIndexOptions } from '../../../src/index/history-index.ts'
import { ArchivedFolder } from '../../support/history/archived-history.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { indexFile, indexOf } from '../../support/history/history-index.ts'
import { cloneRealHistory } from '../../support/documents/config-corpus.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'

const TIMEOUT_MS = 60_000

async function emptyFolder(): Promise<HistoryFolder> {
  const folder = new HistoryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder
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
  return originsOf(indexOf(history), history)
}

async function originsOf(index: HistoryIndex, history: History): Promise<number[]> {
  const answer = await index.origins.of(history.current(), TIMEOUT_MS)
  return answer.done ? [...answer.origins] : []
}

/** How often two documents are compared. */
function countScripts() {
  const asked = { scripts: 0 }
  const script: HistoryIndexOptions['script'] = async (before, after) => {
    asked.scripts += 1
    return editScript(before, after)
  }
  return { asked, script }
}

describe('the origins of the lines of a revision', () => {
  it('are found for any revision, without a document that was read before', async () => {
    const history = await (await emptyFolder()).open()
    await save(history, documentOf('a\n  b\n  c'))
    await save(history, documentOf('a\n  B\n  c'))
    const { asked, script } = countScripts()
    const index = indexOf(history, { script })

    const first = await originsOf(index, history)
    const again = await originsOf(index, history)

    expect(first).toEqual([1, 2, 3, 2, 1])
    expect(again).toEqual(first)
    expect(asked.scripts).toBe(3)
  })

  it('go on from what is known when a revision arrives', async () => {
    const history = await (await emptyFolder()).open()
    for (let n = 0; n < 60; n += 1) await save(history, documentOf(`line ${n}`))
    const { asked, script } = countScripts()
    const index = indexOf(history, { script })
    await originsOf(index, history)
    await save(history, documentOf('line 59\n  more'))

    expect(await originsOf(index, history)).toEqual([1, 61, 62, 1])
    expect(asked.scripts).toBe(62)
  })

  it('are in a file, from which a start goes on', async () => {
    const history = await (await longFolder(350)).open()
    const file = indexFile()
    const before = indexOf(history, { file })
    const first = await originsOf(before, history)
    await before[Symbol.asyncDispose]()

    const { asked, script } = countScripts()

    expect(await originsOf(indexOf(history, { file, script }), history)).toEqual(first)
    expect(asked.scripts).toBe(0)
  })

  it('are traced before anybody asks where there are many revisions', async () => {
    const history = await (await longFolder(1_150)).open()
    const index = indexOf(history)

    index.begin()
    await index.settle()
    const answer = await index.origins.of(history.current(), TIMEOUT_MS)

    expect(answer).toEqual({ done: true, origins: Int32Array.from(await tracedAnew(history)) })
  })

  it('are traced anew, without a complaint, when the history is rewritten meanwhile', async () => {
    const folder = await longFolder(1_150)
    const history = await folder.open()
    const logged: string[] = []
    const mayCompare = new AbortController()
    const { asked, script } = countScripts()
    const index = indexOf(history, {
      script: async (...texts) => {
        if (asked.scripts === 200) await once(mayCompare.signal, 'abort')
        return script(...texts)
      },
      log: ({ message }) => void logged.push(message),
    })
    index.begin()
    await expect.poll(() => asked.scripts).toBe(200)
    folder.git('reset', '-q', '--hard', 'HEAD~1100')
    await importEdits(folder, { first: 51, last: 1_150, word: 'other' })
    await history.follow()
    mayCompare.abort()

    expect(await originsOf(index, history)).toEqual(await tracedAnew(history))
    expect(logged).toEqual([])
  })

  it('are no longer looked for when the index is closed, without a complaint', async () => {
    const history = await (await longFolder(1_150)).open()
    const logged: string[] = []
    const { asked, script } = countScripts()
    const index = indexOf(history, { script, log: ({ message }) => void logged.push(message) })
    index.begin()
    await expect.poll(() => asked.scripts).toBeGreaterThan(0)

    await index[Symbol.asyncDispose]()

    expect(asked.scripts).toBeLessThan(1_150)
    expect(logged).toEqual([])
  })

  it('are those of a history that was rewritten beside the file', async () => {
    const folder = await longFolder(350)
    const file = indexFile()
    const before = await folder.open()
    const first = indexOf(before, { file })
    await originsOf(first, before)
    await first[Symbol.asyncDispose]()
    await folder.close()
    folder.git('reset', '-q', '--hard', 'HEAD~200')
    await importEdits(folder, { first: 151, last: 420, word: 'other' })

    const history = await folder.open()
    const { asked, script } = countScripts()
    const origins = await originsOf(indexOf(history, { file, script }), history)

    expect(origins).toEqual(await tracedAnew(history))
    expect(Math.max(...origins)).toBe(420)
    expect(asked.scripts).toBe(270)
  })

  it('begin with the first revision that is not in an archive', async () => {
    const folder = await ArchivedFolder.of('a', 'a\n  b', 'a\n  B')
    onTestFinished(() => folder[Symbol.asyncDispose]())
    await folder.archiveBefore(3)
    const history = await folder.open()

    expect(await originsOf(indexOf(history), history)).toEqual([3, 3, 4, 3])
  })

  it('are not those of a history that has been rewritten', async () => {
    const folder = await emptyFolder()
    const history = await folder.open()
    await save(history, documentOf('a'))
    await save(history, documentOf('b'))
    const index = indexOf(history)
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
    const { script } = countScripts()
    const index = indexOf(history, {
      script: async (...texts) => {
        if (!asked.signal.aborted) await once(asked.signal, 'abort')
        return script(...texts)
      },
    })

    expect(await index.origins.of(history.current(), 0)).toMatchObject({ done: false, of: 6 })
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
      const index = indexOf(history)

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
