import { z } from 'zod'

/** The result that a job ends with; it is known from `Completing` on. */
export const ReportedResult = z.enum(['Passed', 'Failed', 'Cancelled'])
export type ReportedResult = z.infer<typeof ReportedResult>

/** `POST …/[uuid]/jobs/[id]/report`: the job enters a state. Saying it twice does no harm. */
export const JobReport = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['Preparing', 'Building']), result: z.null() }),
  z.object({ state: z.enum(['Completing', 'Completed']), result: ReportedResult }),
])
export type JobReport = z.infer<typeof JobReport>

/** The bytes of a console that one append may carry. */
export const CONSOLE_BATCH = { least: 64 * 1024, most: 1024 * 1024 } as const

/** Answers `PUT …/[uuid]/jobs/[id]/console?offset=N`: how many bytes the server now has. */
export const ConsoleReply = z.object({ offset: z.int().nonnegative() })
export type ConsoleReply = z.infer<typeof ConsoleReply>

/** Answers `GET …/[uuid]/artifacts?job=LOCATOR&path=P`: every file at or below that path. */
export const ArtifactListing = z.object({
  files: z.array(z.object({ path: z.string().min(1), size: z.int().nonnegative() })),
})
export type ArtifactListing = z.infer<typeof ArtifactListing>
