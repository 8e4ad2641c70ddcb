import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import { ChangesFile } from '../../../src/index/changes-file.ts'
import { ChangeSummary } from '../../../src/document/changes/change-summary.ts'
import { EntityIndex } from '../../../src/index/entity-index.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'

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

function aFile(): string {
  const folder = new TempFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  return folder.file('changes')
}

/** An index, and how many documents it has looked for. */
function indexOf(history: History, path = aFile(), patience = 30_000) {
  const asked = { documents: 0 }
  const find = () => {
    asked.documents += 1
    return null
  }
  const logged: string[] = []
  const index = new EntityIndex({
    history,
    summary: new ChangeSummary({ find }),
    file: new ChangesFile(path),
    log: ({ message }) => void logged.push(message),
    patience,
  })
  index.begin()
  onTestFinished(() => index[Symbol.asyncDispose]())
  return { index, asked, path, logged }
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
async function numbersOf(index: EntityIndex, history: History, entity: string): Promise<number[]> {
  const { revisions } = await index.revisionsOf(entity)
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

describe('the index of entities', () => {
  it('lists the revisions that changed an entity, and follows it to its former names', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS)
    const { index } = indexOf(history)

    expect(await numbersOf(index, history, 'pipeline/b')).toEqual([5, 4, 2])
    expect(await numbersOf(index, history, 'pipeline/c')).toEqual([6, 5, 3, 2])
    expect(await numbersOf(index, history, 'pipeline/a')).toEqual([5, 3, 2])
    expect(await numbersOf(index, history, 'PIPELINE/B'.toLowerCase())).toEqual([5, 4, 2])
    expect(await numbersOf(index, history, 'pipeline/none')).toEqual([])
    const { revisions, names } = await index.revisionsOf('pipeline/c')
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
    const { index } = indexOf(history)
    await saveAll(history, ...STEPS.slice(0, 2))

    expect(await numbersOf(index, history, 'pipeline/a')).toEqual([3, 2])
    expect(index.find(history.current())).toMatchObject([
      { kind: 'renamed', entity: 'pipeline/a', subject: 'stage', from: '1', to: '2' },
    ])
    expect(index.progress()).toEqual({ indexed: 3, of: 3 })
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
    const { index } = indexOf(history)
    await index.settle()

    const all = history.list({ offset: 0, limit: 10 }).toReversed()
    expect(all.map((revision) => index.isCosmetic(revision))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ])
  })

  it('reads nothing that it has answered before', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS.slice(0, 4))
    const first = indexOf(history)
    await first.index.revisionsOf('pipeline/a')
    await first.index[Symbol.asyncDispose]()
    await save(history, pipelines('z=1'))

    const second = indexOf(history, first.path)

    expect(await numbersOf(second.index, history, 'pipeline/a')).toEqual([5, 3, 2])
    expect(await numbersOf(second.index, history, 'pipeline/z')).toEqual([6])
    expect(first.asked.documents).toBeGreaterThan(4)
    expect(second.asked.documents).toBeLessThanOrEqual(4)
  })

  it.each<[what: string, damage: (path: string) => void]>([
    ['is gone', (path) => rmSync(path)],
    ['is cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, -40))],
    ['holds something else', (path) => writeFileSync(path, '{}\n')],
    [
      'was damaged inside',
      (path) => writeFileSync(path, readFileSync(path, 'utf8').replace('pipeline/a', 'pipeline/q')),
    ],
    ['has a line of noise', (path) => appendFileSync(path, 'noise\n')],
  ])('is complete again when its file %s', async (_, damage) => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS)
    const first = indexOf(history)
    await first.index.revisionsOf('pipeline/a')
    await first.index[Symbol.asyncDispose]()
    damage(first.path)

    const again = indexOf(history, first.path)
    const numbers = await numbersOf(again.index, history, 'pipeline/c')
    await again.index[Symbol.asyncDispose]()
    await save(history, pipelines('c=4'))
    const third = indexOf(history, first.path)

    expect(numbers).toEqual([6, 5, 3, 2])
    expect(await numbersOf(third.index, history, 'pipeline/c')).toEqual([7, 6, 5, 3, 2])
    expect(third.asked.documents).toBeLessThanOrEqual(4)
  })

  it('asks about an entity the same, however many revisions did not change it', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS.slice(0, 2))
    const { counted, calls } = countCalls(history)
    const { index } = indexOf(counted)
    const costOfAsking = async () => {
      await index.revisionsOf('pipeline/b')
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
    const { index } = indexOf(history)
    await index.revisionsOf('pipeline/b')

    folder.git('reset', '--quiet', '--hard', 'HEAD~2')
    folder.commit(pipelines('a=1', 'b=9'))
    await expect.poll(() => history.size()).toBe(3)
    await expect.poll(() => history.current().subject).toBe('By hand')

    expect(await numbersOf(index, history, 'pipeline/b')).toEqual([3, 2])
    expect(await numbersOf(index, history, 'pipeline/a')).toEqual([2])
    expect(index.find(history.current())).toMatchObject([{ entity: 'pipeline/b', to: '9' }])
  })

  it('says the same to who asked before as to who asks first, whatever has happened', async () => {
    const folder = await emptyFolder()
    const history = await folder.open()
    const { index } = indexOf(history)
    const said: number[][] = []
    const ask = async () => {
      const [again, first] = [index, indexOf(history).index]
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

  it('says how far it is when the answer takes too long', async () => {
    const history = await (await emptyFolder()).open()
    for (let at = 0; at < 40; at += 1) await save(history, pipelines(`a=${at}`))
    const { index } = indexOf(history, aFile(), 0)

    await expect(index.revisionsOf('pipeline/a')).rejects.toThrow(/^Indexing history: \d+ of 41$/)
    await expect.poll(() => index.progress().indexed).toBe(41)
    expect(index.find(history.current())).toHaveLength(1)
  })

  it('answers on when its file cannot be written', async () => {
    const history = await (await emptyFolder()).open()
    await saveAll(history, ...STEPS)
    const folder = new TempFolder()
    onTestFinished(() => folder[Symbol.dispose]())
    const { index, logged } = indexOf(history, folder.path)

    await expect.poll(() => index.progress().indexed).toBe(6)
    expect(await numbersOf(index, history, 'pipeline/b')).toEqual([5, 4, 2])
    await index[Symbol.asyncDispose]()
    expect(logged).not.toEqual([])
  })
})
