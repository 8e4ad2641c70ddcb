import { z } from 'zod'
import { Digest } from '../core/digest.ts'
import { CommitSha } from '../core/revision.ts'
import { ChangeEntry } from './changes.ts'
import { CounterField, TimeField } from './fields.ts'
import { PlanBody } from './plan-body.ts'

const Author = z.string().meta({ example: 'ben' })

/** The words of a proposal: `when` merges it by itself, as soon as it is approved or at an ISO time. */
const Words = {
  title: z.string().min(1).max(200),
  message: z.string().optional(),
  when: z.string().nullable().optional(),
}

/** One entity as its text; null removes it. A new pipeline names its group. */
const EntityBody = z.strictObject({
  kind: z.string(),
  name: z.string(),
  xml: z.string().nullable(),
  group: z.string().optional(),
})

/** The content: a whole document, or entities of one, and the digest of the configuration they were made from. */
const Content = {
  document: z.string().optional(),
  entities: z.array(EntityBody).min(1).optional(),
  base: Digest.optional(),
}

export const NewProposalBody = z.strictObject({ ...Words, ...Content })
export type NewProposalBody = z.infer<typeof NewProposalBody>

export const ProposalUpdateBody = z.strictObject({
  ...Words,
  title: Words.title.optional(),
  ...Content,
})
export type ProposalUpdateBody = z.infer<typeof ProposalUpdateBody>

/** A proposal as in the list. */
export const ProposalEntry = z.object({
  number: z.int().meta({ example: 7 }),
  title: z.string().meta({ example: 'Label builds of hello' }),
  message: z.string().meta({ example: '' }),
  author: Author,
  contributors: z.array(Author).readonly(),
  state: z.enum(['open', 'merged', 'closed']),
  /** `approved`, an ISO time, or null. */
  when: z.string().nullable(),
  opened: TimeField,
  changed: TimeField,
  version: CounterField,
  /** The entities that the newest version touches. */
  entities: z.array(z.string().meta({ example: 'pipeline/hello' })).readonly(),
  /** The reason for which it was not merged by itself, or null. */
  held: z.string().nullable(),
  mergedCommit: CommitSha.exactOptional(),
  mergedBy: Author.exactOptional(),
  closedBecause: z.string().exactOptional(),
  closedBy: Author.exactOptional(),
})
export type ProposalEntry = z.infer<typeof ProposalEntry>

/** A side of a conflict, with secrets hidden. */
const Side = z.object({ text: z.string(), line: z.int() })

const Needed = z.object({
  rule: z.string().meta({ example: 'delegation' }),
  of: z.array(z.string().meta({ example: 'administrators of the server' })).readonly(),
  place: z.string().meta({ example: 'pipeline/hello' }),
  reason: z.string().meta({
    example: 'The change reaches beyond what ben administers: pipeline hello',
  }),
  /** The time from which the rule does not apply. */
  until: z.string().exactOptional(),
})

/** A proposal with all that is known of it now. */
export const ProposalBody = ProposalEntry.extend({
  /** The digest of the configuration that the newest version was made from. */
  base: Digest,
  /** The digest of the configuration that merging makes, or made; null where it cannot be merged. */
  result: Digest.nullable(),
  versions: z
    .array(
      z.object({
        version: CounterField,
        commit: CommitSha,
        base: CommitSha,
        by: Author,
        time: TimeField,
      }),
    )
    .readonly(),
  changes: z.array(ChangeEntry).readonly().meta({ example: [] }),
  /** As of `POST /api/config/plan`, of what the caller may view; null where there is none. */
  plan: PlanBody.nullable().meta({ example: null }),
  verdict: z
    .object({
      kind: z.enum(['allowed', 'needs', 'denied']).meta({ example: 'needs' }),
      needs: z.array(Needed).readonly(),
      warnings: z.array(Needed).readonly().meta({ example: [] }),
    })
    .nullable(),
  /** The digest of the change that an approval would hold for. */
  approval: z.string().nullable().meta({
    example: 'cc6b1cf5ee1bd0a1c3b1ba4a3d5ee3f1e2f0dd0e8cbf3ce2b7a1d5ad0a7a9e31',
  }),
  /** The newest review of each person. */
  approvals: z
    .array(
      z.object({
        by: z.string(),
        decision: z.enum(['approve', 'reject']),
        version: z.int(),
        digest: z.string(),
        time: TimeField,
        text: z.string(),
        /** Whether it holds for what merging would change now. */
        holds: z.boolean(),
      }),
    )
    .readonly()
    .meta({ example: [] }),
  comments: z
    .array(
      z.object({
        by: z.string(),
        time: TimeField,
        version: z.int(),
        text: z.string(),
        entity: z.string().exactOptional(),
        line: z.int().exactOptional(),
      }),
    )
    .readonly()
    .meta({ example: [] }),
  /** The parts that somebody else has changed in another way since. */
  conflicts: z
    .array(
      z.object({
        entity: z.string().nullable(),
        path: z.string(),
        /** As it was, as the proposal has it, and as it is now. */
        base: Side,
        ours: Side,
        theirs: Side,
        /** Whether the result can have what both have added. */
        canBeBoth: z.boolean(),
      }),
    )
    .readonly()
    .meta({ example: [] }),
  /** Why it is not valid any more. */
  problems: z.array(z.string()).readonly().meta({ example: [] }),
})
export type ProposalBody = z.infer<typeof ProposalBody>

export const ReviewBody = z.strictObject({
  /** The version that the reviewer has seen; the newest one when absent. */
  version: z.int().min(1).optional(),
  text: z.string().optional(),
  /** Of a rejection: takes the caller's review back. */
  takeBack: z.boolean().optional(),
})

export const CommentBody = z.strictObject({
  text: z.string().min(1),
  entity: z.string().optional(),
  line: z.int().min(1).optional(),
})

export const CloseBody = z.strictObject({ text: z.string().optional() })

export const MergeBody = z.strictObject({
  message: z.string().optional(),
  /** The version that the caller has seen; the newest one when absent. */
  version: z.int().min(1).optional(),
})
