import { z } from 'zod'
import { type Revision, CommitSha } from '../core/revision.ts'
import { Digest } from '../core/digest.ts'

/** Whether the field names of the original server are included. */
export const ClientNames = z.enum(['neutral', 'gocd'])
export type ClientNames = z.infer<typeof ClientNames>

/** An element of the revision list. `time` is in milliseconds since the UNIX epoch. */
export const RevisionEntry = z.object({
  md5: Digest,
  commitSHA: CommitSha,
  username: z.string(),
  serverEdition: z.string(),
  time: z.int(),
  schemaVersion: z.int(),
  serverVersion: z.string(),
  /** The reason in the words of the author; may be empty. */
  message: z.string(),
  goEdition: z.string().optional(),
  goVersion: z.string().optional(),
})
export type RevisionEntry = z.infer<typeof RevisionEntry>

export function renderRevision(revision: Revision, names: ClientNames): RevisionEntry {
  const { serverEdition, serverVersion } = revision
  return {
    md5: revision.digest,
    commitSHA: revision.commit,
    username: revision.username,
    serverEdition,
    time: revision.time,
    schemaVersion: revision.schemaVersion,
    serverVersion,
    message: revision.message,
    ...(names === 'gocd' ? { goEdition: serverEdition, goVersion: serverVersion } : {}),
  }
}
