import { z } from 'zod'
import { JobResult } from '../core/builds/job.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import {
  CounterField,
  PipelineField,
  StageCounterField,
  StageField,
  TimeField,
  UserField,
  PaginationBody,
} from './fields.ts'

const ChangeName = z.string().meta({ example: SAMPLE_NAMES.change })

/** One change that a run was the first to include. */
export const ModificationBody = z.object({
  revision: ChangeName,
  user_name: z.string().meta({ example: 'Ada <ada@example.org>' }),
  comment: z.string().meta({ example: 'Say hello' }),
  modified_time: TimeField,
})
export type ModificationBody = z.infer<typeof ModificationBody>

const MaterialRevisionBody = z.object({
  material: z.object({
    fingerprint: z
      .string()
      .meta({ example: 'ab1c049a3bf1bc4c021b56cb8a69606fc5ba3afbf7686242ad40c185ee440e34' }),
    name: z.string().nullable(),
    /** As in the configuration; null when the pipeline no longer has the material. */
    type: z.string().nullable().meta({ example: 'git' }),
  }),
  revision: ChangeName,
  /** The oldest change that the previous run did not include. */
  from_revision: ChangeName,
  /** Whether the previous run had another revision. */
  changed: z.boolean().meta({ example: true }),
  /** Whether the run was started with this revision. */
  pinned: z.boolean(),
  /** Newest first; empty while the changes are unknown. */
  modifications: z.array(ModificationBody),
})
export type MaterialRevisionBody = z.infer<typeof MaterialRevisionBody>

/** The revision of the configuration by which a run was scheduled. */
export const RunConfigurationBody = z.object({
  digest: z.string().meta({ example: SAMPLE_NAMES.digest }),
  commit: z.string().meta({ example: SAMPLE_NAMES.commit }),
  /** Its number; null when a rewrite has taken it from the branch. */
  number: z.int().nullable().meta({ example: 12 }),
  /** Set where the run was asked to be made from it, whatever was in force then. */
  requested: z.literal(true).optional(),
})
export type RunConfigurationBody = z.infer<typeof RunConfigurationBody>

/** `GET /api/pipelines/[name]/instance/[counter]`: one run of a pipeline, and its cause. */
export const PipelineRunBody = z.object({
  id: CounterField,
  name: PipelineField,
  counter: CounterField,
  label: z.string().meta({ example: '1' }),
  scheduled_date: TimeField,
  /** Null for runs from before this was kept. */
  configuration: RunConfigurationBody.nullable(),
  build_cause: z.object({
    /** A user, or `changes`. */
    approver: UserField,
    trigger_forced: z.boolean().meta({ example: true }),
    material_revisions: z.array(MaterialRevisionBody),
    /** The variables given to the run; `****` for the value of a secure one. */
    variables: z
      .array(z.object({ name: z.string(), value: z.string(), secure: z.boolean() }))
      .meta({ example: [] }),
  }),
  /** The newest run of each stage. */
  stages: z.array(
    z.object({
      name: StageField,
      counter: StageCounterField,
      approved_by: UserField,
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
