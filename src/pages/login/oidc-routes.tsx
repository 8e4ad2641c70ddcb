import { type Context, Hono } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import { statusOf } from '../../http/errors.ts'
import { shortNext } from '../../http/log-in-address.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { SessionCookie } from '../../http/session-cookie.ts'
import { isOwnPath } from '../frame/own-path.ts'
import { answerForm, beginSession, type LoginRoutesOptions } from './login-routes.tsx'

export interface OidcRoutesOptions extends LoginRoutesOptions {
  readonly basePath: string
  readonly publicUrl: string | null
}

/** `/login/oidc` and `/login/oidc/callback`: the way to the provider and back. */
export function oidcRoutes(options: OidcRoutesOptions) {
  const { pages, oidc, sessionCookie } = options
  const app = new Hono<RouteEnv>()
  if (oidc === null) return app
  const { links } = pages
  const attemptCookie = new SessionCookie(options, 'cairn-login')
  return app
    .get('/login/oidc', (c) => {
      const next = shortNext(c.req.query('next') ?? '')
      return orForm(options, c, next, async () => {
        const { location, sealed } = await oidc.begin(next, c.env.address)
        return redirected(location, [attemptCookie.set(c.req.raw, sealed)])
      })
    })
    .get('/login/oidc/callback', async (c) => {
      const forget = attemptCookie.clear(c.req.raw)
      const answer = await orForm(options, c, '', async () => {
        const { search } = new URL(c.req.url)
        const sealed = attemptCookie.read(c.req.raw)
        const { principal, next } = await oidc.finish({ search, sealed, address: c.env.address })
        c.env.principal = principal
        const secret = await beginSession(options, c.req.raw, principal)
        const session = sessionCookie.set(c.req.raw, secret)
        return redirected(isOwnPath(next, links.root()) ? next : links.root(), [session])
      })
      answer.headers.append('set-cookie', forget)
      return answer
    })
}

/** The form of a log-in again, with the reason, where a step does not succeed. */
async function orForm(
  options: LoginRoutesOptions,
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
    return answerForm(options, c.req.raw, { next, problem, status: statusOf(error) })
  }
}

function redirected(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}
