// @module-tag long
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLUSTER_UPGRADES } from '../../../src/cluster/cluster-schema.ts'
import { PostgresLog } from '../../../src/cluster/postgres-log.ts'
import { requireGit } from '../../../src/git/run-git.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { PostgresDriver } from '../../../src/state/postgres-driver.ts'
import { UPGRADES, upgrade } from '../../../src/state/upgrades.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { atEnd, shared } from '../../support/programs/at-end.ts'
import {
  approvalBy,
  contentOf,
  openProposals,
  opening,
  updating,
} from '../../support/proposals/stored-proposals.ts'

async function openLog(cluster: PostgresCluster): Promise<PostgresLog> {
  const driver = new PostgresDriver(cluster.freshSchema())
  atEnd(() => driver[Symbol.asyncDispose]())
  await upgrade(driver, UPGRADES)
  await upgrade(driver, CLUSTER_UPGRADES, 'cluster-version')
  return new PostgresLog(driver)
}

/** The proposals of one of several servers. */
async function openServer(repository: GitRepository, { refs: log }: PostgresLog) {
  const { gitDir } = repository
  const git = await requireGit(undefined)
  const reader = await openObjectReader({ fs: repository.store.fs, gitDir, path: undefined })
  atEnd(() => reader[Symbol.asyncDispose]())
  const packs = { git, gitDir, reader }
  return openProposals(repository, { shared: { log, packs, followBranch: async () => undefined } })
}

describe('proposals of several servers', { tags: ['postgresql'] }, () => {
  const cluster = shared(async () => {
    const started = await PostgresCluster.start()
    atEnd(() => started[Symbol.asyncDispose]())
    return started
  })

  it('are everywhere as one server has changed them, with a number each', async () => {
    const log = await openLog(cluster())
    using one = new GitRepository()
    const base = one.commit('config.xml', 'one\n')
    using other = new GitRepository(one)
    const [first, second] = [await openServer(one, log), await openServer(other, log)]

    await first.open(null, contentOf(base, 'two\n'), opening(base))
    await second.add(null, 1, () => approvalBy('ben'))
    await first.update(null, 1, contentOf(base, 'three\n'), (_proposal, version) =>
      updating(base)(version),
    )
    const opened = await Promise.all([
      first.open(null, contentOf(base, 'a\n'), opening(base, 'A')),
      second.open(null, contentOf(base, 'b\n'), opening(base, 'B')),
    ])

    expect(opened.map(({ number }) => number).toSorted((lower, upper) => lower - upper)).toEqual([
      2, 3,
    ])
    expect(await second.list()).toEqual(await first.list())
    expect((await second.find(1))?.reviews).toHaveLength(1)
    for (const repository of [one, other]) {
      expect(repository.git('show', 'refs/proposals/1/head:config.xml')).toBe('three')
      expect(repository.fsck()).toBe('')
    }
  })

  it('keep what was noted while a git command held the ref of the server that noted it', async () => {
    const log = await openLog(cluster())
    using one = new GitRepository()
    const base = one.commit('config.xml', 'one\n')
    using other = new GitRepository(one)
    const [first, second] = [await openServer(one, log), await openServer(other, log)]
    await first.open(null, contentOf(base, 'two\n'), opening(base))
    const lock = join(one.gitDir, 'refs/proposals/1/meta.lock')
    await writeFile(lock, '')

    await expect(first.add(null, 1, () => approvalBy('ben'))).rejects.toThrow('A git command holds')
    await rm(lock)
    await first.add(null, 1, () => approvalBy('cleo'))

    for (const server of [first, second]) {
      const reviews = (await server.find(1))?.reviews ?? []
      expect(reviews.map(({ by }) => by.username)).toEqual(['ben', 'cleo'])
    }
  })

  it('come to a new server, and those of a server that was alone to the others', async () => {
    using alone = new GitRepository()
    const base = alone.commit('config.xml', 'one\n')
    await (await openProposals(alone)).open(null, contentOf(base, 'two\n'), opening(base))
    using empty = new GitRepository()
    empty.git('fetch', '--quiet', alone.path, 'main')
    const log = await openLog(cluster())

    const before = await (await openServer(alone, log)).list()
    const after = await (await openServer(empty, log)).list()

    expect(before).toHaveLength(1)
    expect(after).toEqual(before)
  })
})
