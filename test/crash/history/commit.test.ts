// @module-tag long
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CommitSha } from '../../../src/core/revision.ts'
import { IsomorphicReader } from '../../../src/git/readers/isomorphic-reader.ts'
import { removeObjectDrafts } from '../../../src/git/objects/object-file.ts'
import { removeStaleRefLock, updateRef } from '../../../src/git/ref-update.ts'
import { writeCommit } from '../../../src/history/repository/write-objects.ts'
import { FaultyFs, LOSSES } from '../../support/disk/faulty-fs.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { faultsIn } from '../../support/history/whole-repository.ts'

const MAIN = 'refs/heads/main'
/** Git judges every object as a process: it does so after every so many cuts. */
const BY_GIT = 6
const ANA = { name: 'Ana', email: '', time: 1_700_000_000_000 }

/** Commits a document through a file system that may lose power, and says whether it succeeded. */
async function save(repository: GitRepository, disk: FaultyFs, parent: CommitSha) {
  const store = { fs: disk.promises, gitDir: repository.gitDir }
  const { commit } = await writeCommit(store, new IsomorphicReader(store), {
    parent,
    path: 'conf/config.xml',
    document: Buffer.from('two\n'),
    author: ANA,
    committer: ANA,
    message: 'Change',
  })
  await updateRef(store, { ref: MAIN, expected: parent, next: commit, who: ANA, reason: 'save' })
}

function aStart(): { repository: GitRepository; parent: CommitSha } {
  const repository = new GitRepository()
  return { repository, parent: repository.commit('README', 'read me\n') }
}

describe('a power cut during a commit', () => {
  it.each(LOSSES)('that loses %s leaves the old or the new commit, whole', async (loss) => {
    const { repository: template, parent } = aStart()
    using _ = template
    const outcomes: string[] = []
    while (outcomes.at(-1) !== 'fulfilled') {
      using repository = new GitRepository(template)
      const disk = new FaultyFs({ cutAfter: outcomes.length, loss })

      const [{ status }] = await Promise.allSettled([save(repository, disk, parent)])
      await disk.cut()
      await removeStaleRefLock(repository.store, MAIN)
      await removeObjectDrafts(repository.store)

      expect(await faultsIn(repository.path)).toEqual([])
      const isForGit = status === 'fulfilled' || outcomes.length % BY_GIT === 0
      expect(isForGit ? repository.fsck() : '').toBe('')
      const subjects = repository.git('log', '--format=%s', 'main').split('\n')
      const old = status === 'fulfilled' ? [] : [['Change README']]
      expect([...old, ['Change', 'Change README']]).toContainEqual(subjects)
      expect(existsSync(repository.file('.git/refs/heads/main.lock'))).toBe(false)
      outcomes.push(status)
    }

    expect(outcomes.length).toBeGreaterThan(20)
  })
})
