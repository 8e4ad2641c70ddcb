import { z } from 'zod'
import { Digest } from '../core/digest.ts'
import { ChangeEntry } from './changes.ts'
import { ProblemBody } from './error-body.ts'

/** A part of a document that is kept, though nobody here acts on it. */
export const WillNotRunEntry = z.object({
  /** `pipeline/NAME`, `agent/UUID`, `server`, `document` and so on. */
  entity: z.string(),
  at: z.object({ line: z.int(), column: z.int() }),
  what: z.string(),
  because: z.string(),
})

const Names = z.array(z.string()).readonly()

/** The consequences of saving a document, one entity of it, or what a proposal changes. */
export const PlanBody = z.object({
  valid: z.boolean(),
  /** The digest of the current document. */
  base: Digest,
  /** The digest of the document that would be current; null for an invalid one. */
  result: Digest.nullable(),
  errors: z.array(ProblemBody).readonly(),
  changes: z.array(ChangeEntry).readonly(),
  /** The runs that saving it now would begin. */
  starts: z.array(z.object({ pipeline: z.string(), because: z.string() })).readonly(),
  /** The pipelines that would run less by themselves than now, or not at all. */
  stops: z.array(z.object({ pipeline: z.string(), because: z.string() })).readonly(),
  /** Why pipelines among these cannot start, or why jobs of theirs would wait for an agent. */
  obstacles: z.array(z.object({ pipeline: z.string(), because: z.string() })).readonly(),
  touches: z.object({
    pipelines: Names,
    agents: Names,
    environments: Names,
    /** The running jobs of these pipelines, as `pipeline/counter/stage/counter/job`. */
    jobsRunning: Names,
  }),
  permissions: z.array(z.object({ user: z.string(), gains: Names, loses: Names })).readonly(),
  /** The parts of the document that are kept, though nobody here acts on them. */
  willNotRun: z.array(WillNotRunEntry).readonly(),
  /** Whether the caller may save it, and whose decision it needs otherwise; null for an invalid document. */
  verdict: z
    .object({
      kind: z.enum(['allowed', 'needs', 'denied']),
      reason: z.string().exactOptional(),
      needs: z
        .array(
          z.object({
            rule: z.string(),
            of: Names,
            reason: z.string().exactOptional(),
            until: z.string().exactOptional(),
          }),
        )
        .readonly(),
    })
    .nullable(),
  /** How many entries of these lists are about what the caller may not view. */
  hidden: z.object({
    changes: z.int(),
    starts: z.int(),
    stops: z.int(),
    obstacles: z.int(),
    touches: z.int(),
    willNotRun: z.int(),
  }),
  /** Always empty: the verdict names the rules. */
  rules: z.array(z.never()).readonly(),
})
