import { describe, expect, it } from 'vitest'
import type { JobState } from '../../../src/core/builds/job.ts'
import { segmentsOf, timesOf } from '../../../src/pages/job/job-timeline.ts'

const NOW = 1_000

function entered(...states: readonly (readonly [JobState, number])[]) {
  return states.map(([state, time], n) => ({ id: n + 1, state, time }))
}

describe('the timeline of a job', () => {
  it('distinguishes waiting, preparing and building', () => {
    const transitions = entered(
      ['Scheduled', 100],
      ['Assigned', 140],
      ['Preparing', 150],
      ['Building', 200],
      ['Completing', 290],
      ['Completed', 300],
    )

    const segments = segmentsOf(transitions, NOW)

    expect(segments).toEqual([
      { phase: 'waiting', from: 100, to: 140 },
      { phase: 'preparing', from: 140, to: 200 },
      { phase: 'building', from: 200, to: 300 },
    ])
    expect(timesOf(segments)).toEqual({ waiting: 40, preparing: 60, building: 100 })
  })

  it('goes on until now while the job is not over', () => {
    const segments = segmentsOf(entered(['Scheduled', 100], ['Assigned', 400]), NOW)

    expect(segments.at(-1)).toEqual({ phase: 'preparing', from: 400, to: NOW })
  })

  it('ends where a job was cancelled, or went to another agent', () => {
    const cancelled = segmentsOf(entered(['Scheduled', 100], ['Completed', 300]), NOW)
    const lost = segmentsOf(
      entered(['Scheduled', 100], ['Assigned', 200], ['Rescheduled', 500]),
      NOW,
    )

    expect(cancelled).toEqual([{ phase: 'waiting', from: 100, to: 300 }])
    expect(lost.at(-1)).toEqual({ phase: 'preparing', from: 200, to: 500 })
  })

  it('never runs backwards, though the clock did', () => {
    expect(segmentsOf(entered(['Scheduled', 500], ['Assigned', 400]), 450)).toEqual([
      { phase: 'waiting', from: 500, to: 500 },
      { phase: 'preparing', from: 400, to: 450 },
    ])
  })

  it('is empty for a job that has entered nothing', () => {
    expect(segmentsOf([], NOW)).toEqual([])
  })
})
