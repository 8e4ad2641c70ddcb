import { z } from 'zod'
import { ListedRevision } from './revision-bodies.ts'

const Count = z.int().min(0)

/** `POST /api/admin/rules/replay`: what rules would have done with the changes of the past. */
export const RulesReplayBody = z.object({
  /** The numbers of the oldest and the newest revision that were looked at. */
  from: z.int().meta({ example: 1 }),
  to: z.int().meta({ example: 3_200 }),
  /** False where older ones were left out, because it took too long. */
  complete: z.boolean(),
  /** The changes among them: a revision that changed neither the configuration nor rules that are asked is none. */
  changes: Count.meta({ example: 3_200 }),
  heldUp: Count.meta({ example: 14 }),
  /** The changes whose documents were read; the index alone has told of the others. */
  read: Count.meta({ example: 30 }),
  /** The number that could not be judged: documents cannot be read, or are not valid today. */
  skipped: Count.meta({ example: 0 }),
  rules: z
    .array(
      z.object({
        name: z.string(),
        heldUp: Count,
        warned: Count,
        /** Facts that the rule asks for and history does not tell: they are taken to fit, a plan as it would be now. */
        assumed: z.array(z.enum(['door', 'credential', 'plan'])).readonly(),
      }),
    )
    .readonly(),
  /** The authors of changes that would have been held up, with how many, most first. */
  authors: z.array(z.object({ username: z.string(), heldUp: Count })).readonly(),
  /** The newest changes that would have been held up, newest first. */
  revisions: z
    .array(
      ListedRevision.extend({
        objections: z.array(z.object({ rule: z.string(), reason: z.string() })).readonly(),
      }),
    )
    .readonly(),
})
export type RulesReplayBody = z.infer<typeof RulesReplayBody>
