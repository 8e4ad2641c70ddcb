// @module-tag long

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import type { Revision } from '../../../src/core/revision.ts'
import { bundleRepository } from '../../../src/git/bundle.ts'
import { examineRepository } from '../../../src/history/doctor/examine.ts'
import { importHistory } from '../../../src/history/import/import-history.ts'
import { restoreFolder } from '../../../src/history/sync/restore-folder.ts'
import { verifyRepository } from '../../../src/history/upkeep/verify.ts'
import { makeArchive } from '../../../src/operations/archive/make-archive.ts'
import { restoreArchive } from '../../../src/operations/archive/restore-archive.ts'
import { ArchivedFolder, listed } from '../../support/history/archived-history.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { git, gitBytes, tryGit } from '../../support/git/git.ts'

const NAMES = ['two', 'three', 'four', 'five', 'six']

it('moves old revisions into a file; those that stay keep their names and numbers', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)

  const made = await folder.archiveBefore(4)

  expect(made).toEqual({ revisions: 3, firstKept: 4, stillThere: 0 })
  const history = await folder.open()
  expect(listed(history)).toEqual(folder.revisions.slice(3))
  expect(history.numberOf(folder.revision(4))).toBe(4)
  expect([history.size(), history.kept()]).toEqual([6, 3])
  expect(history.find(folder.revision(2).digest)).toBeNull()
  await save(history, documentOf('seven'))
  expect(history.numberOf(history.current())).toBe(7)
  expect(folder.complaints()).toBe('')
  expect(folder.git('log', '--format=%H').trim().split('\n')).toHaveLength(4)
})

it('drops the objects of what was archived, and nothing that is needed', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  await folder.archiveBefore(4)

  const has = (number: number) =>
    tryGit(folder.path, ['cat-file', '-e', folder.revision(number).commit]).status === 0

  expect([1, 2, 3, 4, 5, 6].filter(has)).toEqual([4, 5, 6])
  expect(statSync(folder.archive).mode & 0o777).toBe(0o600)
})

it('brings everything back as it was, to the byte', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  const before = whatGitSays(folder)
  await folder.archiveBefore(4)
  await folder.reopen()

  await folder.bringBack()

  const history = await folder.open()
  expect(listed(history)).toEqual(folder.revisions)
  expect(history.numberOf(folder.revision(2))).toBe(2)
  expect(Buffer.from(await history.readDocument(folder.revision(1))).toString()).toBe(
    documentOf('first'),
  )
  expect(whatGitSays(folder)).toEqual(before)
  expect(existsSync(folder.file('.git/shallow'))).toBe(false)
})

it('archives again upon an archive, and brings both back, the later one first', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  const before = whatGitSays(folder)
  const later = folder.archives.file('later.bundle')
  await folder.archiveBefore(3)
  await folder.reopen()

  const made = await folder.archiveBefore(5, later)

  expect(made).toEqual({ revisions: 2, firstKept: 5, stillThere: 0 })
  expect(readFileSync(folder.file('.git/shallow'), 'utf8')).toBe(`${folder.revision(5).commit}\n`)
  expect((await folder.open()).numberOf(folder.revision(6))).toBe(6)
  expect(folder.complaints()).toBe('')
  await expect(folder.bringBack()).rejects.toThrow(/old\.bundle is brought back after the archive/)
  await folder.bringBack(later)
  expect(listed(await folder.open())).toEqual(folder.revisions.slice(2))
  await folder.bringBack()
  expect(listed(await folder.open())).toEqual(folder.revisions)
  expect(whatGitSays(folder)).toEqual(before)
})

