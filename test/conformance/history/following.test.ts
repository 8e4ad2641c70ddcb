import { describeFollowing } from './describe-following.ts'

describeFollowing('with the git program', {})
