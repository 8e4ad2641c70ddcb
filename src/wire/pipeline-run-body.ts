import { z } from 'zod'
import { JobResult } from '../core/builds/job.ts'
import { PaginationBody } from './pagination.ts'

/** One change that a run was the first to include. */
export const ModificationBody = z.object({
  revision: z.string(),
  user_name: z.string(),
  comment: z.string(),
  /** Milliseconds since the UNIX epoch. */
  modified_time: z.int(),
})
export type ModificationBody = z.infer<typeof ModificationBody>

/** One material of a run. */
export const MaterialRevisionBody = z.object({
  material: z.object({
    fingerprint: z.string(),
    name: z.string().nullable(),
    /** As in the configuration; null when the pipeline no longer has the material. */
    type: z.string().nullable(),
  }),
  revision: z.string(),
  /** The oldest change that the previous run did not include. */
  from_revision: z.string(),
  /** Whether the previous run had another revision. */
  changed: z.boolean(),
  /** Whether the run was started with this revision. */
  pinned: z.boolean(),
  /** Newest first; empty while the changes are unknown. */
  modifications: z.array(ModificationBody),
})
export type MaterialRevisionBody = z.infer<typeof MaterialRevisionBody>

/** The revision of the configuration by which a run was scheduled. */
export const RunConfigurationBody = z.object({
  digest: z.string(),
  commit: z.string(),
  /** Its number; null when a rewrite has taken it from the branch. */
  number: z.int().nullable(),
  /** Set where the run was asked to be made from it, whatever was in force then. */
  requested: z.literal(true).optional(),
})
export type RunConfigurationBody = z.infer<typeof RunConfigurationBody>

/** `GET /api/pipelines/[name]/instance/[counter]`: one run of a pipeline, and its cause. */
export const PipelineRunBody = z.object({
  id: z.int(),
  name: z.string(),
  counter: z.int(),
  label: z.string(),
  scheduled_date: z.int(),
  /** Null for runs from before this was kept. */
  configuration: RunConfigurationBody.nullable(),
  build_cause: z.object({
    /** A user, or `changes`. */
    approver: z.string(),
    trigger_forced: z.boolean(),
    material_revisions: z.array(MaterialRevisionBody),
    /** The variables given to the run; `****` for the value of a secure one. */
    variables: z.array(z.object({ name: z.string(), value: z.string(), secure: z.boolean() })),
  }),
  /** The newest run of each stage. */
  stages: z.array(
    z.object({
      name: z.string(),
      counter: z.string(),
      approved_by: z.string(),
      result: JobResult,
      configuration: RunConfigurationBody.nullable(),
      /** The user who cancelled it. */
      cancelled_by: z.string().optional(),
      /** Why jobs wait for an agent, such as `no agent has the resource docker`; not in lists. */
      waiting: z.array(z.object({ job: z.string(), reason: z.string() })).optional(),
    }),
  ),
})
export type PipelineRunBody = z.infer<typeof PipelineRunBody>

/** `GET /api/pipelines/[name]/history`, newest first. */
export const PipelineHistoryBody = z.object({
  pipelines: z.array(PipelineRunBody),
  pagination: PaginationBody,
})
export type PipelineHistoryBody = z.infer<typeof PipelineHistoryBody>
