import { type Context, Hono } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { type AuthenticateOptions, CHALLENGE } from '../../http/authenticate.ts'
import { statusOf } from '../../http/errors.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { textField } from '../../http/request-body.ts'
import type { SessionCookie } from '../../http/session-cookie.ts'
import type { Sessions } from '../../identities/sessions.ts'
import type { OidcLogIn } from '../../identities/oidc/oidc-log-in.ts'
import { isOwnPath } from '../frame/own-path.ts'
import type { PageContext } from '../frame/page-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { type KeptForm, type KeptForms, keptIn } from './kept-form.ts'
import { SendAgainView } from './kept-view.tsx'
import { LoggedOutView, LoginView, LogOutView } from './login-view.tsx'

export interface LoginRoutesOptions {
  readonly pages: PageContext
  readonly sessions: Sessions
  readonly sessionCookie: SessionCookie
  readonly credentials: AuthenticateOptions['credentials']
  /** Null where people log in with passwords alone. */
  readonly oidc: OidcLogIn | null
  readonly keptForms: KeptForms
}

const NOT_YET = 'You are not logged in yet.'
const WRONG = 'Wrong user name or password.'

/** `/login` and `/log-out`: where a session begins and ends. */
export function loginRoutes(options: LoginRoutesOptions) {
  const { pages, sessions, sessionCookie } = options
  const { links } = pages
  return new Hono<RouteEnv>()
    .get('/login', (c) => answerForm(options, c.req.raw, { next: c.req.query('next') ?? '' }))
    .post('/login', async (c) => {
      const form = await options.keptForms.readLogIn(c.req.raw)
      const kept = keptIn(form, links.root())
      if (kept !== null && textField(form, 'step') === 'continue') return goOn(options, c, kept)
      const [username, password, next] = ['username', 'password', 'next'].map(
        (name) => textField(form, name) ?? '',
      )
      const given = { username: username ?? '', password: password ?? '' }
      const refused = { next: next ?? '', username: given.username, kept }
      const principal = await passwordHolder(options, c, given)
      if (principal instanceof ServiceError) {
        c.env.reason = principal.code
        const problem = `${principal.message}.`
        return answerForm(options, c.req.raw, { ...refused, problem, status: statusOf(principal) })
      }
      if (principal === null) {
        c.env.reason = 'wrong-credentials'
        c.env.claimed = given.username
        return answerForm(options, c.req.raw, { ...refused, problem: WRONG, status: 403 })
      }
      c.env.principal = principal
      const secret = await beginSession(options, c.req.raw, principal)
      if (kept !== null) return sendAgain(options, c, { kept, secret })
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
        : pageResponse(<LogOutView frame={frame} />, 200, NO_STORE)
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

/** A user who has logged in in another tab sees the form again in this one. */
async function goOn(
  options: LoginRoutesOptions,
  c: Context<RouteEnv>,
  kept: KeptForm,
): Promise<Response> {
  const secret = options.sessionCookie.read(c.req.raw)
  const principal = secret === null ? null : await options.sessions.find(secret)
  if (secret !== null && principal !== null) return sendAgain(options, c, { kept, secret })
  c.env.reason = 'no-credentials'
  return answerForm(options, c.req.raw, { next: '', kept, problem: NOT_YET, status: 401 })
}

/** The page with what was typed before the log-in; nothing sends it but the person. */
async function sendAgain(
  { pages, sessions, sessionCookie }: LoginRoutesOptions,
  c: Context<RouteEnv>,
  { kept, secret }: { readonly kept: KeptForm; readonly secret: string },
): Promise<Response> {
  const frame = pages.frame(c.req.raw, await sessions.find(secret))
  const headers = { ...NO_STORE, 'set-cookie': sessionCookie.set(c.req.raw, secret) }
  return pageResponse(<SendAgainView frame={frame} kept={kept} />, 200, headers)
}

/** The form of a log-in in answer to a form that was sent without a session. */
export async function askToLogIn(
  options: Pick<LoginRoutesOptions, 'pages' | 'oidc' | 'keptForms'>,
  request: Request,
): Promise<Response> {
  const kept = (await options.keptForms.keep(request)) ?? 'lost'
  return answerForm(options, request, { next: '', kept, status: 401 })
}

/** The cookie of a user who has just logged in; it replaces the session that the browser had. */
export async function beginSession(
  { sessions, sessionCookie }: Pick<LoginRoutesOptions, 'sessions' | 'sessionCookie'>,
  request: Request,
  principal: Principal,
): Promise<string> {
  const before = sessionCookie.read(request)
  if (before !== null) await sessions.end(before)
  return sessions.begin(principal)
}

/**
 * The user with the password; a token begins no session, which would have more permissions than the
 * token.
 */
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
  readonly status?: number
  /** Why the last attempt was refused. */
  readonly problem?: string
  readonly kept?: KeptForm | 'lost' | null
}

export function answerForm(
  { pages, oidc }: Pick<LoginRoutesOptions, 'pages' | 'oidc'>,
  request: Request,
  { next, username = '', status = 200, problem, kept = null }: FormState,
): Promise<Response> {
  const frame = pages.frame(request, null)
  const address = `${pages.originOf(request)}${pages.links.oidcLogin({ next })}`
  const provider = oidc && { name: oidc.name, address }
  const view = { frame, next, username, problem: problem ?? null, provider, kept }
  return pageResponse(<LoginView {...view} />, status, NO_STORE)
}
