import { z } from 'zod'
import type { Digest } from './digest.ts'

/** The name of a git commit: 40 lower-case hexadecimal characters. */
export const CommitSha = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .brand<'CommitSha'>()
export type CommitSha = z.infer<typeof CommitSha>

/** One entry of the history: the new configuration, its author and its time. */
export interface Revision {
  readonly digest: Digest
  readonly commit: CommitSha
  readonly username: string
  /** Milliseconds since the UNIX epoch: the author time. */
  readonly time: number
  readonly schemaVersion: number
  readonly serverEdition: string
  /** `N/A` for a commit that another tool made. */
  readonly serverVersion: string
  /** The first line of the commit message: the described changes. */
  readonly subject: string
}
