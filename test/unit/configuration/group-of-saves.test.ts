import { readFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { DocumentBefore } from '../../../src/configuration/save/save-group.ts'
import type { History } from '../../../src/history/history.ts'
import type { RevisionEvent } from '../../../src/history/revision/revision-events.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { change, documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'

const BROKEN = '<cruise'

/** A change that adds a word to the document that it is based on. */
function addWord(history: History, word: string, author = word) {
  return change(history, author, async ({ document }) => {
    const text = Buffer.from(document).toString()
    return Buffer.from(text.replace('\n</cruise>', ` ${word}\n</cruise>`))
  })
}

function wordsIn(folder: HistoryFolder): string {
  return folder.live().split('\n')[1]?.trim() ?? ''
}

function subjectsOf(folder: HistoryFolder, what: 'log' | 'reflog'): string[] {
  return folder.git(what, '--format=%an', 'main').trim().split('\n')
}

/** How often the branch got another commit by a rename, which is when it moves. */
function countingMoves(): { fs: FsPromises; moves: () => number } {
  let moves = 0
  const fs: FsPromises = Object.assign(Object.create(nodeFs), {
    async rename(from: string, to: string) {
      if (to.endsWith('/refs/heads/main')) moves += 1
      await nodeFs.rename(from, to)
    },
  })
  return { fs, moves: () => moves }
}

async function refuse(): Promise<never> {
  throw new Error('This is not wanted')
}

describe('saves that wait together', () => {
  it('are prepared one upon the other, and move the branch once', async () => {
    await using folder = new HistoryFolder()
    const { fs, moves } = countingMoves()
    const history = await folder.open({ fs })
    const before = moves()

    const saved = await Promise.all(['ana', 'ben', 'cleo'].map((who) => addWord(history, who)))

    expect(moves() - before).toBe(1)
    expect(wordsIn(folder)).toBe('first ana ben cleo')
    expect(subjectsOf(folder, 'log').slice(0, 3)).toEqual(['cleo', 'ben', 'ana'])
    expect(saved.map(({ isNew }) => isNew)).toEqual([true, true, true])
    expect(saved.map(({ revision }) => revision.commit).toReversed()).toEqual(
      folder.git('rev-list', '--max-count=3', 'main').trim().split('\n'),
    )
    expect(folder.complaints()).toBe('')
  })

  it('are one pack from four of them on, so that they share its syncs, and loose objects below', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()
    const counted = () => folder.git('count-objects', '-v')
    const packsAndLoose = () =>
      [/^packs: (\d+)/m, /^count: (\d+)/m].map((of) => of.exec(counted())?.[1])
    const [, before] = packsAndLoose()

    const saved = await Promise.all(
      ['ana', 'ben', 'cleo', 'dan'].map((who) => addWord(history, who)),
    )
    expect(packsAndLoose()).toEqual(['1', before])
    await addWord(history, 'eve')

    expect(packsAndLoose()).toEqual(['1', `${Number(before) + 3}`])
    expect(wordsIn(folder)).toBe('first ana ben cleo dan eve')
    for (const { revision } of saved) {
      expect(Buffer.from(await history.readDocument(revision)).toString()).toContain(
        revision.username,
      )
    }
    expect(folder.git('fsck', '--strict')).toBe('')
  })

  it('have a line each in the reflog of the branch and of HEAD', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()

    const saved = await Promise.all(['ana', 'ben'].map((who) => addWord(history, who)))

    const commits = saved.map(({ revision }) => revision.commit)
    for (const log of ['HEAD', 'refs/heads/main']) {
      const lines = readFileSync(folder.file(`.git/logs/${log}`), 'utf8')
        .trim()
        .split('\n')
      const moves = lines.slice(1).map((line) => line.split(' ').slice(0, 2))
      const first = lines[0]?.split(' ')[1]
      expect(moves).toEqual([
        [first, commits[0]],
        [commits[0], commits[1]],
      ])
    }
    expect(folder.git('reflog', '--format=%H', 'main').trim().split('\n')).toHaveLength(3)
  })

  it('are heard of at once, oldest first', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()
    const events: RevisionEvent[] = []
    history.onRevision((event) => events.push(event))

    await Promise.all(['ana', 'ben', 'cleo'].map((who) => addWord(history, who)))

    const heard = events.map(({ added, areSaves }) => [
      Array.from(added, (each) => each.username),
      areSaves,
    ])
    expect(heard).toEqual([[['ana', 'ben', 'cleo'], true]])
    const listed = history.list({ offset: 0, limit: 9 }).map(({ username }) => username)
    expect(listed).toEqual(['cleo', 'ben', 'ana', 'Upgrade'])
  })

  it('are refused alone, and spoil none of the others', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()

    const outcomes = await Promise.allSettled([
      addWord(history, 'ana'),
      save(history, BROKEN),
      change(history, 'dora', refuse),
      addWord(history, 'ben'),
    ])

    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(outcomes[1]).toMatchObject({ reason: { code: 'config-invalid' } })
    expect(outcomes[2]).toMatchObject({ reason: { message: 'This is not wanted' } })
    expect(wordsIn(folder)).toBe('first ana ben')
  })

  it('make no commit where they change nothing, and name the one before', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()

    const [first, same, next] = await Promise.all([
      addWord(history, 'ana'),
      change(history, 'ben', async ({ document }) => document),
      addWord(history, 'cleo'),
    ])

    expect(same).toEqual({ revision: first.revision, isNew: false, setAside: null })
    expect(next.isNew).toBe(true)
    expect(history.size()).toBe(3)
  })

  it('are computed again, all of them, where git was faster', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()
    let isFirst = true
    const disturb = async ({ document }: DocumentBefore) => {
      if (isFirst) folder.commit(documentOf('native'))
      isFirst = false
      return Buffer.from(Buffer.from(document).toString().replace('\n</cruise>', ' ben\n</cruise>'))
    }

    const saved = await Promise.all([
      addWord(history, 'ana'),
      change(history, 'ben', disturb),
      addWord(history, 'cleo'),
    ])

    expect(saved.map(({ isNew }) => isNew)).toEqual([true, true, true])
    expect(subjectsOf(folder, 'log')).toEqual(['cleo', 'ben', 'ana', 'native', 'Upgrade'])
    expect(wordsIn(folder).split(' ').slice(-3)).toEqual(['ana', 'ben', 'cleo'])
    expect(folder.complaints()).toBe('')
  })

  it('all fail where the disk refuses, and none is there', async () => {
    await using folder = new HistoryFolder()
    let isFull = false
    const fs: FsPromises = Object.assign(Object.create(nodeFs), {
      async link(from: string, to: string) {
        if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
        await nodeFs.link(from, to)
      },
    })
    const history = await folder.open({ fs })
    isFull = true

    const outcomes = await Promise.allSettled(
      ['ana', 'ben', 'cleo'].map((who) => addWord(history, who)),
    )

    isFull = false
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(history.size()).toBe(1)
    expect(wordsIn(folder)).toBe('first')
    await addWord(history, 'dora')
    expect(wordsIn(folder)).toBe('first dora')
  })

  it('keep an invalid live file once, and the first of them says so', async () => {
    await using folder = new HistoryFolder()
    const history = await folder.open()
    folder.write(BROKEN)
    await history.follow()

    const saved = await Promise.all(['ana', 'ben'].map((who) => addWord(history, who)))

    const [first, second] = saved.map(({ setAside }) => setAside)
    expect(first).toMatch(/^config\.xml\.invalid-/)
    expect(second).toBeNull()
    expect(folder.names().filter((name) => name.includes('invalid'))).toEqual([first])
  })

  it('are at most 32 in a group, so that the first does not wait for all', async () => {
    await using folder = new HistoryFolder()
    const { fs, moves } = countingMoves()
    const history = await folder.open({ fs })
    const before = moves()

    await Promise.all(Array.from({ length: 40 }, (_, n) => addWord(history, `w${n}`)))

    expect(moves() - before).toBe(2)
    expect(history.size()).toBe(41)
  })
})