it('leaves whole what other branches and tags have of what several archives hold', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  const later = folder.archives.file('later.bundle')
  folder.git('branch', 'aside', folder.revision(4).commit)
  folder.git('tag', 'first', folder.revision(3).commit)
  await folder.archiveBefore(3)

  const made = await folder.archiveBefore(6, later)

  expect(made).toEqual({ revisions: 3, firstKept: 6, stillThere: 2 })
  expect(folder.git('rev-list', '--count', '--all', '--reflog').trim()).toBe('3')
  expect(folder.git('fsck', '--connectivity-only')).toBe('')
  const history = await folder.open()
  expect(listed(history)).toEqual(folder.revisions.slice(5))
  expect(folder.complaints()).toBe('')
  await folder.bringBack(later)
  expect(listed(await folder.open())).toEqual(folder.revisions.slice(2))
  await folder.bringBack()
  expect(listed(await folder.open())).toEqual(folder.revisions)
})

it('shows revisions of several archives, and lists none of them', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  const later = folder.archives.file('later.bundle')
  await folder.archiveBefore(3)
  await folder.archiveBefore(5, later)
  const files = [later, folder.archive]
  const archives = { files, folder: folder.archives.file('archives') }

  for (let start = 1; start <= 2; start += 1) {
    const history = await folder.reopen({ archives })
    for (const [n, revision] of folder.revisions.entries()) {
      const document = Buffer.from(await history.readDocument(revision)).toString()
      expect(document).toBe(documentOf(['first', ...NAMES][n] ?? ''))
      expect(history.at(n + 1)).toEqual(revision)
      expect(history.numberOf(revision)).toBe(n + 1)
      expect(history.find(revision.digest)).toEqual(revision)
    }
    expect(history.parts().map(({ first }) => first)).toEqual([5, 3, 1])
    expect(history.at(0)).toBeNull()
    expect(listed(history)).toEqual(folder.revisions.slice(4))
  }
})

it.each([
  ['a date after the newest revision', 7, /newest revision, of .* is always kept/],
  ['a date before the oldest one', 1, /no revision is older than/],
])('refuses %s', async (_, number, reason) => {
  await using folder = await ArchivedFolder.of(...NAMES)
  const { time } = folder.revision(Math.min(number, 6))
  const before = number > 6 ? time + 1 : time

  const made = makeArchive({ file: folder.archive, before }, folder.archiveOptions())

  await expect(made).rejects.toThrow(reason)
  expect(existsSync(folder.archive)).toBe(false)
})

it('refuses a file in the repository, one that is something else, and one that is no archive', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  const other = folder.archives.file('notes.txt')
  writeFileSync(other, 'not a bundle\n')

  await expect(folder.archiveBefore(4, folder.file('old.bundle'))).rejects.toThrow(
    /lies in the repository/,
  )
  await expect(folder.archiveBefore(4, other)).rejects.toThrow(/is not what would be written/)
  await expect(folder.bringBack(other)).rejects.toThrow(/Nothing of this repository is in an/)
  await folder.archiveBefore(4)
  await expect(folder.bringBack(other)).rejects.toThrow(/is not an archive of this repository/)
  expect(readFileSync(other, 'utf8')).toBe('not a bundle\n')
})

it('refuses where there is not enough room, before anything is written', async () => {
  await using folder = await ArchivedFolder.of('two', 'three')
  const { bavail, bsize } = statfsSync(folder.path)
  const pack = folder.file('.git/objects/pack/pack-of-holes.pack')
  mkdirSync(dirname(pack), { recursive: true })
  writeFileSync(pack, '')
  truncateSync(pack, bavail * bsize)

  const made = folder.archiveBefore(3, folder.archives.file('new/old.bundle'))

  await expect(made).rejects.toThrow(/^There is not enough room at .*: \d+ MiB are needed, \d+ MiB/)
  expect(readdirSync(folder.archives.path)).toEqual([])
  expect(listed(await folder.open())).toEqual(folder.revisions)
})

it('makes the folder of the file, and says so when there is no such file to bring back', async () => {
  await using folder = await ArchivedFolder.of('two', 'three')
  const file = folder.archives.file('new/old.bundle')

  await folder.archiveBefore(3, file)

  expect(statSync(file).isFile()).toBe(true)
  await expect(folder.bringBack()).rejects.toThrow(/The archive .*old\.bundle is not there/)
})

