import { z } from 'zod'
import { JobResult, JobState } from '../core/builds/job.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import {
  CounterField,
  JobField,
  PipelineField,
  StageCounterField,
  StageField,
  TimeField,
  PaginationBody,
} from './fields.ts'

const JobTransitionBody = z.object({
  state_change_time: TimeField,
  id: CounterField,
  state: JobState,
})

/** The fields of a job in every list. */
export const JobSummaryBody = z.object({
  name: JobField,
  result: JobResult,
  state: JobState.meta({ example: 'Completed' }),
  id: CounterField,
  scheduled_date: TimeField,
})
export type JobSummaryBody = z.infer<typeof JobSummaryBody>

export const StageJobBody = JobSummaryBody.extend({
  /** Null until an agent has the job. */
  agent_uuid: z.string().nullable().meta({ example: SAMPLE_NAMES.agent }),
  job_state_transitions: z.array(JobTransitionBody),
  /** The job that ran, for a copy from an earlier run. */
  original_job_id: z.int().nullable(),
  rerun: z.boolean(),
})
export type StageJobBody = z.infer<typeof StageJobBody>

const AgentJobBody = JobSummaryBody.extend({
  agent_uuid: z.string().meta({ example: SAMPLE_NAMES.agent }),
  job_state_transitions: z.array(JobTransitionBody),
  pipeline_counter: CounterField,
  pipeline_name: PipelineField,
  rerun: z.boolean(),
  stage_counter: StageCounterField,
  stage_name: StageField,
})
export type AgentJobBody = z.infer<typeof AgentJobBody>

/** `GET /api/agents/[uuid]/job_run_history`, last ended first. */
export const JobRunHistoryBody = z.object({
  jobs: z.array(AgentJobBody),
  pagination: PaginationBody,
})
export type JobRunHistoryBody = z.infer<typeof JobRunHistoryBody>

/** One entry of a folder of artifacts. The `url` of a folder answers with its content. */
export const FolderEntryBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('file'),
    name: z.string(),
    url: z.string(),
    /** Bytes. */
    size: z.int().nonnegative(),
  }),
  z.object({ type: z.literal('folder'), name: z.string(), url: z.string() }),
])
export type FolderEntryBody = z.infer<typeof FolderEntryBody>
