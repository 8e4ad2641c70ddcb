import { describe } from 'vitest'
import { describeEdits } from './describe-edits.ts'
import { describeNativeCommits } from './describe-native-commits.ts'
import { describeUnready } from './describe-unready.ts'

const WHERE = 'with isomorphic-git alone'

describe('following', { tags: ['long'] }, () => {
  for (const describeFollowing of [describeEdits, describeNativeCommits, describeUnready]) {
    describeFollowing(WHERE, { programPath: null })
  }
})
