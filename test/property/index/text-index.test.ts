import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HistoryIndex } from '../../../src/index/history-index.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { git, gitScript } from '../../support/git/git.ts'
import { HistoryFolder, save } from '../../support/history/history-folder.ts'
import { indexFile, indexOf } from '../../support/history/history-index.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

function documentOf(body: string): string {
  return `<cruise schemaVersion="139">\n${body}\n</cruise>\n`
}

function manyLines(of: number): string {
  return Array.from({ length: 4_000 }, (_, at) => `line ${at} of ${of}`).join('\n')
}

async function importBodies(folder: HistoryFolder, bodies: readonly string[]): Promise<void> {
  const [first = '', ...others] = bodies.map(documentOf)
  folder.init()
  folder.commit(first)
  await fastImport(folder.path, others)
  folder.git('reset', '--quiet', '--hard')
}

/** The commits that git finds, in any order. */
function pickaxe(folder: string, text: string): string[] {
  return pickaxes(folder, [text])[0] ?? []
}

/** The commits that git finds for each of some texts. */
function pickaxes(folder: string, texts: readonly string[]): string[][] {
  const script = 'for text; do git log -S "$text" --format=%H; echo end; done'
  const ends = gitScript(folder, script, texts).split('end\n').slice(0, -1)
  return ends.map((commits) => commits.split('\n').filter(Boolean).toSorted())
}

async function found(index: HistoryIndex, text: string): Promise<string[]> {
  await index.settle()
  const commits: string[] = []
  for await (const revisions of index.texts.search(text).revisions())
    commits.push(...revisions.map(({ commit }) => commit))
  return commits.toSorted()
}

/** Few letters, so that texts occur often, overlap themselves and span lines. */
const letters = fc.constantFrom('a', 'a', 'b', '\n', '\n', '\r\n', 'é', '🙂', ' ')
const body = fc.array(letters, { maxLength: 14 }).map((parts) => parts.join(''))
const text = fc.array(letters, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))

