// @module-tag long

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import type { Clone } from '../../support/git/git-client.ts'
import { git, gitBytes, gitLine } from '../../support/git/git.ts'
import { liveFileOf, serviceAndClone } from '../../support/history/push-scene.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Pushes a commit of everything in the work tree of a clone. */
async function pushAll(clone: Clone): Promise<void> {
  await clone.git('add', '--all')
  await clone.git('commit', '--quiet', '-m', 'By hand')
  const { code, stderr } = await clone.push()
  if (code !== 0) throw new Error(stderr)
}

function statusOf(folder: string): string {
  return git(folder, 'status', '--porcelain')
}

function filesOf(folder: string): readonly string[] {
  return gitLine(folder, 'ls-tree', '-r', '--name-only', 'HEAD').split('\n')
}

describe('other files that a push brings', () => {
  it('are in the folder, and a commit of everything there keeps them', async () => {
    const { service, clone } = await serviceAndClone()
    put(clone.folder, { 'docs/how/to.md': 'one\n', 'run.sh': '#!/bin/sh\n' })
    chmodSync(join(clone.folder, 'run.sh'), 0o755)
    await pushAll(clone)

    expect(statusOf(service.repository)).toBe('')
    expect(readFileSync(join(service.repository, 'docs/how/to.md'), 'utf8')).toBe('one\n')
    writeFileSync(join(service.repository, 'config.xml'), documentWith('by-hand'))
    git(service.repository, 'commit', '--quiet', '--all', '-m', 'In the folder')

    expect(filesOf(service.repository)).toEqual(['config.xml', 'docs/how/to.md', 'run.sh'])
    expect(liveFileOf(service.repository)).toBe(documentWith('by-hand'))
    expect(statusOf(service.repository)).toBe('')
  })

  it('are refused where they are more than the service follows, and fewer are not', async () => {
    const { service, clone } = await serviceAndClone()
    const head = gitLine(service.repository, 'rev-parse', 'HEAD')
    const document = gitLine(clone.folder, 'rev-parse', 'HEAD:config.xml')
    const names = Array.from({ length: 1_000 }, (_, n) => `100644 blob ${document}\tf${n}`)
    const folderOf = (files: number) => makeTree(clone.folder, names.slice(0, files).join('\n'))
    // A hundred folders have the same thousand files.
    const commitOf = async (folders: number, folder: string) => {
      const entries = Array.from({ length: folders }, (_, n) => `040000 tree ${folder}\td${n}`)
      const lines = [...entries, `100644 blob ${document}\tconfig.xml`]
      const tree = makeTree(clone.folder, lines.join('\n'))
      const commit = await clone.git('commit-tree', tree, '-p', 'HEAD', '-m', 'Many')
      await clone.git('update-ref', 'HEAD', commit.trim())
    }
    await commitOf(100, folderOf(1_000))
    const many = await clone.push()
    await clone.git('update-ref', 'HEAD', head)
    await commitOf(5, folderOf(2))
    const few = await clone.push()

    expect(many.code).not.toBe(0)
    expect(many.stderr).toMatch(/have more than 100000 entries: push it in smaller parts/)
    expect(few.code).toBe(0)
    expect(statusOf(service.repository)).toBe('')
    expect(gitLine(service.repository, 'rev-parse', 'HEAD^')).toBe(head)
  })

  it('follow later pushes, also upon a save', async () => {
    const { service, clone } = await serviceAndClone()
    put(clone.folder, { 'docs/a.md': 'one\n', 'docs/b.md': 'one\n', kind: 'a file\n' })
    await pushAll(clone)
    await save(service, documentWith('saved'))
    await clone.git('pull', '--quiet', '--rebase')
    await clone.git('rm', '--quiet', 'docs/b.md', 'kind')
    put(clone.folder, { 'docs/a.md': 'two\n', 'kind/inner': 'a folder\n' })
    await pushAll(clone)

    const { repository } = service
    expect(statusOf(repository)).toBe('')
    expect(readFileSync(join(repository, 'docs/a.md'), 'utf8')).toBe('two\n')
    expect(existsSync(join(repository, 'docs/b.md'))).toBe(false)
    expect(readFileSync(join(repository, 'kind/inner'), 'utf8')).toBe('a folder\n')
  })

  it('leave what an operator has there, and git says so', async () => {
    const { service, clone } = await serviceAndClone()
    const { repository } = service
    put(clone.folder, { changed: 'one\n', deleted: 'one\n', removed: 'one\n' })
    await pushAll(clone)
    put(repository, { changed: 'mine\n', removed: 'mine\n', untracked: 'mine\n' })
    git(repository, 'rm', '--quiet', 'deleted')
    put(clone.folder, { changed: 'two\n', deleted: 'two\n', untracked: 'theirs\n' })
    await clone.git('rm', '--quiet', 'removed')
    await pushAll(clone)

    for (const name of ['changed', 'removed', 'untracked'])
      expect(readFileSync(join(repository, name), 'utf8')).toBe('mine\n')
    expect(existsSync(join(repository, 'deleted'))).toBe(false)
    expect(statusOf(repository).split('\n').toSorted()).toEqual(
      ['', ' M changed', ' M untracked', '?? removed', 'D  deleted'].toSorted(),
    )
  })

  it('are left as they are by a reset that keeps them', async () => {
    const { service, clone } = await serviceAndClone('--poll-interval', '100ms')
    const { repository } = service
    put(clone.folder, { 'a.md': 'one\n', 'b.md': 'one\n' })
    await pushAll(clone)
    put(clone.folder, { 'a.md': 'two\n' })
    await clone.git('rm', '--quiet', 'b.md')
    await pushAll(clone)
    git(repository, 'reset', '--quiet', '--soft', 'HEAD~1')
    await save(service, documentWith('after the reset'))

    expect(readFileSync(join(repository, 'a.md'), 'utf8')).toBe('two\n')
    expect(statusOf(repository)).toBe('M  a.md\nD  b.md\n')
  })

  it('are there after a start, where the branch had moved and nothing followed', async () => {
    const { service } = await serviceAndClone()
    const { folder, repository } = service
    await service.close()
    const blob = gitBytes(repository, ['hash-object', '-w', '--stdin'], { input: 'new\n' })
    moveTo(repository, `100644 blob ${blob.toString().trim()}\tnew.md\n`)

    await startService([], folder)

    expect(statusOf(repository)).toBe('')
    expect(readFileSync(join(repository, 'new.md'), 'utf8')).toBe('new\n')
  })

  it('are marked as not checked out where nothing is known of what git had followed', async () => {
    const { service } = await serviceAndClone()
    const { folder, repository } = service
    await service.close()
    rmSync(join(repository, '.git/cairn/checked-out'))
    const blob = gitBytes(repository, ['hash-object', '-w', '--stdin'], { input: 'new\n' })
    moveTo(repository, `100644 blob ${blob.toString().trim()}\tnew.md\n`)

    await startService([], folder)

    expect(statusOf(repository)).toBe('')
    expect(gitLine(repository, 'ls-files', '-t')).toBe('H config.xml\nS new.md')
  })

  it('are not written through a link, nor as one', async () => {
    const { service, clone } = await serviceAndClone()
    const outside = tempDir()
    symlinkSync(outside, join(service.repository, 'way'))
    put(clone.folder, { 'way/out.md': 'one\n' })
    symlinkSync('/etc/passwd', join(clone.folder, 'link'))
    await pushAll(clone)

    expect(existsSync(join(outside, 'out.md'))).toBe(false)
    expect(existsSync(join(service.repository, 'link'))).toBe(false)
    expect(statusOf(service.repository)).toBe('?? way\n')
  })
})

