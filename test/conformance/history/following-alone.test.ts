import { describeFollowing } from './describe-following.ts'

describeFollowing('with isomorphic-git alone', { programPath: null })
