// @module-tag long

import { describeEdits } from './describe-edits.ts'
import { describeNativeCommits } from './describe-native-commits.ts'
import { describeUnready } from './describe-unready.ts'

const WHERE = 'with the git program'

for (const describeFollowing of [describeEdits, describeNativeCommits, describeUnready]) {
  describeFollowing(WHERE, {})
}
