import { expect, it } from 'vitest'
import { streamLog } from '../../../src/git/readers/git-log.ts'
import { requireGit } from '../../../src/git/run-git.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { StuckGit } from '../../support/git/stuck-git.ts'

it('a git log that hangs is ended, and says so', async () => {
  using repository = new GitRepository()
  const from = repository.commit('config.xml', 'one\n')
  const git = await requireGit(new StuckGit(' log ').path)

  const log = streamLog(git, repository.gitDir, { from, until: null, silenceMs: 200 })

  await expect(log.next()).rejects.toMatchObject({
    code: 'unavailable',
    message: 'git log failed: no answer for 0.2 s',
  })
})
