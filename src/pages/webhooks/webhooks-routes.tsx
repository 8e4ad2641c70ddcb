import { parseDelivery } from '../../api/service/webhook-routes.ts'
import { listDeliveries, listWebhooks, sendAgain } from '../../notify/webhooks/webhooks.ts'
import { readForm, textField } from '../../http/request-body.ts'
import { defineLeaderPage, pageWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { WebhooksView } from './webhooks-view.tsx'

const MAX_FORM_BYTES = 16_384
const path = '/webhooks'

const route = pageWith<LeaderPagesContext>()

/** `/webhooks`: the newest deliveries to each receiver, with their answers. */
export const webhooksPage = defineLeaderPage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path,
      caller: 'administrator',
      handle: async (c, { pages, webhooks }) => {
        const { principal } = c.env
        const receivers = await Promise.all(
          listWebhooks(webhooks, principal).map(async (state) => ({
            state,
            deliveries: await listDeliveries(webhooks, principal, state.name),
          })),
        )
        const flash = pages.flash.take(c)
        const frame = pages.frame(c.req.raw, principal)
        return pageResponse(<WebhooksView {...{ frame, flash, receivers }} />, 200, NO_STORE)
      },
    }),
    route({
      method: 'POST',
      path,
      caller: 'administrator',
      audit: 'send-webhook-again',
      handle: async (c, { pages, webhooks }) => {
        const { principal } = c.env
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        const webhook = textField(form, 'webhook') ?? ''
        const number = parseDelivery(textField(form, 'number') ?? '')
        const { problem } = await sendAgain(webhooks, principal, { webhook, number })
        const kind = problem === null ? 'webhook-sent' : 'webhook-not-taken'
        const of = problem === null ? webhook : `${webhook}: ${problem}`
        return c.redirect(pages.links.webhooks(pages.flash.query(principal, kind, of)), 303)
      },
    }),
  ],
})