it('refuses an import, which has to know all of the history', async () => {
  await using folder = await ArchivedFolder.of('two', 'three')
  await folder.archiveBefore(3)
  const { firstDocument: _, ...options } = folder.archiveOptions()

  const imported = importHistory({
    ...options,
    summarise: async () => 'Imported',
    fetch: async () => folder.revision(3).commit,
    name: 'again',
    sourceFile: 'config.xml',
    since: null,
    onProgress: () => undefined,
  })

  await expect(imported).rejects.toThrow(/an import has to know all of them: bring them back first/)
  expect(listed(await folder.open())).toEqual(folder.revisions.slice(2))
})

it('refuses while a service has the repository', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  await folder.open()
  const before = folder.revision(4).time

  const made = makeArchive({ file: folder.archive, before }, folder.archiveOptions())

  await expect(made).rejects.toMatchObject({ code: 'unavailable' })
  expect(existsSync(folder.archive)).toBe(false)
})

it('refuses while something else hides revisions, which would be lost', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  folder.write(`${folder.revision(5).commit}\n`, '.git/shallow')

  await expect(folder.archiveBefore(3)).rejects.toThrow(/shallow hides revisions that are there/)
})

it('keeps what another branch needs, and says so', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  folder.git('branch', 'aside', folder.revision(2).commit)

  const { stillThere } = await folder.archiveBefore(4)

  expect(stillThere).toBe(2)
  expect(folder.git('rev-list', 'aside').trim().split('\n')).toHaveLength(2)
  expect(folder.complaints()).toBe('')
})

it('keeps what is pending below refs/conflicts, tags, and what nothing names', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  const blob = gitBytes(folder.path, ['hash-object', '-w', '--stdin'], { input: 'a note' })
  folder.git('update-ref', 'refs/conflicts/one', folder.revision(1).commit)
  folder.git('tag', 'v3', folder.revision(3).commit)
  folder.git('repack', '-adkq')

  await folder.archiveBefore(5)

  expect(folder.git('cat-file', 'blob', blob.toString().trim())).toBe('a note')
  expect(folder.git('show', 'v3:config.xml')).toBe(documentOf('three'))
  expect(folder.git('show', 'refs/conflicts/one:config.xml')).toBe(documentOf('first'))
  expect(folder.complaints()).toBe('')
})

it('takes what was amended upon archived commits along, and its lines out of the reflog', async () => {
  await using folder = await ArchivedFolder.of('two', 'three')
  const amended = folder.commit(documentOf('draft'))
  folder.git('commit', '--quiet', '--amend', '-m', 'Once more')
  const history = await folder.open()
  await save(history, documentOf('last'))
  folder.revisions = listed(history)

  await folder.archiveBefore(4)

  expect(tryGit(folder.path, ['cat-file', '-e', amended]).status).not.toBe(0)
  expect(git(folder.archives.path, 'bundle', 'list-heads', folder.archive)).toContain(amended)
  expect(folder.git('reflog', 'main').trim().split('\n')).toHaveLength(2)
  expect(folder.complaints()).toBe('')
})

/** A history from which r4 was reset, and which then went on from r3. */
async function withDropped(): Promise<{ folder: ArchivedFolder; dropped: Revision }> {
  const folder = await ArchivedFolder.of('two', 'three', 'dropped')
  const dropped = folder.revision(4)
  const history = await folder.open()
  folder.git('reset', '--quiet', '--hard', 'HEAD~1')
  for (const name of ['four', 'five']) await save(history, documentOf(name))
  folder.revisions = listed(history)
  return { folder, dropped }
}

