import nodeFs from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { GitRepository } from '../../support/git/git-repository.ts'
import {
  approvalBy,
  contentOf,
  openProposals,
  opening,
  reviewBy,
  updating,
} from '../../support/proposals/stored-proposals.ts'

function aRepository() {
  const repository = new GitRepository()
  return { repository, base: repository.commit('config.xml', 'one\n') }
}

describe('proposals in git', () => {
  it('are versions upon their revision, which git shows', async () => {
    const { repository, base } = aRepository()
    using _ = repository
    const store = await openProposals(repository)

    await store.open(null, contentOf(base, 'two\n'), opening(base))
    await store.update(null, 1, contentOf(base, 'three\n'), (_proposal, version) =>
      updating(base)(version),
    )

    expect(repository.git('log', '--format=%s by %an', 'refs/proposals/1/head')).toBe(
      'Say more by ana\nChange config.xml by Gil',
    )
    expect(repository.git('show', 'refs/proposals/1/1:config.xml')).toBe('two')
    expect(repository.git('show', 'refs/proposals/1/head:config.xml')).toBe('three')
    expect(repository.git('log', '--format=%s', 'refs/proposals/1/meta')).toBe(
      'Proposal 1: update\nProposal 1: open',
    )
    expect(repository.fsck()).toBe('')
  })

  it('are as they were when they are opened again, also in a clone that has their refs', async () => {
    const { repository, base } = aRepository()
    using _ = repository
    const store = await openProposals(repository)
    await store.open(null, contentOf(base, 'two\n'), opening(base))
    await store.add(null, 1, () => approvalBy('ben'))
    await store.add(null, 1, () => ({ type: 'close', by: { username: 'ana' }, text: 'No' }))
    await store.open(null, contentOf(base, 'three\n'), opening(base, 'Another one'))
    const [second, first] = await store.list()

    using clone = new GitRepository()
    clone.git('fetch', '--quiet', repository.path, 'refs/proposals/*:refs/proposals/*')

    expect(first).toMatchObject({
      number: 1,
      state: 'closed',
      reviews: [{ by: { username: 'ben' } }],
    })
    expect(await (await openProposals(repository)).list()).toEqual([second, first])
    expect(await (await openProposals(clone)).list()).toEqual([second, first])
  })

  it('are found with one look at each folder and file', async () => {
    const { repository, base } = aRepository()
    using _ = repository
    const store = await openProposals(repository)
    await store.open(null, contentOf(base, 'two\n'), opening(base))
    await store.open(null, contentOf(base, 'three\n'), opening(base))
    const looks: string[] = []
    const readdir = (path: string) => {
      looks.push(path)
      return nodeFs.readdir(path)
    }

    const opened = await openProposals(repository, { fs: { ...nodeFs, readdir } })

    expect(await opened.list()).toHaveLength(2)
    expect(looks).toEqual([...new Set(looks)])
  })

  it('have a number each, whoever opens them at once', async () => {
    const { repository, base } = aRepository()
    using _ = repository
    const store = await openProposals(repository)

    const opened = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) =>
        store.open(null, contentOf(base, text), opening(base, text)),
      ),
    )

    expect(opened.map(({ number, title }) => [number, title])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ])
  })

  it('keep the newest review of each person', async () => {
    const { repository, base } = aRepository()
    using _ = repository
    const store = await openProposals(repository)
    await store.open(null, contentOf(base, 'two\n'), opening(base))

    await store.add(null, 1, () => approvalBy('ben'))
    await store.add(null, 1, () => approvalBy('eve'))
    await store.add(null, 1, () => reviewBy('Ben', 'reject'))
    const rejected = await store.find(1)
    await store.add(null, 1, () => ({ type: 'take-back', by: { username: 'eve' } }))

    expect(rejected?.reviews.map(({ by, type }) => [by.username, type])).toEqual([
      ['eve', 'approve'],
      ['Ben', 'reject'],
    ])
    expect((await store.find(1))?.reviews).toHaveLength(1)
  })

  it('are changed as git has left them, and on disk', async () => {
    const { repository, base } = aRepository()
    using _ = repository
    const store = await openProposals(repository)
    await store.open(null, contentOf(base, 'two\n'), opening(base))
    await store.add(null, 1, () => approvalBy('ben'))
    repository.git('update-ref', 'refs/proposals/1/meta', 'refs/proposals/1/meta~1')

    const changed = await store.add(null, 1, () => approvalBy('eve'))

    expect(changed?.reviews.map(({ by }) => by.username)).toEqual(['eve'])
    expect(await (await openProposals(repository)).find(1)).toEqual(changed)
  })

  it('refuse a change by what they are when it is made', async () => {
    const { repository, base } = aRepository()
    using _ = repository
    const store = await openProposals(repository)
    await store.open(null, contentOf(base, 'two\n'), opening(base))

    const refusing = store.add(null, 1, ({ state }) => {
      throw new Error(`it is ${state}`)
    })

    await expect(refusing).rejects.toThrow('it is open')
    expect(repository.git('rev-list', '--count', 'refs/proposals/1/meta')).toBe('1')
    expect(await store.add(null, 2, () => approvalBy('ben'))).toBeNull()
  })
})
