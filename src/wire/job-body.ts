import { z } from 'zod'
import { JobResult, JobState } from '../core/builds/job.ts'
import { PaginationBody } from './pagination.ts'

/** Times are milliseconds since the UNIX epoch. */
export const JobTransitionBody = z.object({
  state_change_time: z.int(),
  id: z.int(),
  state: JobState,
})

/** The fields of a job in every list. */
export const JobSummaryBody = z.object({
  name: z.string(),
  result: JobResult,
  state: JobState,
  id: z.int(),
  scheduled_date: z.int(),
})
export type JobSummaryBody = z.infer<typeof JobSummaryBody>

/** A job of one run of a stage. */
export const StageJobBody = JobSummaryBody.extend({
  /** Null until an agent has the job. */
  agent_uuid: z.string().nullable(),
  job_state_transitions: z.array(JobTransitionBody),
  /** The job that ran, for a copy from an earlier run. */
  original_job_id: z.int().nullable(),
  rerun: z.boolean(),
})
export type StageJobBody = z.infer<typeof StageJobBody>

/** A job that an agent ran. */
export const AgentJobBody = JobSummaryBody.extend({
  agent_uuid: z.string(),
  job_state_transitions: z.array(JobTransitionBody),
  pipeline_counter: z.int(),
  pipeline_name: z.string(),
  rerun: z.boolean(),
  /** Text, unlike the counter of the pipeline. */
  stage_counter: z.string(),
  stage_name: z.string(),
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
