import { z } from 'zod'
import { ModificationBody, RunConfigurationBody } from './pipeline-run-body.ts'
import { ChangeEntry } from './changes.ts'

const AgentOfJobBody = z.object({ uuid: z.string(), hostname: z.string() })

/** `GET /api/pipelines/[name]/compare/[from]/[to]`: the differences between two runs. */
export const RunComparisonBody = z.object({
  /** The counters of the runs. */
  from: z.int(),
  to: z.int(),
  /** The stage that the question is about, with the counters of its compared runs. */
  stage: z.object({ name: z.string(), from: z.string().nullable(), to: z.string() }).nullable(),
  /** The possible reasons for another result, the likeliest first. */
  causes: z.array(
    z.object({
      kind: z.enum(['material', 'configuration', 'upstream', 'variable', 'agent']),
      /** One sentence. */
      text: z.string(),
      /** The page of the revision, commit, run or agent; null for the sum of several revisions. */
      link: z.string().nullable(),
    }),
  ),
  materials: z.array(
    z.object({
      fingerprint: z.string(),
      description: z.string(),
      /** Null where the run did not have the material. */
      from: z.string().nullable(),
      to: z.string().nullable(),
      /** Newest first, each with the counter of the run that was the first to include it. */
      commits: z.array(ModificationBody.extend({ run: z.int() })),
    }),
  ),
  upstream: z.array(
    z.object({
      pipeline: z.string(),
      stage: z.string(),
      /** The run of the stage as `pipeline/counter/stage/counter`. */
      from: z.string().nullable(),
      to: z.string().nullable(),
    }),
  ),
  configuration: z.object({
    /** Null for a run that did not record its configuration: then no changes are known. */
    from: RunConfigurationBody.nullable(),
    to: RunConfigurationBody.nullable(),
    /** Changes that concern the pipeline, newest first. */
    changes: z.array(
      ChangeEntry.extend({
        /** Null where the branch no longer has one of the two revisions. */
        revision: z
          .object({
            number: z.int(),
            commit: z.string(),
            digest: z.string(),
            username: z.string(),
            time: z.int(),
            message: z.string(),
          })
          .nullable(),
      }),
    ),
    /** False where changes are missing from the list, or not known yet. */
    complete: z.boolean(),
  }),
  /** Variables that were given to one of the runs, or with other values; `****` for a secure one. */
  variables: z.array(
    z.object({
      name: z.string(),
      secure: z.boolean(),
      from: z.string().nullable(),
      to: z.string().nullable(),
    }),
  ),
  /** The jobs that another agent ran, or the same agent after it had changed. */
  agents: z.array(
    z.object({
      stage: z.string(),
      job: z.string(),
      from: AgentOfJobBody.nullable(),
      to: AgentOfJobBody.nullable(),
      changes: z.array(z.string()),
    }),
  ),
})
export type RunComparisonBody = z.infer<typeof RunComparisonBody>