/** Moves the branch to a commit that holds the document and this tree as well, with no other command of git. */
function moveTo(repository: string, entries: string): string {
  const own = gitLine(repository, 'ls-tree', 'HEAD', 'config.xml')
  const tree = makeTree(repository, `${own}\n${entries}`)
  const commit = gitLine(repository, 'commit-tree', tree, '-p', 'HEAD', '-m', 'Made by hand')
  git(repository, 'update-ref', 'HEAD', commit)
  return commit
}

function makeTree(repository: string, input: string): string {
  return gitBytes(repository, ['mktree'], { input }).toString().trim()
}

describe('a branch that is moved to a tree that no work tree may have', () => {
  it('writes nothing outside of the folder or into the repository', async () => {
    const { service } = await serviceAndClone('--poll-interval', '100ms')
    const { repository } = service
    const blob = gitBytes(repository, ['hash-object', '-w', '--stdin'], { input: 'bad\n' })
    const line = (name: string) => `100644 blob ${blob.toString().trim()}\t${name}\n`
    const bad = makeTree(repository, line('escaped'))
    const names = ['..', '.GIT', '.git ', 'git~1', '.g\u200cit', '.git::$INDEX_ALLOCATION']
    const folders = names.map((name) => `040000 tree ${bad}\t${name}\n`)
    let deep = bad
    for (let level = 0; level < 20; level += 1)
      deep = makeTree(repository, `040000 tree ${deep}\t${'d'.repeat(250)}\n`)
    folders.push(`040000 tree ${deep}\tdeep\n`)
    moveTo(repository, [...folders, line('good')].join(''))

    await until(async () => existsSync(join(repository, 'good')))

    expect(existsSync(join(repository, '../escaped'))).toBe(false)
    for (const name of [...names, 'deep'])
      expect(existsSync(join(repository, name, 'escaped'))).toBe(false)
    expect((await save(service, documentWith('after'))).ok).toBe(true)
  })

  it('leaves one that is very large alone', async () => {
    const { service } = await serviceAndClone('--poll-interval', '100ms')
    const { repository } = service
    const blob = gitBytes(repository, ['hash-object', '-w', '--stdin'], { input: 'x' })
    const lines = Array.from(
      { length: 100 },
      (_, n) => `100644 blob ${blob.toString().trim()}\t${n}\n`,
    )
    let tree = makeTree(repository, lines.join(''))
    for (let level = 0; level < 4; level += 1) {
      const folders = Array.from({ length: 100 }, (_, n) => `040000 tree ${tree}\t${n}\n`)
      tree = makeTree(repository, folders.join(''))
    }
    moveTo(repository, `040000 tree ${tree}\tlarge\n`)

    expect((await save(service, documentWith('after'))).ok).toBe(true)

    expect(existsSync(join(repository, 'large'))).toBe(false)
    expect(liveFileOf(repository)).toBe(documentWith('after'))
  })
})
