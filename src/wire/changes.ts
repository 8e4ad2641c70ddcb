import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'

/** The changed lines of a text, from 1, both ends included. */
const LineRange = z
  .object({ first: z.int().min(1), last: z.int().min(1) })
  .meta({ example: { first: 16, last: 16 } })

/** One change of an entity. Secret values read `•••• hidden`; unset ones are absent. */
export const ChangeEntry = z.object({
  kind: z.enum(['added', 'removed', 'renamed', 'changed', 'reordered', 'reformatted']),
  /** `pipeline/NAME`, `group/NAME`, `agent/UUID`, `server`, `document` and so on. */
  entity: z.string().meta({ example: `agent/${SAMPLE_NAMES.agent}` }),
  /** Its name for people. */
  label: z.string().meta({ example: 'builder-1' }),
  /** The path inside the entity, a kind and a name each: `stage test`. */
  path: z.array(z.string()).readonly().meta({ example: [] }),
  subject: z.string().meta({ example: 'agent builder-1' }),
  from: z.string().exactOptional(),
  to: z.string().exactOptional(),
  lines: z.int().exactOptional(),
  before: LineRange.exactOptional(),
  after: LineRange.exactOptional(),
  /** The described change, without its entity. */
  text: z.string().meta({ example: 'add agent builder-1' }),
})
export type ChangeEntry = z.infer<typeof ChangeEntry>

/** The answer of `/api/config/changes/[from]/[to]`. */
export const ChangesAnswer = z.object({
  from: CommitSha.meta({ example: SAMPLE_NAMES.before.commit }),
  to: CommitSha,
  /** All changes in one line, as in the subject of a commit. */
  subject: z.string().meta({ example: 'Register agent builder-1' }),
  changes: z.array(ChangeEntry).readonly(),
})
export type ChangesAnswer = z.infer<typeof ChangesAnswer>
