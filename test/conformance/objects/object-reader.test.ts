import { describe, expect, it } from 'vitest'
import { CatFileReader } from '../../../src/git/readers/cat-file-reader.ts'
import { IsomorphicReader } from '../../../src/git/readers/isomorphic-reader.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'
import { GitRepository } from '../../support/git/git-repository.ts'
import { describeCommits } from './describe-commits.ts'
import { describeLargeObjects } from './describe-large-objects.ts'
import { describeObjects } from './describe-objects.ts'
import type { OpenReader } from './reading.ts'

const PATH = process.env['PATH']

const byGit: OpenReader = ({ store }) => openObjectReader({ ...store, path: PATH })
const withoutGit: OpenReader = ({ store }) => openObjectReader({ ...store, path: null })

for (const describeReader of [describeObjects, describeCommits]) {
  describeReader('git cat-file', byGit)
  describe('without git, and with SHA-256', { tags: ['long'] }, () => {
    describeReader('isomorphic-git', withoutGit)
    describeReader('git cat-file, SHA-256', byGit, 'sha256')
  })
}

describe('files that are too large', { tags: ['long'] }, () => {
  describeLargeObjects('git cat-file', byGit)
  describeLargeObjects('isomorphic-git', withoutGit)
  describeLargeObjects('git cat-file, SHA-256', byGit, 'sha256')
})

it('git is used where there is one, and isomorphic-git where there is none', async () => {
  using repository = new GitRepository()
  await using fast = await openObjectReader({ ...repository.store, path: PATH })
  await using sure = await openObjectReader({ ...repository.store, path: '/nonexistent' })

  expect(fast).toBeInstanceOf(CatFileReader)
  expect(sure).toBeInstanceOf(IsomorphicReader)
})
