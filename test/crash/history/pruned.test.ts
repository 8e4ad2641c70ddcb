import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { History } from '../../../src/history/history.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { unsyncedFs } from '../../support/disk/unsynced-fs.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { contentOf, openProposals, opening } from '../../support/proposals/stored-proposals.ts'

/** The reflog, which is written when the objects are there, and by which git knows them as needed. */
const REFLOG = /\/logs\/HEAD$/
const REFLOGS_OF_PROPOSALS = /\/logs\/refs\/proposals\//
const OBJECT = /\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/

type GitArgs = readonly [string, ...string[]]

const PRUNE: GitArgs = ['prune', '--expire=now']

/** A disk on which a git command runs right before a file is opened, or gets its name for the first time. */
function withGitBefore(name: RegExp, args: GitArgs, { path }: { path: string }): FsPromises {
  const moved = new Set<string>()
  const git = () => execFileSync('git', ['-C', path, ...args])
  return Object.assign(Object.create(unsyncedFs), {
    async open(file: string, flags?: string, mode?: number) {
      if (name.test(file)) git()
      return unsyncedFs.open(file, flags, mode)
    },
    async rename(from: string, to: string) {
      if (name.test(to) && !moved.has(from)) git()
      moved.add(from)
      await unsyncedFs.rename(from, to)
    },
  })
}

/** Removes what the newest commit has brought, as a command does that read the refs before. */
function removeNewest(folder: HistoryFolder): void {
  const names = folder.git('rev-list', '--objects', '--no-object-names', 'HEAD', '^HEAD~')
  for (const name of names.trim().split('\n')) {
    rmSync(join(folder.path, '.git', 'objects', name.slice(0, 2), name.slice(2)))
  }
}

async function saveMany(history: History, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => save(history, documentOf(name))))
}

it('keeps a save whose objects git has pruned before the branch moved', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open({ fs: withGitBefore(REFLOG, PRUNE, folder) })

  await save(history, documentOf('two'))

  expect(folder.complaints()).toBe('')
  expect(folder.git('show', 'HEAD:config.xml')).toBe(documentOf('two'))
})

it('keeps saves whose pack git has removed before the branch moved', async () => {
  await using folder = new HistoryFolder()
  await folder.open()
  const fs = withGitBefore(REFLOG, ['repack', '-a', '-d', '-q'], folder)
  const history = await folder.reopen({ fs })

  await saveMany(history, ['two', 'three', 'four', 'five', 'six', 'seven'])

  expect(folder.complaints()).toBe('')
  expect(folder.git('rev-list', '--count', 'HEAD')).toBe('7\n')
})

it('keeps a proposal whose objects git has pruned before its refs were written', async () => {
  using repository = new GitRepository()
  const base = repository.commit('config.xml', 'one\n')
  const fs = withGitBefore(REFLOGS_OF_PROPOSALS, PRUNE, repository)
  const store = await openProposals(repository, { fs })

  await store.open(null, contentOf(base, 'two\n'), opening(base))

  expect(repository.fsck()).toBe('')
  expect(repository.git('show', 'refs/proposals/1/head:config.xml')).toBe('two')
})

it('saves while git prunes what is just being written', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open({ fs: withGitBefore(OBJECT, PRUNE, folder) })

  await save(history, documentOf('two'))

  expect(folder.complaints()).toBe('')
  expect(folder.git('show', 'HEAD:config.xml')).toBe(documentOf('two'))
})

it('brings back what git has pruned right after a save', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  await save(history, documentOf('two'))

  removeNewest(folder)

  await expect.poll(() => history.follow().then(() => folder.complaints())).toBe('')
  expect(folder.git('show', 'HEAD:config.xml')).toBe(documentOf('two'))
  expect(folder.events).toContain('Objects that another program had removed were written again')
})

it('writes nothing again that git has packed', async () => {
  await using folder = new HistoryFolder()
  const history = await folder.open()
  await saveMany(history, ['two', 'three', 'four', 'five', 'six', 'seven'])
  await save(history, documentOf('eight'))

  folder.git('gc', '--quiet', '--prune=now')
  await history.follow()

  expect(folder.git('count-objects')).toBe('0 objects, 0 kilobytes\n')
  expect(folder.complaints()).toBe('')
})
