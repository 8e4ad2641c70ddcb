import type { JobTransition } from '../../core/builds/job.ts'

/** The phases of a job. */
export type JobPhase = 'waiting' | 'preparing' | 'building'

export interface JobSegment {
  readonly phase: JobPhase
  /** Milliseconds since the UNIX epoch. */
  readonly from: number
  readonly to: number
}

/** The phase that each state starts; the other states start none. */
const BEGINS: ReadonlyMap<string, JobPhase> = new Map([
  ['Scheduled', 'waiting'],
  ['Assigned', 'preparing'],
  ['Preparing', 'preparing'],
  ['Building', 'building'],
  ['Completing', 'building'],
])

/** The phases of a job in order; the last one lasts until now while the job is not completed. */
export function segmentsOf(
  transitions: readonly JobTransition[],
  now: number,
): readonly JobSegment[] {
  const segments: JobSegment[] = []
  for (const [index, { state, time: from }] of transitions.entries()) {
    const phase = BEGINS.get(state)
    if (phase === undefined) continue
    const to = Math.max(from, transitions[index + 1]?.time ?? now)
    const last = segments.at(-1)
    if (last?.phase === phase) segments[segments.length - 1] = { ...last, to }
    else segments.push({ phase, from, to })
  }
  return segments
}

/** The duration of each phase, in milliseconds. */
export function timesOf(segments: readonly JobSegment[]): Readonly<Record<JobPhase, number>> {
  const times = { waiting: 0, preparing: 0, building: 0 }
  for (const { phase, from, to } of segments) times[phase] += to - from
  return times
}
