import { describe, expect, it } from 'vitest'
import {
  isOnAgent,
  isUnfinished,
  JobResult,
  JobState,
  jobStep,
  type JobEvent,
  type JobProgress,
  type JobReport,
} from '../../../src/core/builds/job.ts'

const ALL: readonly JobProgress[] = JobState.options.flatMap((state) =>
  JobResult.options.map((result) => ({
    state,
    result,
    agentUuid: state === 'Scheduled' ? null : 'mine',
  })),
)
const REPORTS: readonly JobReport[] = [
  { state: 'Preparing' },
  { state: 'Building' },
  { state: 'Completing', result: 'Passed' },
  { state: 'Completed', result: 'Failed' },
]
const RANK = new Map(JobState.options.map((state, rank) => [state, rank]))

function report(told: JobReport, agentUuid = 'mine'): JobEvent {
  return { type: 'report', agentUuid, report: told }
}

function aJob(state: JobState, result: JobResult = 'Unknown'): JobProgress {
  return { state, result, agentUuid: state === 'Scheduled' ? null : 'mine' }
}

function isAfter(later: JobState, earlier: JobState): boolean {
  return (RANK.get(later) ?? 0) > (RANK.get(earlier) ?? 0)
}

describe('a job', () => {
  it('goes from Scheduled to Completed through every state', () => {
    const events: JobEvent[] = [
      { type: 'assign', agentUuid: 'mine' },
      report({ state: 'Preparing' }),
      report({ state: 'Building' }),
      report({ state: 'Completing', result: 'Passed' }),
      report({ state: 'Completed', result: 'Passed' }),
    ]
    let job = aJob('Scheduled')
    const entered: JobState[] = []

    for (const event of events) {
      const step = jobStep(job, event)
      if (step.outcome !== 'changed') throw new Error(`${event.type} is ${step.outcome}`)
      job = step.job
      entered.push(...step.entered)
    }

    expect(job).toEqual({ state: 'Completed', result: 'Passed', agentUuid: 'mine' })
    expect(entered).toEqual(['Assigned', 'Preparing', 'Building', 'Completing', 'Completed'])
  })

  it.each(ALL)('is assigned only while Scheduled: $state $result', (job) => {
    const step = jobStep(job, { type: 'assign', agentUuid: 'other' })

    expect(step.outcome).toBe(job.state === 'Scheduled' ? 'changed' : 'ignored')
  })

  it.each(ALL)('is cancelled straight away unless it is over: $state $result', (job) => {
    const step = jobStep(job, { type: 'cancel' })

    expect(step).toEqual(
      isUnfinished(job)
        ? {
            outcome: 'changed',
            job: { ...job, state: 'Completed', result: 'Cancelled' },
            entered: ['Completed'],
          }
        : { outcome: 'ignored' },
    )
  })

  it.each(ALL)('is failed by the server unless it is over: $state $result', (job) => {
    const entered = job.state === 'Completing' ? ['Completed'] : ['Completing', 'Completed']

    const step = jobStep(job, { type: 'fail' })

    expect(step).toEqual(
      isUnfinished(job)
        ? { outcome: 'changed', job: { ...job, state: 'Completed', result: 'Failed' }, entered }
        : { outcome: 'ignored' },
    )
  })

  it.each(ALL)('is rescheduled only while an agent has it: $state $result', (job) => {
    const step = jobStep(job, { type: 'reschedule' })

    expect(step).toEqual(
      isOnAgent(job)
        ? { outcome: 'changed', job: { ...job, state: 'Rescheduled' }, entered: ['Rescheduled'] }
        : { outcome: 'ignored' },
    )
  })

  it.each(ALL)('is on an agent from Assigned to Completing: $state', (job) => {
    const states = ['Assigned', 'Preparing', 'Building', 'Completing']

    expect(isOnAgent(job)).toBe(states.includes(job.state))
  })

  it.each(ALL)('listens to its own agent alone: $state $result', (job) => {
    const deaf =
      job.state === 'Rescheduled' || (job.state === 'Completed' && job.result === 'Cancelled')

    for (const told of REPORTS) {
      expect(jobStep(job, report(told, 'stranger')).outcome).toBe(deaf ? 'ignored' : 'refused')
    }
  })

  it.each(ALL.filter(isOnAgent))('only goes forward by reports: $state $result', (job) => {
    for (const told of REPORTS) {
      const outcome = jobStep(job, report(told)).outcome
      expect(outcome).toBe(isAfter(told.state, job.state) ? 'changed' : 'ignored')
    }
  })

  it.each(ALL.filter((job) => !isUnfinished(job)))('stays over: $state $result', (job) => {
    for (const told of REPORTS) {
      expect(jobStep(job, report(told))).toEqual({ outcome: 'ignored' })
    }
  })

  it.each([
    { from: 'Assigned', told: 'Completing', entered: ['Completing'] },
    { from: 'Preparing', told: 'Completing', entered: ['Building', 'Completing'] },
    { from: 'Preparing', told: 'Completed', entered: ['Building', 'Completed'] },
    { from: 'Building', told: 'Completed', entered: ['Completed'] },
  ] as const)('that reports $told from $from enters $entered', ({ from, told, entered }) => {
    const step = jobStep(aJob(from), report({ state: told, result: 'Failed' }))

    expect(step).toMatchObject({ job: { state: told, result: 'Failed' }, entered })
  })

  it('ends when its agent says that it was cancelled there', () => {
    const step = jobStep(
      aJob('Completing', 'Cancelled'),
      report({ state: 'Completed', result: 'Cancelled' }),
    )

    expect(step).toMatchObject({ outcome: 'changed', entered: ['Completed'] })
  })
})
