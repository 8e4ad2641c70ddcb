import { z } from 'zod'
import type { DocumentKind } from '../core/document-kind.ts'
import { MailWishes } from '../core/service/mail-wishes.ts'
import { nameKey } from '../core/name-key.ts'
import { type Principal, sourceOf } from '../core/principal.ts'
import { findOwner, IssuedOwner, isSameOwner, ownerOf } from './issued-owner.ts'
import { OwnedRecords, type OwnedRecordsOptions } from './owned-records.ts'
import { TOKEN_VOUCHED_FOR_MS } from './tokens.ts'

/** The news that a user wants by mail. */
const MailSubscription = z.object({
  /** Of the user: each has one subscription at most. */
  id: z.string(),
  created: z.int(),
  owner: IssuedOwner,
  wishes: MailWishes,
})
type MailSubscription = Readonly<z.infer<typeof MailSubscription>>

export const MAIL_SUBSCRIPTIONS: DocumentKind<MailSubscription> = {
  name: 'mail-subscription',
  schema: MailSubscription,
}

/** A user who can log in now, with the news that the user wants. */
export interface MailSubscriber {
  readonly id: string
  readonly principal: Principal
  readonly wishes: MailWishes
}

/** The subscriptions of users to news by mail. They end with their user, as tokens do. */
export class MailSubscriptions extends OwnedRecords<MailSubscription> {
  constructor(options: OwnedRecordsOptions) {
    super(MAIL_SUBSCRIPTIONS, options)
  }

  /** The wishes of a user; null of one who wants no mail. */
  async find(principal: Principal): Promise<MailWishes | null> {
    const record = await this.findById(idOf(principal))
    return record !== null && isSameOwner(record.owner, principal) ? record.wishes : null
  }

  put(principal: Principal, wishes: MailWishes): Promise<void> {
    const created = this.options.clock()
    const owner = ownerOf(principal, created)
    return this.add({ id: idOf(principal), created, owner, wishes })
  }

  /** The subscribers who can log in now; not those who are gone or disabled. */
  async subscribers(): Promise<readonly MailSubscriber[]> {
    const subscribers: MailSubscriber[] = []
    for (const { id, owner, wishes } of await this.listed(() => true)) {
      const principal = await findOwner(this.options, owner, TOKEN_VOUCHED_FOR_MS)
      if (principal !== null) subscribers.push({ id, principal, wishes })
    }
    return subscribers
  }
}

function idOf(principal: Principal): string {
  return `${sourceOf(principal)} ${nameKey(principal.username)}`
}
