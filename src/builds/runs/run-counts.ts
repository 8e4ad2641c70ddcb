import type { JobResult } from '../../core/builds/job.ts'
import type { StageResult } from '../../core/builds/stage.ts'
import type { Builds } from '../engine/builds.ts'

/** Upper bounds of the buckets of waiting times, in seconds. */
export const WAIT_BOUNDS = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600] as const

/** Counts since the start of this server as the leader. */
export interface RunTotals {
  /** Ended runs of stages by result. */
  readonly stages: ReadonlyMap<StageResult, number>
  readonly jobs: ReadonlyMap<JobResult, number>
  readonly waits: {
    readonly count: number
    /** Seconds. */
    readonly sum: number
    /** The count of each bucket, not cumulative; the last one is for all longer times. */
    readonly buckets: readonly number[]
  }
}

const STAGE_RESULTS: readonly StageResult[] = ['Passed', 'Failed', 'Cancelled', 'Unknown']
const JOB_RESULTS: readonly JobResult[] = ['Passed', 'Failed', 'Cancelled', 'Unknown']

/** Counts how runs of stages and jobs end, and how long jobs wait for an agent. */
export class RunCounts {
  readonly #stages = new Map(STAGE_RESULTS.map((result) => [result, 0]))
  readonly #jobs = new Map(JOB_RESULTS.map((result) => [result, 0]))
  readonly #buckets = Array.from({ length: WAIT_BOUNDS.length + 1 }, () => 0)
  #count = 0
  #sum = 0

  constructor(builds: Pick<Builds, 'onEvent'>) {
    builds.onEvent((event) => {
      if (event.type === 'stage-finished') increase(this.#stages, event.status.result)
      else if (event.type === 'job-finished') increase(this.#jobs, event.result)
      else if (event.type === 'job-assigned') this.#noteWait(event.waitedMs / 1_000)
    })
  }

  totals(): RunTotals {
    const waits = { count: this.#count, sum: this.#sum, buckets: this.#buckets }
    return { stages: this.#stages, jobs: this.#jobs, waits }
  }

  #noteWait(seconds: number): void {
    this.#count += 1
    this.#sum += seconds
    const found = WAIT_BOUNDS.findIndex((bound) => seconds <= bound)
    const bucket = found === -1 ? WAIT_BOUNDS.length : found
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
