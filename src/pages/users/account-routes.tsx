import { type Context, Hono } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import {
  changeOwnPassword,
  type UserAdministrationDeps,
} from '../../identities/administer-users.ts'
import { userTarget } from '../../api/identities/user-routes.ts'
import { statusOf } from '../../http/errors.ts'
import { readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { PageContext } from '../frame/page-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { AccountView } from './account-view.tsx'
import { newPasswordIn } from './new-password.ts'

export interface AccountPageOptions extends UserAdministrationDeps {
  readonly pages: PageContext
}

const MAX_FORM_BYTES = 16_384

/** `/account`: the caller's own password and sessions. */
export function accountPageRoutes(options: AccountPageOptions) {
  const { pages } = options
  return new Hono<RouteEnv>()
    .get('/account', (c) => answer(options, c, null))
    .post('/account', async (c) => {
      const { principal, address } = c.env
      const form = await readForm(c.req.raw, MAX_FORM_BYTES)
      try {
        const password = newPasswordIn(form) ?? ''
        const given = { old: textField(form, 'old') ?? '', password, address }
        await changeOwnPassword(options, principal, given)
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        c.env.reason = error.code
        return answer(options, c, error)
      }
      const target = userTarget(principal.username)
      c.env.auditActions = [{ action: 'change-own-password', target }]
      const flash = pages.flash.query(principal, 'password-changed', principal.username)
      return c.redirect(pages.links.account(flash), 303)
    })
}

function answer(
  { pages }: AccountPageOptions,
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
