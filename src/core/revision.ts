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
  /** The first line of the commit message: the described changes, or the words of a native commit. */
  readonly subject: string
  /** The reason in the words of the author: the body of the commit without its facts; may be empty. */
  readonly message: string
}

/** The most characters of the message of a revision. */
export const LONGEST_MESSAGE = 4_000

/** What a line of a message cannot hold, besides the tab. */
export const UNFIT_IN_MESSAGE = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u
