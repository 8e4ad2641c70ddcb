import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import { DatabaseSync } from '../../../src/storage/sqlite-engine.ts'
import type { HistoryIndex } from '../../../src/index/history-index.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { fastImport } from '../../support/git/fast-import.ts'
import { indexFile, indexOf } from '../../support/history/history-index.ts'

/** Pipelines `name=label` in one group. */
function pipelines(...all: readonly string[]): string {
  const list = all.map((each) => {
    const [name, label] = each.split('=')
    return `<pipeline name="${name}"><stage name="${label}"><jobs><job name="j"/></jobs></stage></pipeline>`
  })
  return documentOf(`<pipelines group="g">${list.join('\n')}</pipelines>`)
}

async function emptyFolder(): Promise<HistoryFolder> {
  const folder = new HistoryFolder({ firstDocument: () => Buffer.from(pipelines()) })
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder
}

/** An index that has begun, with what it has logged and how many documents it has read. */
function begun(history: History, file = indexFile()) {
  const read = { documents: 0 }
  const logged: string[] = []
  const counted = withReads(history, () => {
    read.documents += 1
  })
  const log = ({ message }: { readonly message: string }) => void logged.push(message)
  const index = indexOf(counted, { file, log })
  index.begin()
  return { index, read, file, logged }
}

/** A history that tells when a document is read. */
function withReads(history: History, tell: () => void): History {
  return new Proxy(history, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]): unknown => {
        if (String(name).startsWith('read')) tell()
        return Reflect.apply(value, target, args)
      }
    },
  })
}

/** A history that counts what it is asked. */
function countCalls(history: History) {
  const calls = { count: 0 }
  const counted = new Proxy(history, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]): unknown => {
        calls.count += 1
        return Reflect.apply(value, target, args)
      }
    },
  })
  return { counted, calls }
}

/** The numbers of the revisions that changed an entity, newest first. */
async function numbersOf(index: HistoryIndex, history: History, entity: string): Promise<number[]> {
  await index.settle()
  const { revisions } = await index.entities.revisionsOf(entity)
  return Array.from(revisions, ({ revision }) => history.numberOf(revision) ?? 0)
}

async function saveAll(history: History, ...documents: readonly string[]): Promise<void> {
  for (const document of documents) await save(history, document)
}

const STEPS = [
  pipelines('a=1', 'b=1'),
  pipelines('a=2', 'b=1'),
  pipelines('a=2', 'b=2'),
  pipelines('c=2', 'b=2 x'),
  pipelines('c=3', 'b=2 x'),
]

/** Another name in the changes of a revision, as a disk that forgets a bit would have it. */
function withOther(file: Buffer): Buffer {
  const place = file.indexOf('"label":"a"')
  file.write('"label":"q"', place)
  return file
}

function ofOther(file: Buffer): Buffer {
  file.write('cairn index 0', file.indexOf('cairn index '))
  return file
}

