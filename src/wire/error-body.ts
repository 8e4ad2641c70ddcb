import { z } from 'zod'

/** The body of every error answer. */
export const ErrorBody = z.object({
  message: z.string(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        path: z.string().optional(),
        line: z.int().optional(),
        column: z.int().optional(),
      }),
    )
    .optional(),
})
export type ErrorBody = z.infer<typeof ErrorBody>
