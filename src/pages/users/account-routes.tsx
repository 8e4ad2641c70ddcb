import type { Context } from 'hono'
import { z } from 'zod'
import { type MailWishes, PIPELINE_NEWS, USUAL_WISHES } from '../../core/service/mail-wishes.ts'
import { changeOwnPassword } from '../../identities/administer-users.ts'
import { subscribe, unsubscribe } from '../../identities/subscribe.ts'
import { TOKEN_VOUCHED_FOR_MS } from '../../identities/tokens.ts'
import { type Form, textField } from '../../http/request-body.ts'
import { userTarget } from '../../api/identities/user-routes.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { fieldsIn } from '../frame/form-action.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { fieldProblems, type Refusal } from '../runs/refusal.ts'
import { AccountView } from './account-view.tsx'
import { newPasswordIn } from './new-password.ts'

const OldPassword = z.object({ old: z.string().default('') })
/** The form of a subscription: names stand on a line each, and what is not ticked is absent. */
const Subscription = z.object({
  address: z.string().trim().default(''),
  own: z.string().optional(),
  pipelines: z.string().default(''),
  entities: z.string().default(''),
  proposals: z.string().optional(),
})

const DAY_MS = 86_400_000
const { get, formAt } = routesWith<PagesContext>()

/** `/account`: the caller's own password, sessions, and news by mail. */
export const accountPage = definePage([
  get('/account', answer),
  formAt('/account', {
    fields: OldPassword,
    act: async ({ identities, pages: { links } }, c, { fields: { old }, form }) => {
      const { principal, address } = c.env
      const password = newPasswordIn(form) ?? ''
      await changeOwnPassword(identities, principal, { old, password, address })
      const target = userTarget(principal.username)
      return {
        says: ['password-changed', principal.username],
        to: (flash) => links.account(flash),
        audited: { action: 'change-own-password', target },
      }
    },
    refused: (context, c, refusal) => answer(context, c, refusal),
    explains: ['not-permitted'],
  }),
  formAt('/account/mail', {
    audit: 'change-mail-subscription',
    fields: Subscription,
    act: async ({ identities, pages: { links } }, c, { fields, form }) => {
      const { principal } = c.env
      const wishes = wishesIn(fields, form)
      const isWanted = wishes.address !== ''
      if (isWanted) await subscribe(identities, principal, wishes)
      else await unsubscribe(identities, principal)
      return {
        says: [isWanted ? 'mail-subscribed' : 'mail-unsubscribed', wishes.address],
        to: (flash) => links.account(flash),
      }
    },
    refused: (context, c, refusal, form) =>
      answer(context, c, refusal, wishesIn(fieldsIn(form, Subscription), form)),
  }),
])

function wishesIn(
  { address, own, pipelines, entities, proposals }: z.infer<typeof Subscription>,
  form: Form,
): MailWishes {
  return {
    address,
    news: PIPELINE_NEWS.filter((each) => textField(form, each) !== null),
    own: own !== undefined,
    pipelines: linesOf(pipelines),
    entities: linesOf(entities),
    proposals: proposals !== undefined,
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== ''))]
}

async function answer(
  { pages, identities, configuration }: PagesContext,
  c: Context<RouteEnv>,
  refusal: Refusal | null = null,
  typed: MailWishes | null = null,
): Promise<Response> {
  const { principal } = c.env
  const view = {
    ...pages.openWithMessage(c, refusal),
    administers: pages.administeredBy(principal),
    hasPassword: principal.external === undefined,
    wishes: typed ?? (await identities.subscriptions.find(principal)) ?? USUAL_WISHES,
    sendsMail: (configuration.configuration.read().configuration.server?.mailHost ?? null) !== null,
    pausedAfterDays: principal.external === undefined ? null : TOKEN_VOUCHED_FOR_MS / DAY_MS,
    problems: fieldProblems(refusal, { 'not-permitted': 'old' }),
  }
  return pageResponse(<AccountView {...view} />, refusal?.status, NO_STORE)
}
