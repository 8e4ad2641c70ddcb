import { z } from 'zod'

/** One thing that is wrong, and its place. */
export const ProblemBody = z.object({
  message: z.string(),
  path: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
})

/** The people whose decision a change needs that the caller may not make alone. */
const NeedBody = z.object({
  rule: z.string(),
  of: z.array(z.string()).readonly(),
  reason: z.string().optional(),
  until: z.string().optional(),
})

/** The body of every error answer. */
export const ErrorBody = z.object({
  message: z.string(),
  errors: z.array(ProblemBody).optional(),
  needs: z.array(NeedBody).readonly().optional(),
  /** Where to propose the change. */
  propose: z.string().optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>
