import { aPipeline, aStage } from './builds.ts'

export const THREE_STAGES = aPipeline({
  stages: [
    aStage({ name: 'test' }),
    aStage({ name: 'package' }),
    aStage({ name: 'release', approvalType: 'manual' }),
  ],
})
