import type { Context } from 'hono'
import { TokenScope } from '../../core/principal.ts'
import { ServiceError } from '../../core/errors.ts'
import { firstMomentOf } from '../../lib/moments.ts'
import { createToken, listTokens, revokeToken } from '../../identities/tokens.ts'
import { statusOf } from '../../http/errors.ts'
import { malformed } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { type ShownToken, TokensView } from './tokens-view.tsx'

const MAX_FORM_BYTES = 16_384

const route = pageWith<PagesContext>()

/** `/tokens`: what the caller's programs log in with. */
export const tokensPage = definePage({
  open: (context) => context,
  routes: [
    route({ method: 'GET', path: '/tokens', handle: (c, context) => answer(context, c, {}) }),
    route({
      method: 'POST',
      path: '/tokens',
      handle: async (c, context) => {
        const form = await readForm(c.req.raw, MAX_FORM_BYTES)
        switch (textField(form, 'action') ?? '') {
          case 'create':
            return create(context, c, form)
          case 'revoke':
            return revoke(context, c, textField(form, 'token') ?? '')
          case 'log-out-everywhere':
            await context.identities.sessions.endOf(c.env.principal)
            c.env.auditActions = [{ action: 'log-out-everywhere', target: '/tokens' }]
            return c.redirect(context.pages.links.login(), 303)
          default:
            throw malformed('action is neither create, revoke nor log-out-everywhere', 'action')
        }
      },
    }),
  ],
})

/** The page itself has the token: no address and no cookie ever does. */
async function create(context: PagesContext, c: Context<RouteEnv>, form: Form): Promise<Response> {
  const name = textField(form, 'name') ?? ''
  try {
    const wanted = {
      name,
      scope: parseScope(textField(form, 'scope') ?? ''),
      expires: parseDay(textField(form, 'expires') ?? ''),
    }
    const { id, token } = await createToken(context.identities, c.env.principal, wanted)
    c.env.auditActions = [{ action: 'create-token', target: `/api/tokens/${id}` }]
    return await answer(context, c, { made: { name, token } })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    c.env.reason = error.code
    return answer(context, c, { problem: `${error.message}.`, status: statusOf(error) })
  }
}

async function revoke(context: PagesContext, c: Context<RouteEnv>, id: string): Promise<Response> {
  const { principal } = c.env
  const { name } = await revokeToken(context.identities, principal, id)
  c.env.auditActions = [{ action: 'revoke-token', target: `/api/tokens/${id}` }]
  const flash = context.pages.flash.query(principal, 'revoked', name)
  return c.redirect(context.pages.links.tokens(flash), 303)
}

interface Answered {
  readonly made?: ShownToken
  readonly problem?: string
  readonly status?: number
}

async function answer(
  { pages, clock, identities }: PagesContext,
  c: Context<RouteEnv>,
  { made, problem, status = 200 }: Answered,
): Promise<Response> {
  const view = {
    frame: pages.frame(c.req.raw, c.env.principal),
    flash: problem === undefined ? pages.flash.take(c) : { isDone: false, text: problem },
    tokens: await listTokens(identities, c.env.principal),
    made: made ?? null,
    now: clock(),
  }
  return pageResponse(<TokensView {...view} />, status, NO_STORE)
}

function parseScope(text: string): TokenScope {
  const read = TokenScope.safeParse(text)
  if (read.success) return read.data
  throw malformed(`"${text}" is no scope`, 'scope')
}

/** The end of a day in UTC; null for a field that was left empty. */
function parseDay(text: string): number | null {
  if (text === '') return null
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? firstMomentOf(`${text}T23:59:59Z`) : null
  if (time === null) throw malformed(`"${text}" is no day such as 2030-12-31`, 'expires')
  return time
}
