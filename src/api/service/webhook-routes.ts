import { z } from 'zod'
import type { WebhookDelivery } from '../../notify/webhooks/delivery-log.ts'
import { listDeliveries, listWebhooks, sendAgain } from '../../notify/webhooks/webhooks.ts'
import { DeliveryBody, WebhookEntry } from '../../wire/service-bodies.ts'
import { json } from '../../http/errors.ts'
import { malformed } from '../../http/parameters.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { jsonAnswer, reads } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const route = routeWith<LeaderContext['webhooks']>('Service')

const NAME = { text: 'As in the webhooks file', schema: z.string(), example: 'chat' }
const SENT = {
  number: 7,
  id: 'event-112',
  event: 'run.broken',
  subject: `${SAMPLE.pipeline} 4 / ${SAMPLE.stage} 1`,
  begun: SAMPLE.time,
  answered: SAMPLE.time,
  attempts: 1,
  status: 204,
  answer: '',
  problem: null,
  sentBy: null,
  body: '{"event":"run.broken"}',
}

/** `/api/webhooks`: the receivers of events, and what was delivered to them. */
export const webhookResource = leaderResource({
  conditional: true,
  open: ({ webhooks }: LeaderContext) => webhooks,
  routes: [
    route({
      method: 'GET',
      path: '/api/webhooks',
      summary: 'The receivers of revisions and events',
      caller: 'administrator',
      answers: reads('The receivers', z.array(WebhookEntry)),
      handle: (c, deps) => json(listWebhooks(deps, c.env.principal)),
    }),
    route({
      method: 'GET',
      path: '/api/webhooks/:name/deliveries',
      summary: 'The latest deliveries to a receiver with its responses, newest first',
      caller: 'administrator',
      parameters: { name: NAME },
      answers: reads('At most 200 deliveries', z.array(DeliveryBody)),
      errors: ['delivery-not-found'],
      example: { answer: [SENT] },
      handle: async (c, deps) => {
        const deliveries = await listDeliveries(deps, c.env.principal, c.req.param('name'))
        return json(deliveries.map(renderDelivery))
      },
    }),
    route({
      method: 'POST',
      path: '/api/webhooks/:name/deliveries/:number/send',
      summary: 'Sends a delivery once more, with the same id and body',
      caller: 'administrator',
      audit: 'send-webhook-again',
      parameters: {
        name: NAME,
        number: { text: 'As in the list', schema: z.coerce.number().int().min(1), example: '7' },
      },
      answers: { 200: jsonAnswer('The new delivery, with its answer', DeliveryBody) },
      errors: ['malformed-request', 'delivery-not-found'],
      example: { answer: { ...SENT, number: 8, sentBy: 'admin' } },
      handle: async (c, deps) => {
        const number = parseDelivery(c.req.param('number'))
        const asked = { webhook: c.req.param('name'), number }
        return json(renderDelivery(await sendAgain(deps, c.env.principal, asked)))
      },
    }),
  ],
})

export function parseDelivery(text: string): number {
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
  if (number !== null) return number
  throw malformed(`"${text}" is not the number of a delivery`, 'number')
}

function renderDelivery(delivery: WebhookDelivery): DeliveryBody {
  const { webhook: _, ...body } = delivery
  return body
}
