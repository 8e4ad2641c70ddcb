import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'
import { RevisionEntry } from './revision-entry.ts'

/**
 * The body of a call to a webhook. Calls come one at a time and in the order of the history, and may
 * come again; `revision.commitSHA` tells whether the receiver has it already.
 */
export const WebhookBody = z.object({
  /** `rewritten`: commits were taken back, and the revision is the current one now. */
  event: z.enum(['revision', 'rewritten']),
  /** The name of the webhook in the file of the operator. */
  webhook: z.string(),
  revision: RevisionEntry.extend({ subject: z.string() }),
  /** What the call before this one was about, or where the webhook began. */
  previousCommitSHA: CommitSha,
})
export type WebhookBody = z.infer<typeof WebhookBody>

/** `t=SECONDS,v1=HEX`: the time of the call, and the HMAC-SHA256 of `SECONDS.BODY` by the secret. */
export const SIGNATURE_HEADER = 'x-cairn-signature'
