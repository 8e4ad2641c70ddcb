import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { verifyRepository } from '../../../src/history/upkeep/verify.ts'
import { documentOf, HistoryFolder, save } from '../../support/history/history-folder.ts'
import { git } from '../../support/git/git.ts'

/** A repository with two commits, from which others are made. */
async function originWithCommits(): Promise<HistoryFolder> {
  const origin = new HistoryFolder()
  origin.init()
  for (const name of ['one', 'two']) origin.commit(documentOf(name))
  origin.git('config', 'uploadpack.allowFilter', 'true')
  return origin
}

/** A folder in which git has made a repository by `git clone` with these options. */
function cloneOf(origin: HistoryFolder, ...options: readonly string[]): HistoryFolder {
  const folder = new HistoryFolder()
  git(origin.path, 'clone', '--quiet', ...options, `file://${origin.path}`, folder.path)
  return folder
}

/** Makes two commits, of which only the first one has the file; returns the name of its blob. */
function commitAndRemove(folder: HistoryFolder, name: string): string {
  folder.write('notes', name)
  folder.git('add', name)
  folder.git('commit', '--quiet', '--message=add')
  const blob = folder.git('rev-parse', `HEAD:${name}`).trim()
  folder.git('rm', '--quiet', name)
  folder.git('commit', '--quiet', '--message=remove')
  return blob
}

/** Removes the pack that git has fetched for one object alone. */
function loseFromPacks(folder: HistoryFolder, oid: string): void {
  const packs = folder.file('.git/objects/pack')
  for (const index of readdirSync(packs).filter((name) => name.endsWith('.idx'))) {
    const listed = folder.git('verify-pack', '-v', `${packs}/${index}`)
    if (!listed.startsWith(oid)) continue
    for (const ending of ['idx', 'pack', 'promisor'])
      rmSync(`${packs}/${index.replace(/idx$/, ending)}`)
  }
}

async function expectRefused(folder: HistoryFolder, reason: RegExp): Promise<void> {
  await expect(folder.open()).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(reason),
  })
  expect(existsSync(folder.file('.git/cairn'))).toBe(false)
}

describe('a repository that is not as a service makes it', () => {
  it.each([
    ['objectFormat', 'sha512', /objectFormat sha512: only repositories with sha1 or sha256/],
    [
      'refStorage',
      'reftable',
      /reftable, and only files .*: "git refs migrate --ref-format=files"/,
    ],
  ])('is refused with the %s %s, and left as it is', async (setting, value, reason) => {
    await using folder = new HistoryFolder()
    folder.init()
    folder.git('config', 'core.repositoryFormatVersion', '1')
    appendFileSync(folder.file('.git/config'), `[extensions]\n\t${setting} = ${value}\n`)

    await expectRefused(folder, reason)
    expect(existsSync(folder.file('config.xml'))).toBe(false)
  })

  it('is refused without the git program when only that can read its objects', async () => {
    await using folder = new HistoryFolder({ objectFormat: 'sha256', programPath: null })
    folder.init()

    await expect(folder.open()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/the object format sha256: install git to read it/),
    })
  })

  it('is refused as a linked work tree, and adopted beside one', async () => {
    await using folder = await originWithCommits()
    await using linked = new HistoryFolder()
    folder.git('worktree', 'add', '--quiet', linked.path, '-b', 'beside')

    await expect(linked.open()).rejects.toMatchObject({
      message: expect.stringMatching(/linked work tree, .* serve the main one instead/),
    })
    const history = await folder.open()
    await save(history, documentOf('three'))

    expect(history.size()).toBe(3)
    expect(folder.git('worktree', 'list')).toContain(linked.path)
    expect(folder.complaints()).toBe('')
  })

  it('is refused while it borrows objects, and adopted when it has its own', async () => {
    await using origin = await originWithCommits()
    await using folder = new HistoryFolder()
    git(origin.path, 'clone', '--quiet', '--shared', origin.path, folder.path)

    await expectRefused(folder, /borrows objects .*"git repack -a -d" in it, and remove that file/)
    folder.git('repack', '-a', '-d', '--quiet')
    rmSync(folder.file('.git/objects/info/alternates'))

    expect((await folder.open()).size()).toBe(2)
    expect(folder.complaints()).toBe('')
  })

  it('is refused as a partial clone, and adopted as a whole one', async () => {
    await using origin = await originWithCommits()
    await using partial = cloneOf(origin, '--filter=blob:none')
    await using whole = cloneOf(origin)

    await expectRefused(partial, /partial clone: clone it again, without --filter/)

    expect((await whole.open()).size()).toBe(2)
  })

  it('is adopted as a partial clone that has everything, and as a copy of it', async () => {
    await using origin = await originWithCommits()
    await using partial = cloneOf(origin, '--filter=blob:none')
    partial.git('checkout', '--quiet', 'HEAD~1')
    partial.git('checkout', '--quiet', 'main')
    await using copy = new HistoryFolder()
    git(partial.path, 'clone', '--quiet', partial.path, copy.path)

    for (const folder of [partial, copy]) {
      const packs = readdirSync(folder.file('.git/objects/pack'))
      expect(packs.join()).toContain('.promisor')
      const history = await folder.open()
      await save(history, documentOf('three'))
      expect(history.size()).toBe(3)
      expect((await verifyRepository(folder.options())).problems).toEqual([])
    }
  })

  it('has what a partial clone lacks later told by the check of the repository', async () => {
    await using origin = await originWithCommits()
    const lost = commitAndRemove(origin, 'notes.txt')
    await using folder = cloneOf(origin, '--filter=blob:none')
    for (const commit of ['main~3', 'main~1', 'main']) folder.git('checkout', '--quiet', commit)
    await folder.open()
    loseFromPacks(folder, lost)

    expect((await verifyRepository(folder.options())).problems.join()).toContain(
      `The object ${lost} is missing`,
    )
  })

  it('is refused as a shallow clone, and adopted with what came before', async () => {
    await using origin = await originWithCommits()
    await using folder = cloneOf(origin, '--depth=1')

    await expect(folder.open()).rejects.toMatchObject({
      message: expect.stringMatching(/shallow: .* "git fetch --unshallow" brings that/),
    })
    folder.git('fetch', '--quiet', '--unshallow')

    expect((await folder.open()).size()).toBe(2)
  })
})