it('takes what was reset upon archived commits along, and brings it back under its name', async () => {
  const { folder, dropped } = await withDropped()
  await using _ = folder
  const refs = folder.git('for-each-ref')
  const isHere = () => tryGit(folder.path, ['cat-file', '-e', dropped.commit]).status === 0

  const made = await folder.archiveBefore(5)

  expect(made).toEqual({ revisions: 4, firstKept: 5, stillThere: 0 })
  expect(isHere()).toBe(false)
  expect(folder.complaints()).toBe('')
  expect(await (await folder.open()).findEver(dropped.digest)).toBeNull()
  await folder.bringBack()
  expect(folder.git('for-each-ref')).toBe(refs)
  expect(await (await folder.open()).findEver(dropped.digest)).toEqual(dropped)
  expect(folder.complaints()).toBe('')
})

it('takes along what was reset upon what an earlier archive has left', async () => {
  const { folder, dropped } = await withDropped()
  await using _ = folder
  const later = folder.archives.file('later.bundle')
  const refs = folder.git('for-each-ref')

  await folder.archiveBefore(3)
  expect(await (await folder.open()).findEver(dropped.digest)).toEqual(dropped)
  expect(folder.complaints()).toBe('')
  await folder.archiveBefore(5, later)
  expect(await (await folder.open()).findEver(dropped.digest)).toBeNull()
  expect(folder.complaints()).toBe('')

  await folder.bringBack(later)
  expect(await (await folder.open()).findEver(dropped.digest)).toEqual(dropped)
  await folder.bringBack()
  expect(folder.git('for-each-ref')).toBe(refs)
  expect(folder.complaints()).toBe('')
})

it('leaves what was reset upon commits that stay', async () => {
  const { folder, dropped } = await withDropped()
  await using _ = folder

  await folder.archiveBefore(2)

  expect(await (await folder.open()).findEver(dropped.digest)).toEqual(dropped)
  expect(folder.complaints()).toBe('')
})

it('keeps what was reset while nobody served the repository', async () => {
  await using folder = await ArchivedFolder.of('two', 'three', 'four')
  const dropped = folder.revision(4)
  folder.git('reset', '--quiet', '--hard', 'HEAD~1')

  await folder.archiveBefore(2)

  expect(await (await folder.open()).findEver(dropped.digest)).toEqual(dropped)
  expect(folder.complaints()).toBe('')
})

/** Commits by hand, each a day after the one before. */
class Dated {
  readonly #folder: ArchivedFolder
  #day = 0

  constructor(folder: ArchivedFolder) {
    this.#folder = folder
    folder.init()
  }

  commit(name: string): void {
    this.#folder.write(documentOf(name))
    this.#git('add', 'config.xml')
    this.#git('commit', '--quiet', '-m', name)
  }

  branch(name: string): void {
    this.#git('checkout', '--quiet', '-b', name)
  }

  /** Merges the other branch into one, which is checked out then. */
  merge(into: string, other: string): void {
    this.#git('checkout', '--quiet', into)
    this.#git('merge', '--quiet', '--no-ff', '--no-edit', other)
  }

  #git(...args: readonly string[]): void {
    const date = `${1_600_000_000 + (this.#day += 1) * 86_400} +0000`
    const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    gitBytes(this.#folder.path, args, { env })
  }
}

it('cuts below a branch that is merged into what stays', async () => {
  await using folder = new ArchivedFolder()
  const dated = new Dated(folder)
  for (const name of ['one', 'two', 'three']) dated.commit(name)
  dated.branch('aside')
  for (const name of ['four', 'five']) dated.commit(name)
  dated.merge('main', 'aside')
  folder.git('branch', '--quiet', '-D', 'aside')
  dated.commit('seven')
  folder.revisions = listed(await folder.open())
  expect(folder.revisions).toHaveLength(7)

  const { firstKept } = await folder.archiveBefore(5)

  expect(firstKept).toBe(3)
  expect(listed(await folder.open())).toEqual(folder.revisions.slice(2))
  expect(folder.complaints()).toBe('')
})

