import type { Context } from 'hono'
import { z } from 'zod'
import { changeOwnPassword } from '../../identities/administer-users.ts'
import { userTarget } from '../../api/identities/user-routes.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { formAction } from '../frame/form-action.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import type { Refusal } from '../runs/refusal.ts'
import { AccountView } from './account-view.tsx'
import { newPasswordIn } from './new-password.ts'

const OldPassword = z.object({ old: z.string().default('') })

const route = pageWith<PagesContext>()

/** `/account`: the caller's own password and sessions. */
export const accountPage = definePage({
  open: (context) => context,
  routes: [
    route({ method: 'GET', path: '/account', handle: (c, context) => answer(context, c, null) }),
    route({
      method: 'POST',
      path: '/account',
      handle: formAction({
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
        refused: answer,
        explains: ['not-permitted'],
      }),
    }),
  ],
})

function answer(
  { pages }: PagesContext,
  c: Context<RouteEnv>,
  refusal: Refusal | null,
): Promise<Response> {
  const { principal } = c.env
  const view = {
    frame: pages.frame(c.req.raw, principal),
    flash: refusal === null ? pages.flash.take(c) : refusal.flash,
    hasPassword: principal.external === undefined,
  }
  return pageResponse(<AccountView {...view} />, refusal?.status, NO_STORE)
}
