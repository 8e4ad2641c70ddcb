import { describe, expect, it } from 'vitest'
import { isUnfinished, JobResult, JobState } from '../../../src/core/builds/job.ts'
import {
  isActive,
  reportedResult,
  retally,
  stageStatus,
  tallyOf,
  type StageStatus,
} from '../../../src/core/builds/stage.ts'

interface Outcome {
  readonly state: JobState
  readonly result: JobResult
}

const ALL: readonly Outcome[] = JobState.options
  .filter((state) => state !== 'Rescheduled')
  .flatMap((state) => JobResult.options.map((result) => ({ state, result })))
const STAGES: readonly (readonly Outcome[])[] = [
  [],
  ...ALL.map((one) => [one]),
  ...ALL.flatMap((one) => ALL.map((two) => [one, two])),
]

/** The table of the rules, read from the top. */
function expected(jobs: readonly Outcome[]): StageStatus {
  const running = jobs.some(isUnfinished)
  const has = (result: JobResult) => jobs.some((job) => job.result === result)
  if (jobs.length === 0) return { state: 'Unknown', result: 'Unknown' }
  if (running && has('Failed')) return { state: 'Failing', result: 'Failed' }
  if (running) return { state: 'Building', result: 'Unknown' }
  if (has('Cancelled')) return { state: 'Cancelled', result: 'Cancelled' }
  if (has('Failed')) return { state: 'Failed', result: 'Failed' }
  if (has('Unknown')) return { state: 'Unknown', result: 'Unknown' }
  return { state: 'Passed', result: 'Passed' }
}

describe('a stage', () => {
  it.each([
    { jobs: 'Completed Passed, Completed Passed', status: 'Passed' },
    { jobs: 'Completed Passed, Completed Failed', status: 'Failed' },
    { jobs: 'Completed Cancelled, Completed Failed', status: 'Cancelled' },
    { jobs: 'Building Unknown, Completed Failed', status: 'Failing' },
    { jobs: 'Completing Failed, Completed Passed', status: 'Failing' },
    { jobs: 'Building Unknown, Completed Cancelled', status: 'Building' },
    { jobs: 'Scheduled Unknown, Completed Passed', status: 'Building' },
    { jobs: 'Completed Passed, Completed Unknown', status: 'Unknown' },
  ])('with the jobs $jobs is $status', ({ jobs, status }) => {
    const outcomes = jobs.split(', ').map((job) => {
      const [state, result] = job.split(' ')
      return { state: JobState.parse(state), result: JobResult.parse(result) }
    })

    expect(stageStatus(tallyOf(outcomes)).state).toBe(status)
  })

  it('of any two jobs has the status that the rules give', () => {
    const statuses = STAGES.map((jobs) => stageStatus(tallyOf(jobs)))

    expect(statuses).toEqual(STAGES.map(expected))
  })

  it('is active as long as a job is unfinished, and has no result for callers until then', () => {
    for (const jobs of STAGES) {
      const tally = tallyOf(jobs)
      expect(isActive(tally)).toBe(jobs.some(isUnfinished))
      expect(reportedResult(tally)).toBe(isActive(tally) ? 'Unknown' : stageStatus(tally).result)
    }
  })

  it('counts a job that moves as if all were counted again', () => {
    for (const from of ALL) {
      for (const to of ALL) {
        const other: Outcome = { state: 'Completed', result: 'Passed' }
        expect(retally(tallyOf([other, from]), { from, to })).toEqual(tallyOf([other, to]))
      }
    }
  })
})
