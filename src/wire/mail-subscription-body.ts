import { z } from 'zod'
import { MailWishes, USUAL_WISHES } from '../core/mail-wishes.ts'
import { SAMPLE_NAMES } from '../core/sample-names.ts'

const Address = z.string().meta({ example: 'kim@example.org' })
const { news, own, pipelines, entities, proposals } = MailWishes.shape

/** The body of `PUT /api/account/mail`. Absent choices are those of a user who has made none. */
export const MailSubscriptionRequestBody = z.strictObject({
  address: Address,
  news: news.default(USUAL_WISHES.news),
  own: own.default(USUAL_WISHES.own),
  /** `NAME` or `NAME/STAGE`. */
  pipelines: pipelines.default(USUAL_WISHES.pipelines),
  /** `KIND/NAME`. */
  entities: entities.default(USUAL_WISHES.entities),
  proposals: proposals.default(USUAL_WISHES.proposals),
})

/** The answer of `/api/account/mail`. The address of a user without a subscription is empty. */
export const MailSubscriptionBody = MailWishes.extend({
  address: Address,
  news: news.meta({ example: ['breaks', 'fixed'] }),
  pipelines: pipelines.meta({ example: [SAMPLE_NAMES.pipeline] }),
  entities: entities.meta({ example: [`group/${SAMPLE_NAMES.group}`] }),
})
export type MailSubscriptionBody = z.infer<typeof MailSubscriptionBody>
