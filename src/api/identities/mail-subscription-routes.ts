import { USUAL_WISHES } from '../../core/service/mail-wishes.ts'
import { subscribe, unsubscribe } from '../../identities/subscribe.ts'
import { MessageBody } from '../../wire/action-bodies.ts'
import { json } from '../../http/errors.ts'
import { readJson } from '../../http/request-body.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { jsonAnswer, jsonBody, reads } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { MailSubscriptionBody, MailSubscriptionRequestBody } from '../../wire/identity-bodies.ts'

const MAX_BODY_BYTES = 65_536

const path = '/api/account/mail'
const audit = 'change-mail-subscription'
const route = routeWith<ApiContext['identities']>('Identities')

/** `/api/account/mail`: the news that the caller gets by mail. */
export const mailSubscriptionResource = resource({
  conditional: true,
  open: ({ identities }: ApiContext) => identities,
  routes: [
    route({
      method: 'GET',
      path,
      summary: 'The notifications that the caller gets by mail; without an address, none',
      caller: 'user',
      answers: reads('The subscription', MailSubscriptionBody),
      handle: async (c, { subscriptions }) =>
        json((await subscriptions.find(c.env.principal)) ?? USUAL_WISHES),
    }),
    route({
      method: 'PUT',
      path,
      summary: 'Subscribes the caller, who has logged in with a password, to notifications by mail',
      caller: 'user',
      audit,
      body: jsonBody(MailSubscriptionRequestBody),
      answers: { 200: jsonAnswer('The subscription from now on', MailSubscriptionBody) },
      errors: ['malformed-request', 'body-too-large', 'not-permitted'],
      example: { body: { address: 'kim@example.org', news: ['breaks', 'fixed'], own: true } },
      handle: async (c, deps) => {
        const wishes = await readJson(c.req.raw, MAX_BODY_BYTES, MailSubscriptionRequestBody)
        await subscribe(deps, c.env.principal, wishes)
        return json(wishes satisfies MailSubscriptionBody)
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: 'Ends the notifications of the caller, who has logged in with a password',
      caller: 'user',
      audit,
      answers: { 200: jsonAnswer('Ended', MessageBody) },
      errors: ['not-permitted'],
      example: { answer: { message: 'You get no more mail' } },
      handle: async (c, deps) => {
        await unsubscribe(deps, c.env.principal)
        return json({ message: 'You get no more mail' })
      },
    }),
  ],
})
