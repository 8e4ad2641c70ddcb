import { describeHistory } from './describe-history.ts'

describeHistory('with the git program', {})
describeHistory('with the git program and SHA-256', { objectFormat: 'sha256' })
describeHistory('with isomorphic-git alone', { programPath: null })
