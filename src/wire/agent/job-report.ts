import { z } from 'zod'
import type { JobReport } from '../../core/builds/job.ts'

/** The body of `POST …/[uuid]/jobs/[id]/report` is core's `JobReport`. Repeating it is harmless. */
export type ReportedResult = Extract<JobReport, { readonly result: unknown }>['result']

/** The limits of bytes in one append to a console. */
export const CONSOLE_BATCH = { least: 64 * 1024, most: 1024 * 1024 } as const

/** Answers `PUT …/[uuid]/jobs/[id]/console?offset=N`: how many bytes the server now has. */
export const ConsoleReply = z.object({ offset: z.int().nonnegative() })
export type ConsoleReply = z.infer<typeof ConsoleReply>

/** Answers `GET …/[uuid]/artifacts?job=LOCATOR&path=P`: every file at or below that path. */
export const ArtifactListing = z.object({
  files: z.array(z.object({ path: z.string().min(1), size: z.int().nonnegative() })),
})
export type ArtifactListing = z.infer<typeof ArtifactListing>
