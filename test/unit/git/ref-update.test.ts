import { existsSync, linkSync, readdirSync, writeFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { readHead, readRef } from '../../../src/git/refs.ts'
import { type RefUpdate, removeStaleRefLock, updateRef } from '../../../src/git/ref-update.ts'
import type { FsPromises } from '../../../src/storage/fs-promises.ts'
import { GitRepository } from '../../support/git/git-repository.ts'

const MAIN = 'refs/heads/main'
const ANA = { name: 'Ana', email: 'ana@example.org', time: 1_700_000_000_000 }

function aMove(move: Pick<RefUpdate, 'expected' | 'next'>): RefUpdate {
  return { ref: MAIN, who: ANA, reason: 'save: Change\nthe timeout', ...move }
}

function twoCommits(repository: GitRepository) {
  const first = repository.commit('config.xml', 'one\n')
  const second = repository.commit('config.xml', 'two\n')
  repository.git('update-ref', MAIN, first)
  return { first, second }
}

describe('updateRef', () => {
  it('moves a branch, as git log and git reflog say', async () => {
    using repository = new GitRepository()
    const { first, second } = twoCommits(repository)

    const result = await updateRef(repository.store, aMove({ expected: first, next: second }))

    expect(result).toEqual({ state: 'updated' })
    expect(repository.head()).toBe(second)
    const format = ['reflog', '-1', '--format=%H %gn %gs']
    expect(repository.git(...format, 'main')).toBe(`${second} Ana save: Change the timeout`)
    expect(repository.git(...format, 'HEAD')).toBe(`${second} Ana save: Change the timeout`)
    expect(readdirSync(`${repository.gitDir}/refs/heads`)).toEqual(['main'])
  })

  it('changes nothing when the branch has moved', async () => {
    using repository = new GitRepository()
    const { first, second } = twoCommits(repository)

    const result = await updateRef(repository.store, aMove({ expected: second, next: second }))

    expect(result).toEqual({ state: 'moved', current: first })
    expect(repository.head()).toBe(first)
    expect(readdirSync(`${repository.gitDir}/refs/heads`)).toEqual(['main'])
  })

  it('makes a branch that was not there, and only once', async () => {
    using repository = new GitRepository()
    const { second } = twoCommits(repository)
    const make = { ...aMove({ expected: null, next: second }), ref: 'refs/heads/a/b' }

    expect(await updateRef(repository.store, make)).toEqual({ state: 'updated' })
    expect(await updateRef(repository.store, make)).toEqual({ state: 'moved', current: second })

    expect(repository.git('rev-parse', 'a/b')).toBe(second)
  })

  it('makes the folder of a branch again that git has removed when it packed the ref', async () => {
    using repository = new GitRepository()
    const { first, second } = twoCommits(repository)
    repository.git('branch', 'team/config', first)
    let packed = false
    const fs: FsPromises = Object.assign(Object.create(nodeFs), {
      async open(path: string, flags: string, mode?: number) {
        if (!packed) repository.git('pack-refs', '--all')
        packed = true
        return nodeFs.open(path, flags, mode)
      },
    })

    const move = { ...aMove({ expected: first, next: second }), ref: 'refs/heads/team/config' }
    const result = await updateRef({ ...repository.store, fs }, move)

    expect(result).toEqual({ state: 'updated' })
    expect(repository.git('rev-parse', 'team/config')).toBe(second)
  })

  it('compares with a packed ref', async () => {
    using repository = new GitRepository()
    const { first, second } = twoCommits(repository)
    repository.git('pack-refs', '--all')

    const early = await updateRef(repository.store, aMove({ expected: null, next: second }))
    const right = await updateRef(repository.store, aMove({ expected: first, next: second }))

    expect(early).toEqual({ state: 'moved', current: first })
    expect(right).toEqual({ state: 'updated' })
    expect(repository.head()).toBe(second)
  })

  it('lets exactly one of many racing updates through', async () => {
    using repository = new GitRepository()
    const { first, second } = twoCommits(repository)
    const move = aMove({ expected: first, next: second })

    const results = await Promise.all(
      Array.from({ length: 8 }, () => updateRef(repository.store, move)),
    )

    expect(results.filter(({ state }) => state === 'updated')).toHaveLength(1)
  })

  it('waits for a git command that holds the lock', async () => {
    using repository = new GitRepository()
    const { first, second } = twoCommits(repository)
    const lock = repository.file('.git/refs/heads/main.lock')
    writeFileSync(lock, '')

    const update = updateRef(repository.store, aMove({ expected: first, next: second }))
    await repository.store.fs.unlink(lock)

    expect(await update).toEqual({ state: 'updated' })
  })

  it('gives up on a lock that is never given back, and leaves it alone', async () => {
    using repository = new GitRepository()
    const { first, second } = twoCommits(repository)
    writeFileSync(repository.file('.git/refs/heads/main.lock'), '')

    const update = updateRef(repository.store, aMove({ expected: first, next: second }), {
      timeoutMs: 20,
    })

    await expect(update).rejects.toMatchObject({
      code: 'unavailable',
      message: 'A git command holds .git/refs/heads/main.lock',
    })
    await removeStaleRefLock(repository.store, MAIN)
    expect(readdirSync(`${repository.gitDir}/refs/heads`)).toEqual(['main', 'main.lock'])
  })

  it('gives the lock back also where its file can neither be written nor closed', async () => {
    using repository = new GitRepository()
    const { first, second } = twoCommits(repository)
    const full = Object.assign(new Error('full'), { code: 'EDQUOT' })
    const open: FsPromises['open'] = async (...given) => {
      const handle = await repository.store.fs.open(...given)
      const close = async () => {
        await handle.close()
        throw full
      }
      return Object.assign(Object.create(handle), { close, writeFile: () => Promise.reject(full) })
    }
    const fs: FsPromises = Object.assign(Object.create(repository.store.fs), { open })
    const move = aMove({ expected: first, next: second })

    await expect(updateRef({ ...repository.store, fs }, move)).rejects.toThrow('full')

    expect(await updateRef(repository.store, move)).toEqual({ state: 'updated' })
    expect(readdirSync(`${repository.gitDir}/refs/heads`)).toEqual(['main'])
  })

  it('keeps git from writing while it holds the lock, and is removed when a crash left it', async () => {
    using repository = new GitRepository()
    const { second } = twoCommits(repository)
    const draft = repository.file('.git/refs/heads/.draft-0123456789abcdef')
    writeFileSync(draft, '')
    linkSync(draft, repository.file('.git/refs/heads/main.lock'))

    expect(() => repository.git('update-ref', MAIN, second)).toThrow(/main\.lock/)
    await removeStaleRefLock(repository.store, MAIN)

    repository.git('update-ref', MAIN, second)
    expect(existsSync(draft)).toBe(false)
  })
})

describe('readRef and readHead', () => {
  it('distinguish an unborn branch, a branch and a detached HEAD', async () => {
    using repository = new GitRepository()
    expect(await readHead(repository.store)).toEqual({ branch: MAIN, commit: null })

    const { first } = twoCommits(repository)
    expect(await readHead(repository.store)).toEqual({ branch: MAIN, commit: first })

    repository.git('checkout', '--quiet', '--force', '--detach', first)
    expect(await readHead(repository.store)).toEqual({ branch: null, commit: first })
  })

  it('find no ref where there is none, or only a folder of refs', async () => {
    using repository = new GitRepository()
    const { first } = twoCommits(repository)
    repository.git('branch', 'feature/one', first)

    expect(await readRef(repository.store, 'refs/heads/none')).toBeNull()
    expect(await readRef(repository.store, 'refs/heads/feature')).toBeNull()
  })

  it.each(['', 'f00', 'ref: refs/heads/other\n'])(
    'never take the damaged ref %j for an empty history',
    async (text) => {
      using repository = new GitRepository()
      twoCommits(repository)
      writeFileSync(repository.file('.git/refs/heads/main'), text)

      await expect(readHead(repository.store)).rejects.toMatchObject({ code: 'unavailable' })
    },
  )

  it('say that a repository without HEAD is damaged', async () => {
    using repository = new GitRepository()
    await repository.store.fs.unlink(repository.file('.git/HEAD'))

    await expect(readHead(repository.store)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
