import type { Context } from 'hono'
import { z } from 'zod'
import { TokenScope } from '../../core/principal.ts'
import { createToken, listTokens, revokeToken } from '../../identities/tokens.ts'
import { endOfDay, malformed, parseEndOfDay } from '../../http/parameters.ts'
import { type Form, textField } from '../../http/request-body.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { FormDone, SentForm } from '../frame/form-action.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { loggedOut } from '../login/login-routes.tsx'
import { fieldProblems, type Refusal } from '../runs/refusal.ts'
import { type ShownToken, TokensView } from './tokens-view.tsx'

const TokenFields = z.object({
  action: z.enum(['create', 'revoke', 'log-out-everywhere']),
  name: z.string().default(''),
  scope: z.string().default(''),
  expires: z.string().default(''),
  token: z.string().default(''),
})

const { get, formAt } = routesWith<PagesContext>()

/** `/tokens`: what the caller's programs log in with. */
export const tokensPage = definePage([
  get('/tokens', answer),
  formAt('/tokens', {
    fields: TokenFields,
    act,
    refused: (context, c, refusal, sent) => answer(context, c, { refusal, sent }),
  }),
])

async function act(
  context: PagesContext,
  c: Context<RouteEnv>,
  { fields }: SentForm<typeof TokenFields>,
): Promise<FormDone | Response> {
  const { identities, pages } = context
  const { principal } = c.env
  switch (fields.action) {
    case 'create':
      return create(context, c, fields)
    case 'revoke': {
      const { name } = await revokeToken(identities, principal, fields.token)
      return {
        says: ['revoked', name],
        to: (flash) => pages.links.tokens(flash),
        audited: { action: 'revoke-token', target: `/api/tokens/${fields.token}` },
      }
    }
    case 'log-out-everywhere':
      await identities.sessions.endOf(principal)
      c.env.auditActions = [{ action: 'log-out-everywhere', target: '/tokens' }]
      return c.redirect(loggedOut(pages, ' everywhere'), 303)
  }
}

/** The page itself has the token: no address and no cookie ever does. */
async function create(
  context: PagesContext,
  c: Context<RouteEnv>,
  { name, scope, expires }: z.infer<typeof TokenFields>,
): Promise<Response> {
  const wanted = {
    name,
    scope: parseScope(scope),
    expires: expires ? parseEndOfDay(expires, 'expires', 'end') : null,
  }
  const { id, token } = await createToken(context.identities, c.env.principal, wanted)
  c.env.auditActions = [{ action: 'create-token', target: `/api/tokens/${id}` }]
  return answer(context, c, { made: { name, token } })
}

async function answer(
  { pages, identities }: PagesContext,
  c: Context<RouteEnv>,
  { made, refusal, sent = new Map() }: { made?: ShownToken; refusal?: Refusal; sent?: Form } = {},
): Promise<Response> {
  const typed = (field: keyof typeof TokenFields.shape) => textField(sent, field) ?? ''
  const view = {
    ...pages.openWithMessage(c, refusal),
    tokens: await listTokens(identities, c.env.principal),
    made: made ?? null,
    typed: {
      name: typed('name'),
      scope: typed('scope'),
      expires: endOfDay(typed('expires'), 'end'),
    },
    problems: fieldProblems(refusal),
  }
  return pageResponse(<TokensView {...view} />, refusal?.status, NO_STORE)
}

function parseScope(text: string): TokenScope {
  const read = TokenScope.safeParse(text)
  if (read.success) return read.data
  throw malformed(`"${text}" is not a scope`, 'scope')
}
