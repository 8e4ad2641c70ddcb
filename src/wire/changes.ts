import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'

/** The changed lines of a text, from 1, both ends included. */
const LineRange = z.object({ first: z.int().min(1), last: z.int().min(1) })

/** One change of an entity. Secret values read `•••• hidden`; unset ones are absent. */
export const ChangeEntry = z.object({
  kind: z.enum(['added', 'removed', 'renamed', 'changed', 'reordered', 'reformatted']),
  /** `pipeline/NAME`, `group/NAME`, `agent/UUID`, `server`, `document` and so on. */
  entity: z.string(),
  /** Its name for people. */
  label: z.string(),
  /** The path inside the entity, a kind and a name each: `stage test`. */
  path: z.array(z.string()).readonly(),
  subject: z.string(),
  from: z.string().exactOptional(),
  to: z.string().exactOptional(),
  lines: z.int().exactOptional(),
  before: LineRange.exactOptional(),
  after: LineRange.exactOptional(),
  /** The described change, without its entity. */
  text: z.string(),
})
export type ChangeEntry = z.infer<typeof ChangeEntry>

/** The answer of `/api/config/changes/[from]/[to]`. */
export const ChangesAnswer = z.object({
  from: CommitSha,
  to: CommitSha,
  /** All changes in one line, as in the subject of a commit. */
  subject: z.string(),
  changes: z.array(ChangeEntry).readonly(),
})
export type ChangesAnswer = z.infer<typeof ChangesAnswer>
