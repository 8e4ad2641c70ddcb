import type { Context } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import { statusOf } from '../../http/errors.ts'
import { shortNext } from '../../http/authenticate.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { SessionCookie } from '../../http/session-cookie.ts'
import type { OidcLogIn } from '../../identities/oidc/oidc-log-in.ts'
import { ownPath } from '../frame/kept-form.ts'
import { definePageWith, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { answerForm, beginSession } from './login-routes.tsx'

interface OidcState extends PagesContext {
  readonly oidc: OidcLogIn
  /** Keeps a log-in that is under way. */
  readonly attempt: SessionCookie
}

const { get } = routesWith<OidcState>()

/** `/login/oidc` and `/login/oidc/callback`: the way to the provider and back, where there is one. */
export const oidcPages = definePageWith(
  (context): OidcState | null => {
    const { oidc } = context.identities
    return oidc && { ...context, oidc, attempt: new SessionCookie(context.site, 'cairn-login') }
  },
  [
    get(
      '/login/oidc',
      (context, c) => {
        const { oidc, attempt } = context
        const next = shortNext(c.req.query('next') ?? '')
        return orForm(context, c, next, async () => {
          const { location, sealed } = await oidc.begin(next, c.env.address)
          return redirected(location, [attempt.set(c.req.raw, sealed)])
        })
      },
      { caller: 'anybody' },
    ),
    get(
      '/login/oidc/callback',
      async (context, c) => {
        const { oidc, attempt } = context
        const { links } = context.pages
        const sealed = attempt.read(c.req.raw)
        const answer = await orForm(context, c, '', async () => {
          const { search } = new URL(c.req.url)
          const { principal, next } = await oidc.finish({ search, sealed, address: c.env.address })
          c.env.principal = principal
          const secret = await beginSession(context, c.req.raw, principal)
          const session = context.sessionCookie.set(c.req.raw, secret)
          return redirected(ownPath(next, links.root()) ?? links.root(), [session])
        })
        // Another tab may wait for its own answer.
        if (sealed === null || !(await oidc.isPending(sealed)))
          answer.headers.append('set-cookie', attempt.clear(c.req.raw))
        return answer
      },
      { caller: 'anybody', audit: 'log-in' },
    ),
  ],
)

/** The form of a log-in again, with the reason, where a step does not succeed. */
async function orForm(
  context: PagesContext,
  c: Context<RouteEnv>,
  next: string,
  step: () => Promise<Response>,
): Promise<Response> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    c.env.reason = error.code
    const problem = `${error.message}.`
    return answerForm(context, c.req.raw, { next, problem, status: statusOf(error) })
  }
}

function redirected(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
