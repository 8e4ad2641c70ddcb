import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'
import { ChangeEntry } from './changes.ts'
import { RevisionEntry } from './revision-entry.ts'

/** A revision in the list of them. */
export const ListedRevision = RevisionEntry.extend({
  /** As in `r12`; null for one that the branch no longer has. */
  number: z.int().nullable(),
  /** The described changes, or the words of a native commit. */
  subject: z.string(),
  /** The names of its tags. */
  tags: z.array(z.string()).readonly(),
})
export type ListedRevision = z.infer<typeof ListedRevision>

/** `GET /api/config/changes/[revision]` */
export const RevisionChangesBody = z.object({
  revision: ListedRevision,
  /** All changes in one line. */
  subject: z.string(),
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
        first: z.int(),
        lines: z.array(z.string()).readonly(),
        /** The one that wrote them. */
        revision: z.object({
          number: z.int().nullable(),
          commitSHA: CommitSha,
          username: z.string(),
          time: z.int(),
          subject: z.string(),
        }),
      }),
    )
    .readonly(),
})
export type BlameBody = z.infer<typeof BlameBody>
