import { once } from 'node:events'
import { onTestFinished, describe, expect, it } from 'vitest'
import { editScript } from '../../../src/diff/edit-script.ts'
import type { History } from '../../../src/history/history.ts'
import { LineOriginsCache } from '../../../src/pages/revisions/line-origins.ts'
import { ArchivedFolder } from '../../support/history/archived-history.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { cloneRealHistory } from '../../support/documents/config-corpus.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'

const LONG = 60_000

async function emptyFolder(): Promise<HistoryFolder> {
  const folder = new HistoryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder
}

/** The look begins to compare once it may. */
function cacheOf(history: History, mayCompare: Promise<unknown> = Promise.resolve()) {
  const asked = { scripts: 0 }
  const cache = new LineOriginsCache({
    history,
    script: async (before, after) => {
      asked.scripts += 1
      await mayCompare
      return editScript(before, after)
    },
  })
  onTestFinished(() => cache[Symbol.dispose]())
  return { cache, asked }
}

async function originsOf(cache: LineOriginsCache, history: History): Promise<number[]> {
  const answer = await cache.of(history.current(), LONG)
  return answer.done ? [...answer.origins] : []
}

describe('the origins of the lines of a revision', () => {
  it('are found for any revision, and looked for once', async () => {
    const history = await (await emptyFolder()).open()
    await save(history, documentOf('a\n  b\n  c'))
    await save(history, documentOf('a\n  B\n  c'))
    const { cache, asked } = cacheOf(history)

    const first = await originsOf(cache, history)
    const scripts = asked.scripts
    const again = await originsOf(cache, history)

    expect(first).toEqual([1, 2, 3, 2, 1])
    expect(again).toEqual(first)
    expect(asked.scripts).toBe(scripts)
  })

  it('go on from what is known when a revision arrives', async () => {
    const history = await (await emptyFolder()).open()
    for (let n = 0; n < 60; n += 1) await save(history, documentOf(`line ${n}`))
    const { cache, asked } = cacheOf(history)
    await originsOf(cache, history)
    const before = asked.scripts
    await save(history, documentOf('line 59\n  more'))

    expect(await originsOf(cache, history)).toEqual([1, 61, 62, 1])
    expect(asked.scripts - before).toBeLessThan(12)
  })

  it('begin with the first revision that is not in an archive', async () => {
    const folder = await ArchivedFolder.of('a', 'a\n  b', 'a\n  B')
    onTestFinished(() => folder[Symbol.asyncDispose]())
    await folder.archiveBefore(3)
    const history = await folder.open()

    expect(await originsOf(cacheOf(history).cache, history)).toEqual([3, 3, 4, 3])
  })

  it('are not those of a history that has been rewritten', async () => {
    const folder = await emptyFolder()
    const history = await folder.open()
    await save(history, documentOf('a'))
    await save(history, documentOf('b'))
    const { cache } = cacheOf(history)
    await originsOf(cache, history)
    folder.git('reset', '-q', '--hard', 'HEAD~1')
    await save(history, documentOf('c'))
    await save(history, documentOf('c\n  d'))

    expect(await originsOf(cache, history)).toEqual([1, 3, 4, 1])
  })

  it('say how far the look has come when it takes longer than the caller waits', async () => {
    const history = await (await emptyFolder()).open()
    for (let n = 0; n < 5; n += 1) await save(history, documentOf(`line ${n}`))
    const asked = new AbortController()
    const { cache } = cacheOf(history, once(asked.signal, 'abort'))

    expect(await cache.of(history.current(), 0)).toMatchObject({ done: false, of: 6 })
    asked.abort()
    expect(await originsOf(cache, history)).toEqual([1, 6, 1])
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
      const { cache } = cacheOf(history)

      const origins = await originsOf(cache, history)

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
