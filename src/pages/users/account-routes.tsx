import type { Context } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import { changeOwnPassword } from '../../identities/administer-users.ts'
import { userTarget } from '../../api/identities/user-routes.ts'
import { statusOf } from '../../http/errors.ts'
import { readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { AccountView } from './account-view.tsx'
import { newPasswordIn } from './new-password.ts'

const MAX_FORM_BYTES = 16_384

const route = pageWith<PagesContext>()

/** `/account`: the caller's own password and sessions. */
export const accountPage = definePage({
  open: (context) => context,
  routes: [
    route({ method: 'GET', path: '/account', handle: (c, context) => answer(context, c, null) }),
    route({
      method: 'POST',
      path: '/account',
      handle: async (c, context) => {
        const { principal, address } = c.env
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        try {
          const password = newPasswordIn(form) ?? ''
          const given = { old: textField(form, 'old') ?? '', password, address }
          await changeOwnPassword(context.identities, principal, given)
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error
          c.env.reason = error.code
          return answer(context, c, error)
        }
        const target = userTarget(principal.username)
        c.env.auditActions = [{ action: 'change-own-password', target }]
        const { links, flash } = context.pages
        const message = flash.query(principal, 'password-changed', principal.username)
        return c.redirect(links.account(message), 303)
      },
    }),
  ],
})

function answer(
  { pages }: PagesContext,
  c: Context<RouteEnv>,
  refused: ServiceError | null,
): Promise<Response> {
  const { principal } = c.env
  const view = {
    frame: pages.frame(c.req.raw, principal),
    flash: refused === null ? pages.flash.take(c) : { isDone: false, text: `${refused.message}.` },
    hasPassword: principal.external === undefined,
  }
  const status = refused === null ? 200 : statusOf(refused)
  return pageResponse(<AccountView {...view} />, status, NO_STORE)
}
