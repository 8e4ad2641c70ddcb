import { z } from 'zod'
import { JobResult } from '../core/builds/job.ts'
import {
  CounterField,
  GroupField,
  PipelineField,
  StageCounterField,
  StageField,
  TimeField,
  UserField,
} from './fields.ts'

/** One pipeline of the configuration, with its newest run. */
export const PipelineBody = z.object({
  name: PipelineField,
  group: GroupField,
  /** The run that holds the lock, or null. */
  locked_by: z.int().nullable(),
  /** The pause of the pipeline, or null. */
  paused: z.object({ by: z.string(), cause: z.string() }).nullable(),
  /** The stages, in their order. */
  stages: z.array(StageField),
  latest: z
    .object({
      counter: CounterField,
      label: z.string().meta({ example: '1' }),
      approved_by: UserField,
      scheduled_date: TimeField,
      /** The stages that have run. */
      stages: z.array(
        z.object({ name: StageField, counter: StageCounterField, result: JobResult }),
      ),
      /** The stage that failed to start automatically, and why; or null. */
      blocked: z.object({ stage: z.string(), reason: z.string() }).nullable(),
    })
    .nullable(),
})
export type PipelineBody = z.infer<typeof PipelineBody>

/** `GET /api/pipelines/[name]/status`, with the keys of the original server. */
export const PipelineStatusBody = z.object({
  paused: z.boolean().meta({ example: true }),
  /** Empty when it is not paused, or without a reason. */
  pausedCause: z.string().meta({ example: 'release freeze' }),
  pausedBy: UserField,
  /** Whether a run holds its lock. */
  locked: z.boolean(),
  /** Whether a run could start now. */
  schedulable: z.boolean(),
})
export type PipelineStatusBody = z.infer<typeof PipelineStatusBody>
