import { z } from 'zod'
import { type Revision, CommitSha } from '../core/revision.ts'
import { Digest } from '../core/digest.ts'
import { TimeField, UserField } from './fields.ts'
import { ChangeEntry } from './changes.ts'

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

/** All changes of a revision in one line. */
const Subject = z.string().meta({ example: 'Register agent builder-1' })

/** A revision in the list of them. */
export const ListedRevision = RevisionEntry.extend({
  /** As in `r12`; null for one that the branch no longer has. */
  number: z.int().nullable().meta({ example: 2 }),
  /** The described changes, or the words of a native commit. */
  subject: Subject,
  /** The names of its tags. */
  tags: z
    .array(z.string())
    .readonly()
    .meta({ example: ['v1.0'] }),
})
export type ListedRevision = z.infer<typeof ListedRevision>

/** `GET /api/config/changes/[revision]` */
export const RevisionChangesBody = z.object({
  revision: ListedRevision,
  subject: Subject,
  changes: z.array(ChangeEntry).readonly(),
})
export type RevisionChangesBody = z.infer<typeof RevisionChangesBody>

/** `GET /api/config/blame/[revision]` */
export const BlameBody = z.object({
  revision: ListedRevision,
  parts: z
    .array(
      z.object({
        /** The first of the lines, from 1. */
        first: z.int().meta({ example: 5 }),
        lines: z
          .array(z.string())
          .readonly()
          .meta({ example: ['      <materials>'] }),
        /** The one that wrote them. */
        revision: z.object({
          number: z.int().nullable().meta({ example: 1 }),
          commitSHA: CommitSha,
          username: UserField,
          time: TimeField,
          subject: z.string().meta({ example: 'Add pipeline hello' }),
        }),
      }),
    )
    .readonly(),
})
export type BlameBody = z.infer<typeof BlameBody>
