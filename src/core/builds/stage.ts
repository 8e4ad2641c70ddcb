import { z } from 'zod'
import { isUnfinished, type JobProgress } from './job.ts'

export type StageState = 'Building' | 'Failing' | 'Passed' | 'Failed' | 'Cancelled' | 'Unknown'
export type StageResult = 'Passed' | 'Failed' | 'Cancelled' | 'Unknown'

export interface StageStatus {
  readonly state: StageState
  readonly result: StageResult
}

/** How a stage starts: automatically, or by approval. */
export const ApprovalType = z.enum(['success', 'manual'])
export type ApprovalType = z.infer<typeof ApprovalType>

/** The value of `approved_by` for a stage that started automatically. */
export const APPROVED_BY_CHANGES = 'changes'

/**
 * The number of active jobs of a stage, and of each result: everything that its status depends on.
 */
export const JobTally = z.object({
  running: z.int(),
  passed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  unknown: z.int(),
})
export type JobTally = Readonly<z.infer<typeof JobTally>>

type JobOutcome = Pick<JobProgress, 'state' | 'result'>

const NONE: JobTally = { running: 0, passed: 0, failed: 0, cancelled: 0, unknown: 0 }

/** Counts the jobs of a stage, except replaced ones. */
export function tallyOf(jobs: readonly JobOutcome[]): JobTally {
  return jobs.reduce((tally, job) => withJobs(tally, job, 1), NONE)
}

/** The tally after a job's change; the same object if nothing in it changes. */
export function retally(
  tally: JobTally,
  { from, to }: { readonly from: JobOutcome; readonly to: JobOutcome },
): JobTally {
  if (countsAlike(from, to)) return tally
  return withJobs(withJobs(tally, from, -1), to, 1)
}

/** Whether two conditions of a job have the same effect on its stage. */
export function countsAlike(a: JobOutcome, b: JobOutcome): boolean {
  return isUnfinished(a) === isUnfinished(b) && countedResult(a) === countedResult(b)
}

/** A job that is about to pass does not affect its stage yet. */
function countedResult(job: JobOutcome): JobProgress['result'] {
  return isUnfinished(job) && job.result === 'Passed' ? 'Unknown' : job.result
}

/**
 * The first matching rule wins; a failure beside running jobs shows at once, a cancelled job beats
 * a failed one.
 */
export function stageStatus(tally: JobTally): StageStatus {
  if (tally.running > 0 && tally.failed > 0) return { state: 'Failing', result: 'Failed' }
  if (tally.running > 0) return { state: 'Building', result: 'Unknown' }
  if (tally.cancelled > 0) return { state: 'Cancelled', result: 'Cancelled' }
  if (tally.failed > 0) return { state: 'Failed', result: 'Failed' }
  if (tally.unknown > 0 || tally.passed === 0) return { state: 'Unknown', result: 'Unknown' }
  return { state: 'Passed', result: 'Passed' }
}

export function isActive({ running }: JobTally): boolean {
  return running > 0
}

/** The result for callers: a run in progress has none yet. */
export function reportedResult(tally: JobTally): StageResult {
  return isActive(tally) ? 'Unknown' : stageStatus(tally).result
}

function withJobs(tally: JobTally, job: JobOutcome, count: 1 | -1): JobTally {
  const running = isUnfinished(job)
  const failed = job.result === 'Failed'
  return {
    running: tally.running + (running ? count : 0),
    failed: tally.failed + (failed ? count : 0),
    passed: tally.passed + (!running && job.result === 'Passed' ? count : 0),
    cancelled: tally.cancelled + (job.result === 'Cancelled' ? count : 0),
    unknown: tally.unknown + (!running && job.result === 'Unknown' ? count : 0),
  }
}
