import { type Context, Hono } from 'hono'
import { TokenScope } from '../../core/principal.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { firstMomentOf } from '../../lib/moments.ts'
import type { Sessions } from '../../identities/sessions.ts'
import { createToken, listTokens, revokeToken, type TokenDeps } from '../../identities/tokens.ts'
import { statusOf } from '../../http/errors.ts'
import { malformed } from '../../http/parameters.ts'
import { type Form, readForm, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { PageContext } from '../frame/page-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { type ShownToken, TokensView } from './tokens-view.tsx'

export interface TokensPageOptions extends TokenDeps {
  readonly pages: PageContext
  readonly sessions: Sessions
  readonly clock: Clock
}

const MAX_FORM_BYTES = 16_384

/** `/tokens`: what the caller's programs log in with. */
export function tokensPageRoutes(options: TokensPageOptions) {
  return new Hono<RouteEnv>()
    .get('/tokens', (c) => answer(options, c, {}))
    .post('/tokens', async (c) => {
      const form = await readForm(c.req.raw, MAX_FORM_BYTES)
      switch (textField(form, 'action') ?? '') {
        case 'create':
          return create(options, c, form)
        case 'revoke':
          return revoke(options, c, textField(form, 'token') ?? '')
        case 'log-out-everywhere':
          await options.sessions.endOf(c.env.principal)
          c.env.auditActions = [{ action: 'log-out-everywhere', target: '/tokens' }]
          return c.redirect(options.pages.links.login(), 303)
        default:
          throw malformed('action is neither create, revoke nor log-out-everywhere', 'action')
      }
    })
}

/** The page itself has the token: no address and no cookie ever does. */
async function create(
  options: TokensPageOptions,
  c: Context<RouteEnv>,
  form: Form,
): Promise<Response> {
  const name = textField(form, 'name') ?? ''
  try {
    const wanted = {
      name,
      scope: parseScope(textField(form, 'scope') ?? ''),
      expires: parseDay(textField(form, 'expires') ?? ''),
    }
    const { id, token } = await createToken(options, c.env.principal, wanted)
    c.env.auditActions = [{ action: 'create-token', target: `/api/tokens/${id}` }]
    return await answer(options, c, { made: { name, token } })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    c.env.reason = error.code
    return answer(options, c, { problem: `${error.message}.`, status: statusOf(error) })
  }
}

async function revoke(
  options: TokensPageOptions,
  c: Context<RouteEnv>,
  id: string,
): Promise<Response> {
  const { principal } = c.env
  const { name } = await revokeToken(options, principal, id)
  c.env.auditActions = [{ action: 'revoke-token', target: `/api/tokens/${id}` }]
  const flash = options.pages.flash.query(principal, 'revoked', name)
  return c.redirect(options.pages.links.tokens(flash), 303)
}

interface Answered {
  readonly made?: ShownToken
  readonly problem?: string
  readonly status?: number
}

async function answer(
  options: TokensPageOptions,
  c: Context<RouteEnv>,
  { made, problem, status = 200 }: Answered,
): Promise<Response> {
  const { pages, clock } = options
  const view = {
    frame: pages.frame(c.req.raw, c.env.principal),
    flash: problem === undefined ? pages.flash.take(c) : { isDone: false, text: problem },
    tokens: await listTokens(options, c.env.principal),
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
