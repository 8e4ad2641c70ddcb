import { nameKey } from '../name-key.ts'
/** The facts about a job that the rerun rules need. */
export interface RepeatableJob {
  readonly id: number
  readonly name: string
  readonly originalJobId: number | null
}

/** One job of a new run: run again, or copied with its result. */
export type RepeatedJob<Job extends RepeatableJob> =
  | { readonly type: 'run'; readonly job: Job }
  | { readonly type: 'copy'; readonly job: Job; readonly originalJobId: number }

/**
 * The jobs of a run in which only some are run again. A copy names the job that ran, also when it
 * is a copy of a copy. Names compare without case.
 */
export function repeatedJobs<Job extends RepeatableJob>(
  jobs: readonly Job[],
  names: readonly string[],
): RepeatedJob<Job>[] {
  const chosen = new Set(names.map((name) => nameKey(name)))
  return jobs.map((job) =>
    chosen.has(nameKey(job.name))
      ? { type: 'run', job }
      : { type: 'copy', job, originalJobId: job.originalJobId ?? job.id },
  )
}

/** The reason why some jobs of a run cannot be run again, as text, or null. */
export function rerunObstacle(
  run: { readonly active: boolean; readonly jobs: readonly RepeatableJob[] },
  names: readonly string[],
): string | null {
  if (run.active) return 'it is still in progress'
  if (names.length === 0) return 'all its jobs passed'
  const keys = new Set(run.jobs.map(({ name }) => nameKey(name)))
  const unknown = names.find((name) => !keys.has(nameKey(name)))
  return unknown === undefined ? null : `it has no job ${unknown}`
}

/** The counter of the full run that a partial rerun is based on, even if it is repeated. */
export function rerunOfCounter(run: {
  readonly counter: number
  readonly rerunOfCounter: number | null
}): number {
  return run.rerunOfCounter ?? run.counter
}
