import { describe, expect, it } from 'vitest'
import { CommitSha } from '../../../src/core/revision.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { requireGit } from '../../../src/git/run-git.ts'
import { areRelated, isAncestor, type PackStore } from '../../../src/history/log/log-packs.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { pathOfKilledGit } from '../../support/git/killed-git.ts'
import { atEnd } from '../../support/programs/at-end.ts'

/** A repository of two commits beside each other upon a first one. */
async function open(path: string | undefined) {
  const repository = new GitRepository()
  atEnd(() => repository[Symbol.dispose]())
  const first = repository.commit('config.xml', 'one\n')
  const one = repository.commit('config.xml', 'two\n')
  repository.git('checkout', '-q', '--detach', first)
  const other = repository.commit('config.xml', 'three\n')
  const { gitDir } = repository
  const reader = await openObjectReader({ fs: repository.store.fs, gitDir, path: undefined })
  atEnd(() => reader[Symbol.asyncDispose]())
  const store: PackStore = { git: await requireGit(path), gitDir, reader }
  return { store, first, one, other }
}

describe('how commits of a log are related', () => {
  it('is known of those that are there, and those that are not are related to none', async () => {
    const { store, first, one, other } = await open(undefined)
    const absent = CommitSha.parse('1'.repeat(40))

    expect(await isAncestor(store, first, one)).toBe(true)
    expect(await isAncestor(store, one, other)).toBe(false)
    expect(await areRelated(store, one, other)).toBe(true)
    expect(await isAncestor(store, absent, one)).toBe(false)
    expect(await areRelated(store, one, absent)).toBe(false)
  })

  it('is not known where git is killed: a commit of this server would be put aside', async () => {
    const { store, first, one } = await open(pathOfKilledGit('merge-base'))

    await expect(isAncestor(store, first, one)).rejects.toThrow('SIGKILL')
    await expect(areRelated(store, first, one)).rejects.toThrow('SIGKILL')
  })
})
