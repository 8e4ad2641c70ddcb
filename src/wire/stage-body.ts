import { z } from 'zod'
import { JobResult } from '../core/builds/job.ts'
import { ApprovalType } from '../core/builds/stage.ts'
import { JobSummaryBody, StageJobBody } from './job-body.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import {
  CounterField,
  PipelineField,
  StageCounterField,
  StageField,
  UserField,
  PaginationBody,
} from './fields.ts'

const STAGE = {
  name: StageField,
  /** A user, or `changes`. */
  approved_by: UserField,
  pipeline_counter: CounterField,
  pipeline_name: PipelineField,
  approval_type: ApprovalType,
  /** `Unknown` while the run is in progress. */
  result: JobResult,
  id: CounterField,
  counter: StageCounterField,
} as const

export const StageBody = z.object({ ...STAGE, jobs: z.array(StageJobBody) })
export type StageBody = z.infer<typeof StageBody>

/** `GET /api/stages/[pipeline]/[stage]/history`, newest first. */
export const StageHistoryBody = z.object({
  stages: z.array(z.object({ ...STAGE, jobs: z.array(JobSummaryBody) })),
  pagination: PaginationBody,
})
export type StageHistoryBody = z.infer<typeof StageHistoryBody>

/** Answers a call that starts a run. */
export const StartedBody = z.object({
  message: z
    .string()
    .meta({ example: `The run 1 of the pipeline ${SAMPLE_NAMES.pipeline} is scheduled` }),
  pipeline_name: PipelineField,
  pipeline_counter: CounterField,
  stage_name: StageField,
  stage_counter: StageCounterField,
})
export type StartedBody = z.infer<typeof StartedBody>

export function renderStarted(
  message: string,
  run: { pipeline: string; counter: number; stage: { name: string; counter: number } },
): StartedBody {
  return {
    message,
    pipeline_name: run.pipeline,
    pipeline_counter: run.counter,
    stage_name: run.stage.name,
    stage_counter: String(run.stage.counter),
  }
}
