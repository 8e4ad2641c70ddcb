import { z } from 'zod'
import { JobResult } from '../core/builds/job.ts'

/** One pipeline of the configuration, with its newest run. */
export const PipelineBody = z.object({
  name: z.string(),
  group: z.string(),
  /** The run that holds the lock, or null. */
  locked_by: z.int().nullable(),
  /** The pause of the pipeline, or null. */
  paused: z.object({ by: z.string(), cause: z.string() }).nullable(),
  /** The stages, in their order. */
  stages: z.array(z.string()),
  latest: z
    .object({
      counter: z.int(),
      label: z.string(),
      approved_by: z.string(),
      scheduled_date: z.int(),
      /** The stages that have run. */
      stages: z.array(z.object({ name: z.string(), counter: z.string(), result: JobResult })),
      /** The stage that failed to start automatically, and why; or null. */
      blocked: z.object({ stage: z.string(), reason: z.string() }).nullable(),
    })
    .nullable(),
})
export type PipelineBody = z.infer<typeof PipelineBody>

/** `GET /api/pipelines/[name]/status`, with the keys of the original server. */
export const PipelineStatusBody = z.object({
  paused: z.boolean(),
  /** Empty when it is not paused, or without a reason. */
  pausedCause: z.string(),
  pausedBy: z.string(),
  /** Whether a run holds its lock. */
  locked: z.boolean(),
  /** Whether a run could start now. */
  schedulable: z.boolean(),
})
export type PipelineStatusBody = z.infer<typeof PipelineStatusBody>
