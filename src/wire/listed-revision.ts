import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'
import { ChangeEntry } from './changes.ts'
import { TimeField, UserField } from './fields.ts'
import { RevisionEntry } from './revision-entry.ts'

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
