import { z } from 'zod'

/** A part of a document that is kept, though nobody here acts on it. */
export const WillNotRunEntry = z.object({
  /** `pipeline/NAME`, `agent/UUID`, `server`, `document` and so on. */
  entity: z.string(),
  at: z.object({ line: z.int(), column: z.int() }),
  what: z.string(),
  because: z.string(),
})
