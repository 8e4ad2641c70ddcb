import { z } from 'zod'
import { RevisionEntry } from './revision-bodies.ts'
import { CommitSha } from '../core/revision.ts'

/**
 * The answer of `/api/config/watch`: the revisions newer than `since`, newest first as in the list;
 * none after a timeout. The `commitSHA` of the first one is the next `since`.
 */
export const WatchAnswer = z.array(RevisionEntry)
export type WatchAnswer = z.infer<typeof WatchAnswer>

/**
 * The types of streamed events. `revision`: a new one, oldest first. `rewritten`: the reader's last
 * commit no longer exists; the event has the current revision, and the list has to be read again.
 */
const WATCH_EVENTS = ['revision', 'rewritten'] as const
export type WatchEvent = (typeof WATCH_EVENTS)[number]

/**
 * The body of a call to a webhook. Calls are made one at a time in the order of the history, and
 * may be repeated; `revision.commitSHA` identifies repetitions.
 */
export const WebhookBody = z.object({
  /**
   * `rewritten`: commits were removed, and the revision is the current one now. `override`: the revision
   * of the call before passed rules by an override.
   */
  event: z.enum(['revision', 'rewritten', 'override']),
  /** The name of the webhook in the operator's file. */
  webhook: z.string(),
  revision: RevisionEntry.extend({ subject: z.string() }),
  /** The commit of the previous call, or the commit at which the webhook started. */
  previousCommitSHA: CommitSha,
  /** The rules that the revision passed, of the event `override`. */
  overrides: z
    .array(
      z.object({ by: z.string(), rule: z.string(), inRecovery: z.literal(true).exactOptional() }),
    )
    .readonly()
    .exactOptional(),
})
export type WebhookBody = z.infer<typeof WebhookBody>

/** The body of a call about any other event. Calls are in the order of the events, and may be repeated. */
export const EventBody = z.object({
  /** Such as `run.failed`. */
  event: z.string(),
  /** The name of the webhook in the operator's file. */
  webhook: z.string(),
  /** Milliseconds since the UNIX epoch. */
  time: z.int(),
  data: z.record(z.string(), z.unknown()),
})
export type EventBody = z.infer<typeof EventBody>

/**
 * The headers of Standard Webhooks: the id of the event, the time of the call in seconds, and
 * `v1,BASE64`, the HMAC-SHA256 of `ID.SECONDS.BODY` by the secret.
 */
export const STANDARD_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

/** `t=SECONDS,v1=HEX`: the time of the call, and the HMAC-SHA256 of `SECONDS.BODY` by the secret. */
export const SIGNATURE_HEADER = 'x-cairn-signature'
