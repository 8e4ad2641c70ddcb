import { z } from 'zod'
import { parseDelivery } from '../../api/service/webhook-routes.ts'
import { listDeliveries, listWebhooks, sendAgain } from '../../notify/webhooks/webhooks.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { WebhooksView } from './webhooks-view.tsx'

const path = '/webhooks'

const { get, formAt } = routesWith<LeaderPagesContext>()

/** `/webhooks`: the newest deliveries to each receiver, with their answers. */
export const webhooksPage = defineLeaderPage([
  get(
    path,
    async ({ pages, webhooks }, c) => {
      const { principal } = c.env
      const receivers = await Promise.all(
        listWebhooks(webhooks, principal).map(async (state) => ({
          state,
          deliveries: await listDeliveries(webhooks, principal, state.name),
        })),
      )
      const view = { ...pages.openWithMessage(c), receivers }
      return pageResponse(<WebhooksView {...view} />, 200, NO_STORE)
    },
    { caller: 'administrator' },
  ),
  formAt(path, {
    caller: 'administrator',
    audit: 'send-webhook-again',
    fields: z.object({ webhook: z.string().default(''), number: z.string().default('') }),
    act: async ({ pages: { links }, webhooks }, c, { fields: { webhook, number } }) => {
      const delivery = { webhook, number: parseDelivery(number) }
      const { problem } = await sendAgain(webhooks, c.env.principal, delivery)
      return {
        says:
          problem === null
            ? ['webhook-sent', webhook]
            : ['webhook-not-taken', `${webhook}: ${problem}`],
        to: (flash) => links.webhooks(flash),
      }
    },
  }),
])
