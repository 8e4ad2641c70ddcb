import { z } from 'zod'
import { isUnfinished } from './job.ts'
import type { JobProgress } from './job.ts'

export type StageState = 'Building' | 'Failing' | 'Passed' | 'Failed' | 'Cancelled' | 'Unknown'
export type StageResult = 'Passed' | 'Failed' | 'Cancelled' | 'Unknown'

export interface StageStatus {
  readonly state: StageState
  readonly result: StageResult
}

/** How a stage came to start: by itself, or because somebody approved it. */
export const ApprovalType = z.enum(['success', 'manual'])
export type ApprovalType = z.infer<typeof ApprovalType>

/** The word in `approved_by` of a stage that nobody had to approve. */
export const APPROVED_BY_CHANGES = 'changes'

/** How many jobs of a stage run, and how many have which result: all that its status depends on. */
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

/** The jobs of a stage without those that another one replaced. */
export function tallyOf(jobs: readonly JobOutcome[]): JobTally {
  return jobs.reduce((tally, job) => withJobs(tally, job, 1), NONE)
}

/** The tally once a job has gone from one condition to another; the same one when that counts alike. */
export function retally(
  tally: JobTally,
  { from, to }: { readonly from: JobOutcome; readonly to: JobOutcome },
): JobTally {
  if (countsAlike(from, to)) return tally
  return withJobs(withJobs(tally, from, -1), to, 1)
}

/** Whether a stage is the same with either of two conditions of a job. */
export function countsAlike(a: JobOutcome, b: JobOutcome): boolean {
  return isUnfinished(a) === isUnfinished(b) && countedResult(a) === countedResult(b)
}

/** That a job is about to pass is no news to its stage. */
function countedResult(job: JobOutcome): JobProgress['result'] {
  return isUnfinished(job) && job.result === 'Passed' ? 'Unknown' : job.result
}

/** The first rule that fits; a failure beside running jobs shows at once, a cancelled job beats a failed one. */
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

/** The result that callers are told: a run in progress has none yet. */
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
