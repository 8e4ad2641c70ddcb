import { z } from 'zod'
import type { DocumentKind } from '../../core/document-kind.ts'
import { CommitSha } from '../../core/revision.ts'
import { ServiceEvent } from '../../core/service/service-event.ts'

const EntityChanged = z.object({
  type: z.literal('changed'),
  time: z.int(),
  /** Such as `pipeline/app`. */
  entity: z.string(),
  commit: CommitSha,
  username: z.string(),
  /** The changes, as sentences. */
  changes: z.array(z.string()).readonly(),
})
export type EntityChanged = Readonly<z.infer<typeof EntityChanged>>

/** A piece of news: an event of the log, or a change of the configuration. */
export type MailNews = ServiceEvent | EntityChanged

/** News for a subscriber that is not sent yet. */
const WaitingNews = z.object({
  number: z.int().positive(),
  subscriber: z.string(),
  news: z.union([EntityChanged, ServiceEvent]),
})
export type WaitingNews = Readonly<z.infer<typeof WaitingNews>>

export const WAITING_NEWS: DocumentKind<WaitingNews> = { name: 'mail-news', schema: WaitingNews }

/** The places up to which news was found for all subscribers. */
const MailCursor = z.object({ event: z.int().nonnegative(), commit: CommitSha })
export type MailCursor = Readonly<z.infer<typeof MailCursor>>

export const MAIL_CURSOR: DocumentKind<MailCursor> = { name: 'mail-cursor', schema: MailCursor }

/** The time of the last mail to a subscriber, in milliseconds since the UNIX epoch. */
const LastMail = z.object({ sent: z.int() })

export const LAST_MAILS: DocumentKind<Readonly<z.infer<typeof LastMail>>> = {
  name: 'last-mail',
  schema: LastMail,
}

/** Every kind of document of this folder. */
export const MAIL_KINDS: readonly DocumentKind<unknown>[] = [WAITING_NEWS, MAIL_CURSOR, LAST_MAILS]