describe('the index of entities', () => {
  it('lists the revisions that changed an entity, and follows it to its former names', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS)
    const { index } = begun(history)

    expect(await numbersOf(index, history, 'pipeline/b')).toEqual([5, 4, 2])
    expect(await numbersOf(index, history, 'pipeline/c')).toEqual([6, 5, 3, 2])
    expect(await numbersOf(index, history, 'pipeline/a')).toEqual([5, 3, 2])
    expect(await numbersOf(index, history, 'PIPELINE/B'.toLowerCase())).toEqual([5, 4, 2])
    expect(await numbersOf(index, history, 'pipeline/none')).toEqual([])
    const { revisions, names } = await index.entities.revisionsOf('pipeline/c')
    expect(names).toEqual(['pipeline/c', 'pipeline/a'])
    expect(Array.from(revisions, ({ entity }) => entity)).toEqual([
      'pipeline/c',
      'pipeline/c',
      'pipeline/a',
      'pipeline/a',
    ])
  })

  it('knows a revision as soon as it has arrived', async () => {
    const history = await (await emptyFolder()).open()
    const { index } = begun(history)
    await saveAll(history, ...STEPS.slice(0, 2))

    expect(await numbersOf(index, history, 'pipeline/a')).toEqual([3, 2])
    expect(index.entities.find(history.current())).toMatchObject([
      { kind: 'renamed', entity: 'pipeline/a', subject: 'stage', from: '1', to: '2' },
    ])
    expect(index.entities.progress()).toEqual({ indexed: 3, of: 3 })
  })

  it('knows which revisions changed nothing but layout and line endings', async () => {
    const history = await (await emptyFolder()).open()
    const document = pipelines('a=1', 'b=1')
    await saveAll(
      history,
      document,
      document.replaceAll('</pipeline>\n', '</pipeline>\r\n'),
      document,
      document.replace('<pipeline ', '\n<pipeline '),
      pipelines('a=2', 'b=1'),
    )
    const { index } = begun(history)
    await index.settle()

    const all = history.list({ offset: 0, limit: 10 }).toReversed()
    expect(all.map((revision) => index.entities.isCosmetic(revision))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ])
  })

  it('names those revisions newest first, however many there are', async () => {
    const folder = await emptyFolder()
    await folder.open()
    await folder.close()
    const documents = Array.from({ length: 260 }, (_, n) =>
      pipelines(`a=${Math.floor(n / 10)}`).replace('<stage ', `${'\n'.repeat(n % 10)}<stage `),
    )
    await fastImport(folder.path, documents)
    folder.git('reset', '-q', '--hard')
    const history = await folder.open()
    const { index } = begun(history)
    await index.settle()

    const expected = documents.flatMap((_, n) => (n % 10 === 0 ? [] : [n + 2])).toReversed()
    expect([...index.entities.cosmetic()]).toEqual(expected)
  })

  it('reads nothing that it has answered before', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS.slice(0, 4))
    const first = begun(history)
    await first.index.settle()
    await first.index[Symbol.asyncDispose]()
    await save(history, pipelines('z=1'))

    const second = begun(history, first.file)

    expect(await numbersOf(second.index, history, 'pipeline/a')).toEqual([5, 3, 2])
    expect(await numbersOf(second.index, history, 'pipeline/z')).toEqual([6])
    expect(first.read.documents).toBeGreaterThan(4)
    expect(second.read.documents).toBeLessThanOrEqual(4)
  })

  it.each<[what: string, damage: (path: string) => void]>([
    ['is gone', (path) => rmSync(path)],
    ['is cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, -9_000))],
    ['is empty', (path) => writeFileSync(path, '')],
    ['holds something else', (path) => writeFileSync(path, '{}\n'.repeat(2_000))],
    ['was damaged inside', (path) => writeFileSync(path, readFileSync(path).fill('?', 4_096))],
    ['is of another version', (path) => writeFileSync(path, ofOther(readFileSync(path)))],
  ])('is complete again when its file %s', async (_, damage) => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS)
    const first = begun(history)
    await first.index.settle()
    await first.index[Symbol.asyncDispose]()
    damage(first.file)

    const again = begun(history, first.file)
    const numbers = await numbersOf(again.index, history, 'pipeline/c')
    await again.index[Symbol.asyncDispose]()
    await save(history, pipelines('c=4'))
    const third = begun(history, first.file)

    expect(numbers).toEqual([6, 5, 3, 2])
    expect(await numbersOf(third.index, history, 'pipeline/c')).toEqual([7, 6, 5, 3, 2])
    expect(third.read.documents).toBeLessThanOrEqual(4)
  })

  it('makes everything anew when a disk has changed what it says, and finds it at once', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS)
    const first = begun(history)
    await first.index.settle()
    const labelsIn = (index: HistoryIndex) =>
      history
        .list({ offset: 0, limit: 10 })
        .map((revision) => index.entities.find(revision)?.map(({ label }) => label))
    const said = labelsIn(first.index)
    await first.index[Symbol.asyncDispose]()
    writeFileSync(first.file, withOther(readFileSync(first.file)))

    const { index, logged } = begun(history, first.file)
    labelsIn(index)
    await index.settle()

    expect(logged).toEqual(['The index of the history cannot be read and is made anew'])
    expect(labelsIn(index)).toEqual(said)
  })

  it('asks about an entity the same, however many revisions did not change it', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS.slice(0, 2))
    const { counted, calls } = countCalls(history)
    const index = indexOf(counted)
    const costOfAsking = async () => {
      await index.entities.revisionsOf('pipeline/b')
      calls.count = 0
      const numbers = await numbersOf(index, history, 'pipeline/b')
      return { numbers, calls: calls.count }
    }
    const before = await costOfAsking()

    for (let n = 0; n < 60; n += 1) await save(history, pipelines(`a=${n} more`, 'b=1'))

    expect(before.calls).toBeGreaterThan(0)
    expect(await costOfAsking()).toEqual(before)
  })

  it('follows a history that was rewritten', async () => {
    const folder = await emptyFolder()
    const history = await folder.open({ pollInterval: 20 })
    await saveAll(history, ...STEPS.slice(0, 3))
    const { index } = begun(history)
    await index.entities.revisionsOf('pipeline/b')

    folder.git('reset', '--quiet', '--hard', 'HEAD~2')
    folder.commit(pipelines('a=1', 'b=9'))
    await expect.poll(() => history.size()).toBe(3)
    await expect.poll(() => history.current().subject).toBe('By hand')

    expect(await numbersOf(index, history, 'pipeline/b')).toEqual([3, 2])
    expect(await numbersOf(index, history, 'pipeline/a')).toEqual([2])
    expect(index.entities.find(history.current())).toMatchObject([
      { entity: 'pipeline/b', to: '9' },
    ])
  })

  it('follows such a history once its file, which could not be written, can be', async () => {
    const folder = await emptyFolder()
    const history = await folder.open()
    await saveAll(history, pipelines('a=1'), pipelines('a=2'), pipelines('a=3'))
    const { index, file, logged } = begun(history)
    await index.settle()
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    other.exec(
      `CREATE TRIGGER full BEFORE DELETE ON changed BEGIN SELECT RAISE(ABORT, 'full'); END`,
    )
    folder.git('reset', '--quiet', '--hard', 'HEAD~2')
    await history.follow()
    await expect.poll(() => logged).toContain('The history could not be indexed')

    other.exec('DROP TRIGGER full')
    await index.settle()

    expect(await numbersOf(index, history, 'pipeline/a')).toEqual([2])
  })

  it('says the same to who asked before as to who asks first, whatever has happened', async () => {
    const folder = await emptyFolder()
    const history = await folder.open()
    const { index } = begun(history)
    const said: number[][] = []
    const ask = async () => {
      const [again, first] = [index, begun(history).index]
      said.push(await numbersOf(again, history, 'pipeline/a'))
      expect(said.at(-1)).toEqual(await numbersOf(first, history, 'pipeline/a'))
    }
    const reset = async (commit: string) => {
      folder.git('reset', '--quiet', '--hard', commit)
      await history.follow()
    }

    await saveAll(history, pipelines('a=1'), pipelines('a=1', 'b=1'))
    await ask()
    await saveAll(history, pipelines('a=2', 'b=1'), pipelines('a=3', 'b=1'))
    await ask()
    const { commit } = history.current()
    await reset('HEAD~1')
    await ask()
    await reset(commit)
    await ask()
    await reset('HEAD~3')
    await saveAll(history, pipelines('a=4'))
    await ask()
    await saveAll(history, pipelines('c=4'), pipelines('c=4', 'a=1'))
    await ask()

    expect(said).toEqual([[2], [5, 4, 2], [4, 2], [5, 4, 2], [3, 2], [5, 4, 3, 2]])
  })

  it('answers from what is indexed, newest first, and says how far it is', async () => {
    const history = await (await emptyFolder()).open()
    for (let at = 0; at < 60; at += 1) await save(history, pipelines(`a=${at}`))
    const mayGoOn = new AbortController()
    const index = indexOf(history, {
      examine: async (revision) => {
        const isHeld = (history.numberOf(revision) ?? 0) < 10 && !mayGoOn.signal.aborted
        if (isHeld) await once(mayGoOn.signal, 'abort')
      },
    })

    index.begin()
    await expect.poll(() => index.entities.progress()).toEqual({ indexed: 50, of: 61 })
    const { revisions } = await index.entities.revisionsOf('pipeline/a')
    mayGoOn.abort()

    expect(revisions.length).toBe(50)
    expect(revisions.at(0)?.number).toBe(61)
    expect(await numbersOf(index, history, 'pipeline/a')).toHaveLength(60)
  })

  it('answers on when its file cannot be written', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS)
    const file = indexFile()
    mkdirSync(`${file}/not/a/file`, { recursive: true })
    const { index, logged } = begun(history, file)

    await expect.poll(() => index.entities.progress().indexed).toBe(6)
    expect(await numbersOf(index, history, 'pipeline/b')).toEqual([5, 4, 2])
    await index[Symbol.asyncDispose]()
    expect(logged).not.toEqual([])
  })
})
