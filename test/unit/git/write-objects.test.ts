import { mkdirSync, writeFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CommitSha } from '../../../src/core/revision.ts'
import { IsomorphicReader } from '../../../src/git/readers/isomorphic-reader.ts'
import { removeObjectDrafts } from '../../../src/git/objects/object-file.ts'
import { type CommitDraft, writeCommit } from '../../../src/history/repository/write-objects.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

const ANA = { name: 'Ana', email: 'ana@example.org', time: 1_700_000_000_000 }

function aDraft(differences: Partial<CommitDraft> = {}): CommitDraft {
  const document = Buffer.from('<cruise/>\n')
  const base = { parent: null, path: 'config.xml', message: 'Change\n' }
  return { ...base, document, author: ANA, committer: ANA, ...differences }
}

async function write(repository: GitRepository, draft: CommitDraft): Promise<CommitSha> {
  const written = await writeCommit(repository.store, new IsomorphicReader(repository.store), draft)
  repository.git('update-ref', 'refs/heads/main', written.commit)
  return written.commit
}

/** As a packing does that is at work beside the writer. */
function packEverything(repository: GitRepository): void {
  const names = repository.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
  repository.run(['pack-objects', '-q', `${repository.gitDir}/objects/pack/pack`], `${names}\n`)
  repository.git('prune-packed')
}

