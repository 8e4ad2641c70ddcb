import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { EVERYTHING } from '../../../src/configuration/search/find-revisions.ts'
import { Links } from '../../../src/pages/kit/links.ts'
import { type HistoryPage, readHistoryPage } from '../../../src/pages/history/history-page.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { HistoryTable, listedIn } from '../../../src/pages/history/history-table.tsx'
import type { History } from '../../../src/history/history.ts'
import { git, gitBytes } from '../../support/git/git.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { indexOf } from '../../support/history/history-index.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

it('shows the history of one moment though a revision comes while it is read', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  await save(history, documentOf('two'))
  const { entities, texts } = indexOf(history)
  const details = {
    find: () => null,
    isKnown: () => false,
    wait: async () => void (await save(history, documentOf('three'))),
  }
  const deps = { history, entities, texts, details, access: { may: () => true } }
  const reader = { username: 'admin' }

  const page = await readHistoryPage(deps, reader, { filter: EVERYTHING, offset: 0, show: null })
  const rows = await page.readRows()

  expect(history.size()).toBe(3)
  expect(page).toMatchObject({ total: 2, matching: 2, current: { number: 2 } })
  expect(rows.map(({ revision }) => [revision.number, revision.isCurrent])).toEqual([
    [2, true],
    [1, false],
  ])
})

it('says how far the history is indexed while a text of it is searched', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  for (const name of ['two', 'three']) await save(history, documentOf(name))
  const mayGoOn = new AbortController()
  const { entities, texts } = indexOf(history, {
    examine: async () => {
      if (!mayGoOn.signal.aborted) await once(mayGoOn.signal, 'abort')
    },
  })
  const details = { find: () => null, isKnown: () => false, wait: async () => undefined }
  const deps = { history, entities, texts, details, access: { may: () => true } }
  const read = () =>
    readHistoryPage(
      deps,
      { username: 'admin' },
      { filter: { ...EVERYTHING, text: 'two' }, offset: 0, show: null },
    )

  const early = await read()
  mayGoOn.abort()
  await expect.poll(() => entities.progress().indexed).toBe(3)
  const late = await read()

  expect(early).toMatchObject({ matching: 0, indexing: { indexed: 0, of: 3 } })
  expect(late).toMatchObject({ matching: 2, indexing: null })
})

it('says of each revision that its lines are not counted, until they are', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  const { revision: counted } = await save(history, documentOf('two'))
  const { entities, texts } = indexOf(history)
  const found = { lines: { added: 7, removed: 0 }, changes: [] }
  const details = {
    find: ({ commit }: { readonly commit: string }) => (commit === counted.commit ? found : null),
    isKnown: () => false,
    wait: async () => undefined,
  }
  const deps = { history, entities, texts, details, access: { may: () => true } }

  const page = await readHistoryPage(
    deps,
    { username: 'admin' },
    { filter: EVERYTHING, offset: 0, show: null },
  )
  const rows = await page.readRows()
  const listed = runSync(listedIn(rows))
  const chosen = { a: 1, b: 2 }
  const table = HistoryTable({ links: new Links(''), page, rows, listed, chosen, now: 0 })
  const shown = (await table).toString().match(/<tr class="revision".*?<\/tr>/gs) ?? []

  expect(shown.map((row) => row.includes('not counted yet'))).toEqual([false, true])
  expect(shown.map((row) => row.includes('+7<'))).toEqual([true, false])
})

/** Reads the page about everything, again and again; a new reader has counted nothing before. */
function readerOf(history: History): () => Promise<HistoryPage> {
  const { entities, texts } = indexOf(history)
  const details = { find: () => null, isKnown: () => false, wait: async () => undefined }
  const deps = { history, entities, texts, details }
  return async () => {
    await entities.settle()
    return readHistoryPage(
      { ...deps, access: { may: () => true } },
      { username: 'admin' },
      { filter: EVERYTHING, offset: 0, show: null },
    )
  }
}

/** A page without the choices of things, among which those of revisions that are gone stay. */
function withoutThings(page: HistoryPage | undefined) {
  return page && { ...page, readRows: null, facts: { ...page.facts, entities: [] } }
}

function revisionsOfUsers(page: HistoryPage | undefined) {
  return Object.fromEntries(page?.facts.users.map((user) => [user.username, user.revisions]) ?? [])
}

function countUsers(history: History) {
  const all = history.list({ offset: 0, limit: history.kept() })
  const of = (name: string) => all.filter(({ username }) => username === name).length
  return Object.fromEntries(all.map(({ username }) => [username, of(username)]))
}

function withPipeline(name: string, schemaVersion?: number): string {
  return documentOf(`<pipelines><pipeline name="${name}" /></pipelines>`, schemaVersion)
}

it('counts what has come since the last look, and everything anew after a reset', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  const read = readerOf(history)
  const looked: HistoryPage[] = []
  const look = async () => {
    looked.push(await read())
    expect(withoutThings(looked.at(-1))).toEqual(withoutThings(await readerOf(history)()))
    expect(revisionsOfUsers(looked.at(-1))).toEqual(countUsers(history))
  }

  await look()
  for (const name of ['two', 'three']) await save(history, withPipeline(name))
  await look()
  await save(history, withPipeline('three', 140))
  await look()
  folder.git('reset', '--quiet', '--hard', 'HEAD~2')
  await history.follow()
  await look()
  folder.commit(withPipeline('other'))
  await history.follow()
  await look()

  expect(looked.map(({ total }) => total)).toEqual([1, 3, 4, 2, 3])
  expect(looked.map(({ facts }) => facts.noise)).toEqual([0, 0, 1, 0, 0])
  expect(looked.map(({ bars }) => bars.reduce((sum, { count }) => sum + count, 0))).toEqual(
    looked.map(({ matching }) => matching),
  )
})

it('counts what a merge has added below the newest revision, though it is none itself', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  folder.commit(withPipeline('ours'))
  await history.follow()
  const read = readerOf(history)
  const before = await read()
  const clone = tempDir()
  const file = join(clone, 'config.xml')
  const env = { GIT_COMMITTER_DATE: '2024-01-01T00:00:00Z' }
  git(clone, 'clone', '--quiet', folder.path, '.')
  git(clone, 'checkout', '--quiet', '-b', 'side', 'HEAD~1')
  writeFileSync(file, withPipeline('theirs'))
  gitBytes(clone, ['commit', '--quiet', '-a', '-m', 'Theirs'], { env })
  git(clone, 'checkout', '--quiet', 'main')
  git(clone, 'merge', '--quiet', '--no-commit', '-s', 'ours', 'side')
  writeFileSync(file, '<cruise')
  git(clone, 'commit', '--quiet', '-a', '-m', 'Merge')

  folder.git('fetch', '--quiet', clone, 'main')
  folder.git('reset', '--quiet', '--hard', 'FETCH_HEAD')
  await history.follow()
  const after = await read()

  expect([before.total, before.matching]).toEqual([2, 2])
  expect([after.total, after.matching, after.shown.length]).toEqual([3, 3, 3])
  expect(after.current.commit).toBe(before.current.commit)
})
