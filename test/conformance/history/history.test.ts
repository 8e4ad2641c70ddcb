import { describeHistory } from './describe-history.ts'

describeHistory('with the git program', {})
describeHistory('with isomorphic-git alone', { programPath: null })
