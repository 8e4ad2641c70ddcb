import { describe, expect, it } from 'vitest'
import { requireGit, runGit } from '../../../src/git/run-git.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { pathOfKilledGit } from '../../support/git/killed-git.ts'
import { StandingGit } from '../../support/git/standing-git.ts'
import { StuckGit } from '../../support/git/stuck-git.ts'
import { until } from '../../support/programs/until.ts'

describe('the git program', () => {
  it('is ended where a command with a limit hangs', { tags: ['long'] }, async () => {
    using repository = new GitRepository()
    const git = await requireGit(new StuckGit('rev-list').path)

    const listed = runGit(git, repository.gitDir, ['rev-list', '--all'], { timeoutMs: 200 })

    await expect(listed).rejects.toMatchObject({
      code: 'unavailable',
      message: 'git rev-list failed: it did not end within 0.2 s',
    })
  })

  it(
    'is ended where a command at low priority does not heed its signal',
    { tags: ['long'] },
    async () => {
      using repository = new GitRepository()
      const standing = new StandingGit('repack')
      const git = await requireGit(standing.path)
      const stop = new AbortController()
      const packed = git.runAtLowPriority(repository.gitDir, ['repack'], stop.signal)
      await until(() => standing.hasStood)

      stop.abort()

      await expect(packed).resolves.toBeUndefined()
    },
  )

  it('is not taken for missing where it is killed before it says its version', async () => {
    const found = requireGit(pathOfKilledGit('--version'))

    await expect(found).rejects.toThrow('git --version ended by SIGKILL')
  })
})