it('cuts below a merge that comes in the way when another is avoided', async () => {
  await using folder = new ArchivedFolder()
  const dated = new Dated(folder)
  for (const name of ['one', 'two']) dated.commit(name)
  dated.branch('aside')
  dated.commit('three')
  dated.merge('main', 'aside')
  dated.commit('five')
  dated.merge('aside', 'main')
  dated.commit('seven')
  folder.git('checkout', '--quiet', '-B', 'main', 'aside')
  folder.git('branch', '--quiet', '-D', 'aside')
  folder.revisions = listed(await folder.open())
  expect(folder.revisions).toHaveLength(7)

  const { firstKept } = await folder.archiveBefore(5)

  expect(firstKept).toBe(2)
  expect(listed(await folder.open())).toEqual(folder.revisions.slice(1))
  expect(folder.complaints()).toBe('')
})

it('is read anew, without git, verified and examined as it is', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  await folder.archiveBefore(4)
  await folder.reopen()
  const report = await verifyRepository(folder.options())
  const { findings } = await examineRepository(examinationOf(folder))
  folder.remove('.git/cairn')

  expect(report).toMatchObject({ revisions: 3, archived: 3, problems: [] })
  expect(findings).toEqual([])
  expect(listed(await folder.reopen())).toEqual(folder.revisions.slice(3))
  folder.remove('.git/cairn/revisions')
  expect(listed(await folder.reopen({ programPath: null }))).toEqual(folder.revisions.slice(3))
})

it('is what a backup holds, and what is restored from it', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  await using other = new HistoryFolder()
  await folder.archiveBefore(4)
  const bundle = folder.archives.file('backup.bundle')
  const tools = { programPath: process.env['PATH'], bundle }
  const head = await bundleRepository({ repository: folder.path, ...tools })

  await restoreFolder({ repository: other.path, fileName: 'config.xml', ...tools }, head)

  const history = await other.open()
  expect(listed(history)).toEqual(folder.revisions.slice(3))
  expect(history.numberOf(folder.revision(4))).toBe(4)
  expect(other.git('fsck', '--strict', '--no-dangling')).toBe('')
  await other.close()
  await restoreArchive(folder.archive, { ...folder.archiveOptions(), repository: other.path })
  expect(listed(await other.open())).toEqual(folder.revisions)
})

it('tells callers that stand at the last archived commit of everything since', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  await folder.archiveBefore(4)

  const history = await folder.open()

  expect(await history.listNewer(folder.revision(3).commit)).toEqual(folder.revisions.slice(3))
  expect(await history.listNewer(folder.revision(2).commit)).toBeNull()
  expect(await history.listNewer(folder.revision(4).commit)).toEqual(folder.revisions.slice(4))
})

it('takes a file that an earlier call has left, when it is what would be written', async () => {
  await using folder = await ArchivedFolder.of('two', 'three')
  await using again = new ArchivedFolder()
  cpSync(folder.path, again.path, { recursive: true })
  again.revisions = folder.revisions
  await folder.archiveBefore(2)
  const written = readFileSync(folder.archive)

  await expect(again.archiveBefore(3, folder.archive)).rejects.toThrow(/not what would be written/)
  await again.archiveBefore(2, folder.archive)

  expect(listed(await again.open())).toEqual(folder.revisions.slice(1))
  expect(readFileSync(folder.archive).equals(written)).toBe(true)
})

it('is packed by maintenance as any other history', async () => {
  await using folder = await ArchivedFolder.of(...NAMES)
  await folder.archiveBefore(4)
  const history = await folder.open({ packWhen: { looseObjects: 1, looseBytes: 1, packs: 1 } })
  await save(history, documentOf('seven'))

  await history.maintain()

  expect(history.storage()).toMatchObject({ problem: null, looseObjects: 0 })
  expect(folder.complaints()).toBe('')
})

function whatGitSays(folder: ArchivedFolder) {
  return [folder.git('log', '--format=fuller', '-p'), folder.git('for-each-ref')]
}

function examinationOf(folder: ArchivedFolder) {
  const options = folder.archiveOptions()
  return { ...options, repair: false, sources: [], log: null }
}
