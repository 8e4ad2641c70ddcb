import { z } from 'zod'
import { type Revision, CommitSha } from '../core/revision.ts'
import { Digest } from '../core/digest.ts'
import { TimeField, UserField } from './fields.ts'

/** Whether the field names of the original server are included. */
export const ClientNames = z.enum(['neutral', 'gocd'])
export type ClientNames = z.infer<typeof ClientNames>

/** Says that a search is not complete, because older revisions are not indexed yet, such as `418/5218`. */
export const INDEXED_HEADER = 'X-Cairn-Indexed'

/** An element of the revision list. */
export const RevisionEntry = z.object({
  md5: Digest,
  commitSHA: CommitSha,
  username: UserField,
  serverEdition: z.string().meta({ example: 'OpenSource' }),
  time: TimeField,
  schemaVersion: z.int().meta({ example: 75 }),
  serverVersion: z.string().meta({ example: '0.1.0' }),
  /** The reason in the words of the author; may be empty. */
  message: z.string().meta({ example: 'A second agent for Linux' }),
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