describe('writeCommit', () => {
  it('begins a history that git reads and finds nothing wrong with', async () => {
    using repository = new GitRepository()

    const commit = await write(repository, aDraft({ message: 'Begin\n\nConfig-MD5: 1\n' }))

    expect(repository.fsck()).toBe('')
    expect(repository.git('show', `${commit}:config.xml`)).toBe('<cruise/>')
    expect(repository.git('log', '--format=%an|%ae|%at|%cn|%ct|%B')).toBe(
      'Ana|ana@example.org|1700000000|Ana|1700000000|Begin\n\nConfig-MD5: 1',
    )
  })

  it('returns what it wrote without more memory than the bytes take', async () => {
    using repository = new GitRepository()
    const reader = new IsomorphicReader(repository.store)

    const { written } = await writeCommit(repository.store, reader, aDraft())

    const objects = 'loose' in written ? written.loose : []
    expect(objects.map(({ bytes }) => bytes.buffer.byteLength)).toEqual(
      objects.map(({ bytes }) => bytes.length),
    )
    expect(objects).toHaveLength(3)
  })

  it('makes the very commit that git makes', async () => {
    using repository = new GitRepository()
    repository.commit('README', 'read me\n')
    const parent = repository.commit('config.xml', 'one\n')
    const byGit = repository.commit('config.xml', 'two\n', 'Change')
    const seconds = Number(repository.git('log', '-1', '--format=%at'))
    const gil = { name: 'Gil', email: 'gil@example.org', time: seconds * 1000 }

    const document = Buffer.from('two\n')
    const ours = await write(repository, aDraft({ parent, document, author: gil, committer: gil }))

    expect(ours).toBe(byGit)
  })

  it('replaces one file and keeps every other entry, of whatever kind and name', async () => {
    using repository = new GitRepository()
    mkdirSync(repository.file('conf.d'))
    writeFileSync(repository.file('conf.d/other'), 'other\n')
    writeFileSync(repository.file('tool.sh'), '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(Buffer.from(`${repository.path}/caf\xe9`, 'latin1'), 'not UTF-8\n')
    mkdirSync(repository.file('conf'))
    writeFileSync(repository.file('conf/neighbour'), 'neighbour\n')
    repository.git('add', '.')
    repository.git('commit', '--quiet', '--message', 'Others')

    const parent = repository.head()
    await write(repository, aDraft({ parent, path: 'conf/cruise-config.xml' }))

    expect(repository.fsck()).toBe('')
    expect(repository.git('diff', '--name-status', parent, 'HEAD')).toBe(
      'A\tconf/cruise-config.xml',
    )
  })

  it('keeps the mode of the file that it replaces', async () => {
    using repository = new GitRepository()
    writeFileSync(repository.file('config.xml'), 'one\n', { mode: 0o755 })
    const parent = repository.commit('config.xml', 'two\n')

    await write(repository, aDraft({ parent }))

    expect(repository.git('ls-tree', 'HEAD')).toMatch(/^100755 blob/)
  })

  it('puts the file in the place of a folder, and a folder in the place of a file', async () => {
    using repository = new GitRepository()
    const first = await write(repository, aDraft({ path: 'conf/a/b.xml' }))
    const second = await write(repository, aDraft({ parent: first, path: 'conf/a' }))
    await write(repository, aDraft({ parent: second, path: 'conf/a/c.xml' }))

    expect(repository.fsck()).toBe('')
    expect(repository.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('conf/a/c.xml')
  })

  it.each([
    ['a\nb', 'a%0Ab'],
    ['<script>', '%3Cscript%3E'],
    ['one\u2028two', 'one%E2%80%A8two'],
    ['  padded ', '%20%20padded%20'],
    ['tab\there\0', 'tab%09here%00'],
    ['', 'unknown'],
    ['Łukasz Żółć', 'Łukasz Żółć'],
  ])('writes the name %j on one safe line', async (name, written) => {
    using repository = new GitRepository()
    const signature = { ...ANA, name, email: name }

    await write(repository, aDraft({ author: signature, committer: signature }))

    expect(repository.fsck()).toBe('')
    expect(repository.git('log', '--format=%an')).toBe(written)
    expect(repository.git('cat-file', '-p', 'HEAD').split('\n')).toHaveLength(5)
  })

  it('packs read the same as loose objects', async () => {
    using repository = new GitRepository()
    const parent = await write(repository, aDraft({ path: 'conf/config.xml' }))
    repository.git('gc', '--quiet')

    await write(repository, aDraft({ parent, path: 'conf/other.xml' }))

    expect(repository.fsck()).toBe('')
    expect(repository.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toHaveLength(2)
  })

  it('repairs an object that another tool left cut short', async () => {
    using repository = new GitRepository()
    const blob = repository.run(['hash-object', '--stdin'], '<cruise/>\n')
    const folder = `${repository.gitDir}/objects/${blob.slice(0, 2)}`
    mkdirSync(folder)
    writeFileSync(`${folder}/${blob.slice(2)}`, '')

    await write(repository, aDraft())

    expect(repository.fsck()).toBe('')
  })

  it('makes a folder again that git has removed because nothing was in it yet', async () => {
    using repository = new GitRepository()
    let removed = 0
    const fs: FsPromises = Object.assign(Object.create(nodeFs), {
      async open(path: string, flags: string, mode?: number) {
        if (flags === 'wx' && removed < 3) {
          removed += 1
          await nodeFs.rmdir(dirname(path))
        }
        return nodeFs.open(path, flags, mode)
      },
    })

    const store = { ...repository.store, fs }
    const { commit } = await writeCommit(store, new IsomorphicReader(store), aDraft())

    expect(removed).toBe(3)
    expect(repository.git('show', `${commit}:config.xml`)).toBe('<cruise/>')
  })

  it('takes objects for written that git has packed before their folder was synced', async () => {
    using repository = new GitRepository()
    const synced: string[] = []
    const fs: FsPromises = Object.assign(Object.create(nodeFs), {
      async open(path: string, flags: string, mode?: number) {
        if (flags === 'r' && synced.length === 0) packEverything(repository)
        if (flags === 'r') synced.push(path)
        return nodeFs.open(path, flags, mode)
      },
    })

    const store = { ...repository.store, fs }
    const { commit } = await writeCommit(store, new IsomorphicReader(store), aDraft())

    expect(repository.git('show', `${commit}:config.xml`)).toBe('<cruise/>')
    expect(synced).toContain(`${repository.gitDir}/objects/pack`)
  })

  it.each(['', '/config.xml', 'a//b', '../config.xml', '.git/config', 'a/.GIT/b'])(
    'refuses the path %j',
    async (path) => {
      using repository = new GitRepository()

      await expect(write(repository, aDraft({ path }))).rejects.toThrow(RangeError)
    },
  )

  it('refuses a parent that is not there', async () => {
    using repository = new GitRepository()
    const parent = await write(repository, aDraft())
    using other = new GitRepository()

    await expect(write(other, aDraft({ parent }))).rejects.toThrow(
      `its object ${parent} cannot be read`,
    )
  })

  it('leaves drafts that a crash left to be removed, and nothing else that is unfinished', async () => {
    using repository = new GitRepository()
    const commit = await write(repository, aDraft())
    const folder = `${repository.gitDir}/objects/${commit.slice(0, 2)}`
    writeFileSync(`${folder}/tmp_obj_0123456789ab`, 'half')
    writeFileSync(`${folder}/tmp_obj_a1B2c3`, 'of a git command that is at work')

    await removeObjectDrafts(repository.store)

    expect(repository.git('count-objects', '-v')).toContain('garbage: 1')
    expect(repository.fsck()).toBe('')
  })

  it('keeps the drafts that are in the making from being removed as leftovers', async () => {
    using repository = new GitRepository()
    const { store } = repository
    const fs: FsPromises = Object.assign(Object.create(nodeFs), {
      async rename(from: string, to: string) {
        await removeObjectDrafts(store)
        await nodeFs.rename(from, to)
      },
    })

    const { commit } = await writeCommit({ ...store, fs }, new IsomorphicReader(store), aDraft())
    repository.git('update-ref', 'refs/heads/main', commit)

    expect(repository.git('show', 'main:config.xml')).toBe('<cruise/>')
    expect(repository.fsck()).toBe('')
  })
})