describe('the search for a text in the history', () => {
  it(
    'finds what git log -S finds, whatever the documents and the text',
    { timeout: 240_000, tags: ['long'] },
    async () => {
      const histories = fc.record({
        bodies: fc.array(body, { minLength: 2, maxLength: 12 }),
        texts: fc.array(text, { minLength: 12, maxLength: 12 }),
      })
      await fc.assert(
        fc.asyncProperty(histories, async ({ bodies, texts }) => {
          await using folder = new HistoryFolder()
          await importBodies(folder, bodies)
          await using history = await folder.open()
          const index = indexOf(history)

          const byGit = pickaxes(folder.path, texts)
          for (const [nth, each] of texts.entries()) {
            expect([each, await found(index, each)]).toEqual([each, byGit[nth]])
          }
        }),
        { numRuns: 20 },
      )
    },
  )

  it.each(['aa', 'a\na', 'a\nb\na', '\n', '\n\n', 'a\r\n', 'b\na\n\nb', ' aaa', '</cruise>\n'])(
    'counts %j as git does',
    async (each) => {
      await using folder = new HistoryFolder()
      await using history = await folder.open()
      for (const one of [
        'aaa',
        'aaaa',
        'a\na\na',
        'a\na\na\na',
        'a\nb\na',
        'a\nb\na\nb\na',
        'b\na',
        'a\r\na',
        'b\na\n\nb',
        'b\na\n\n\nb',
        'a\n\n\n\na',
      ])
        await save(history, documentOf(one))
      const index = indexOf(history)

      expect(await found(index, each)).toEqual(pickaxe(folder.path, each))
    },
  )

  it('finds each of many revisions where others have a part of the text, or have it as often', async () => {
    await using folder = new HistoryFolder()
    const words = ['needle', 'needles', 'nee eed', 'edl dle', 'pin needle', 'pin']
    const mixed = Array.from({ length: 200 }, (_, n) =>
      [0, 1, 2].map((place) => words[(n * (place + 3) + ((n * n) >> 3)) % words.length]).join(' '),
    )
    const ends = ['pin', 'pins', 'nee x', 'eed y', 'pins z', 'dle']
    const kept = Array.from({ length: 400 }, (_, n) => {
      return `${n % 18 < 9 ? 'needle' : 'some pin'} stands before ${ends[(n + (n >> 4)) % ends.length]}`
    })
    const bodies = [...mixed, ...kept]
    await importBodies(folder, bodies)
    await using history = await folder.open()
    const index = indexOf(history)
    const texts = [
      'needle',
      'needles',
      'pin needle',
      'nee eed edl',
      'edl dle pin',
      'pin',
      'no such',
    ]

    const byGit = pickaxes(folder.path, texts)

    const counts = byGit.map((commits) => commits.length)
    expect(counts.filter((count) => count > 20).length).toBeGreaterThan(3)
    for (const [nth, each] of texts.entries())
      expect([each, await found(index, each)]).toEqual([each, byGit[nth]])
  })

  it('goes on with a file of an earlier start', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()
    const file = indexFile()
    for (const name of ['one', 'two', 'one two', 'three']) await save(history, documentOf(name))
    const first = indexOf(history, { file })
    await found(first, 'one')
    await first[Symbol.asyncDispose]()
    await save(history, documentOf('one'))

    expect(await found(indexOf(history, { file }), 'one')).toEqual(pickaxe(folder.path, 'one'))
  })

  it('finds it in many changed lines, newest first, without those that nobody asks for', async () => {
    await using folder = new HistoryFolder()
    folder.init()
    folder.commit(documentOf('empty'))
    await fastImport(
      folder.path,
      Array.from({ length: 12 }, (_, n) => documentOf(`${manyLines(n % 5)}\nword ${n % 3}`)),
    )
    folder.git('reset', '--quiet', '--hard')
    await using history = await folder.open()
    const index = indexOf(history)
    const texts = ['word 2', 'line 3999 of 4', 'line 7 of 1\nline 8 of 1\nline 9', 'empty']
    const byGit = pickaxes(folder.path, texts)

    expect(await Promise.all(texts.map((each) => found(index, each)))).toEqual(byGit)
    const [newest] = history.list({ offset: 0, limit: 1 })
    for await (const [first] of index.texts.search(' of 1').revisions()) {
      expect(first).toEqual(newest)
      break
    }
  })

  it('follows a history that is rewritten', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()
    for (const name of ['one', 'two', 'one two', 'three']) await save(history, documentOf(name))
    const index = indexOf(history)
    await found(index, 'one')

    folder.git('reset', '--quiet', '--hard', 'HEAD~2')
    folder.commit(documentOf('one again'))
    await history.base()

    expect(await found(index, 'one')).toEqual(pickaxe(folder.path, 'one'))
  })

  it.skipIf(SHARED_DATA === null)(
    'finds in the history of a real server what git finds',
    { timeout: 240_000, tags: ['long'] },
    async () => {
      const folder = tempDir()
      const bundle = join(SHARED_DATA ?? '', 'real-config-history.bundle')
      git(folder, 'clone', '--quiet', '-b', 'master', bundle, 'config-repo')
      await using real = new HistoryFolder({
        repository: join(folder, 'config-repo'),
        fileName: 'cruise-config.xml',
        inspect: async (document) => ({ ok: true, document, schemaVersion: 75 }),
      })
      const history = await real.open()
      const index = indexOf(history)

      for (const each of [
        'rm -rf',
        'bitbake',
        'timeout="',
        '<pipelines group="',
        'encryptedPassword',
        '<task',
        '</job>\n        <job',
        '\n\n',
        'name="GENIVI_',
        'nowhere at all',
      ]) {
        const shown = pickaxe(join(folder, 'config-repo'), each)
        expect([each, await found(index, each)]).toEqual([each, shown])
      }
    },
  )
})
