import { z } from 'zod'
import { JobResult } from '../core/job.ts'

/** One pipeline of the configuration, with its newest run. */
export const PipelineBody = z.object({
  name: z.string(),
  group: z.string(),
  /** The run that keeps others from starting, or null. */
  locked_by: z.int().nullable(),
  /** The stages, in their order. */
  stages: z.array(z.string()),
  latest: z
    .object({
      counter: z.int(),
      label: z.string(),
      approved_by: z.string(),
      scheduled_date: z.int(),
      /** The stages of it that have run. */
      stages: z.array(z.object({ name: z.string(), counter: z.string(), result: JobResult })),
      /** The stage that could not start by itself, and why; or null. */
      blocked: z.object({ stage: z.string(), reason: z.string() }).nullable(),
    })
    .nullable(),
})
export type PipelineBody = z.infer<typeof PipelineBody>
