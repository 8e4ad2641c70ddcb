import { describe, expect, it } from 'vitest'
import { repeatedJobs, rerunObstacle, rerunOfCounter } from '../../../src/core/builds/rerun.ts'

const unit = { id: 11, name: 'unit', originalJobId: null }
const lint = { id: 12, name: 'Lint', originalJobId: 5 }

describe('a rerun of some jobs', () => {
  it('runs the chosen ones and copies the others, naming the job that really ran', () => {
    expect(repeatedJobs([unit, lint], ['UNIT'])).toEqual([
      { type: 'run', job: unit },
      { type: 'copy', job: lint, originalJobId: 5 },
    ])
    expect(repeatedJobs([unit, lint], ['lint'])).toEqual([
      { type: 'copy', job: unit, originalJobId: 11 },
      { type: 'run', job: lint },
    ])
  })

  it.each([
    { active: false, names: ['unit', 'lint'], obstacle: null },
    { active: true, names: ['unit'], obstacle: 'it is still in progress' },
    { active: false, names: [], obstacle: 'all its jobs passed' },
    { active: false, names: ['unit', 'deploy'], obstacle: 'it has no job deploy' },
  ])('of $names while active is $active meets: $obstacle', ({ active, names, obstacle }) => {
    expect(rerunObstacle({ active, jobs: [unit, lint] }, names)).toBe(obstacle)
  })

  it('stems from the full run, however often it is repeated', () => {
    expect(rerunOfCounter({ counter: 2, rerunOfCounter: null })).toBe(2)
    expect(rerunOfCounter({ counter: 4, rerunOfCounter: 2 })).toBe(2)
  })
})
