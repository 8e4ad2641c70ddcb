import { type Context, Hono } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { type AuthenticateOptions, CHALLENGE } from '../../http/authenticate.ts'
import { statusOf } from '../../http/errors.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { readForm, textField } from '../../http/request-body.ts'
import type { SessionCookie } from '../../http/session-cookie.ts'
import type { Sessions } from '../../identities/sessions.ts'
import type { Tokens } from '../../identities/tokens.ts'
import type { OidcLogIn } from '../../identities/oidc/oidc-log-in.ts'
import { isOwnPath } from '../frame/own-path.ts'
import type { PageContext } from '../frame/page-context.ts'
import { NEVER_KEPT, pageResponse } from '../frame/page-response.ts'
import { LoggedOutView, LoginView, LogOutView } from './login-view.tsx'

export interface LoginRoutesOptions {
  readonly pages: PageContext
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly sessionCookie: SessionCookie
  readonly credentials: AuthenticateOptions['credentials']
  /** Null where people log in with passwords alone. */
  readonly oidc: OidcLogIn | null
}

const LARGEST_FORM = 16_384
const WRONG = 'This name and password do not belong together.'

/** `/login` and `/log-out`: where a session begins and ends. */
export function loginRoutes(options: LoginRoutesOptions) {
  const { pages, sessions, sessionCookie } = options
  const { links } = pages
  return new Hono<RouteEnv>()
    .get('/login', (c) => answerForm(options, c, { next: c.req.query('next') ?? '' }))
    .post('/login', async (c) => {
      const form = await readForm(c.req.raw, LARGEST_FORM)
      const [username, password, next] = ['username', 'password', 'next'].map(
        (name) => textField(form, name) ?? '',
      )
      const given = { username: username ?? '', password: password ?? '' }
      const refused = { next: next ?? '', username: given.username }
      const principal = await passwordHolder(options, c, given)
      if (principal instanceof ServiceError) {
        c.env.reason = principal.code
        const problem = { text: `${principal.message}.`, status: statusOf(principal) }
        return answerForm(options, c, { ...refused, problem })
      }
      if (principal === null) {
        c.env.reason = 'wrong-credentials'
        return answerForm(options, c, { ...refused, problem: { text: WRONG, status: 403 } })
      }
      c.env.principal = principal
      const secret = await beginSession(options, principal)
      const location = isOwnPath(refused.next, links.root()) ? refused.next : links.root()
      const cookie = sessionCookie.set(c.req.raw, secret)
      return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie } })
    })
    .get('/log-out', (c) => {
      const frame = pages.frame(c.req.raw, null)
      return sessionCookie.read(c.req.raw) === null
        ? pageResponse(<LoggedOutView frame={frame} />, 401, {
            ...CHALLENGE,
            'clear-site-data': '"cache"',
          })
        : pageResponse(<LogOutView frame={frame} />, 200, NEVER_KEPT)
    })
    .post('/log-out', async (c) => {
      const secret = sessionCookie.read(c.req.raw)
      if (secret !== null) {
        c.env.principal = (await sessions.find(secret)) ?? c.env.principal
        await sessions.end(secret)
      }
      const headers = {
        location: links.login(),
        'set-cookie': sessionCookie.clear(c.req.raw),
        'clear-site-data': '"cache"',
      }
      return new Response(null, { status: 303, headers })
    })
}

/** What the cookie of a user has who has just logged in. */
export async function beginSession(
  { sessions, tokens }: Pick<LoginRoutesOptions, 'sessions' | 'tokens'>,
  principal: Principal,
): Promise<string> {
  await tokens.vouch(principal)
  return sessions.begin(principal)
}

/** Who has the password; a token begins no session, which would be good for more than it. */
async function passwordHolder(
  { credentials }: LoginRoutesOptions,
  c: Context<RouteEnv>,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<Principal | ServiceError | null> {
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  try {
    const principal = await credentials.check(`Basic ${basic}`, c.env.address)
    return principal?.credential === undefined ? principal : null
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

export interface FormState {
  readonly next: string
  readonly username?: string
  readonly problem?: { readonly text: string; readonly status: number }
}

export function answerForm(
  { pages, oidc }: Pick<LoginRoutesOptions, 'pages' | 'oidc'>,
  c: Context<RouteEnv>,
  { next, username = '', problem }: FormState,
): Promise<Response> {
  const frame = pages.frame(c.req.raw, null)
  const address = `${pages.originOf(c.req.raw)}${pages.links.oidcLogin({ next })}`
  const provider = oidc && { name: oidc.name, address }
  const view = { frame, next, username, problem: problem?.text ?? null, provider }
  return pageResponse(<LoginView {...view} />, problem?.status ?? 200, NEVER_KEPT)
}
