import type { Context } from 'hono'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { CHALLENGE } from '../../http/authenticate.ts'
import { statusOf } from '../../http/errors.ts'
import { NOBODY, type RouteEnv } from '../../http/request-context.ts'
import { textField } from '../../http/request-body.ts'
import type { FlashMessage } from '../kit/notice.tsx'
import { type KeptForm, keptIn, ownPath } from '../frame/kept-form.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { SendAgainView } from './kept-view.tsx'
import { LoggedOutView, LoginView, LogOutView } from './login-view.tsx'

const NOT_YET = 'You are not logged in yet.'
const WRONG = 'Wrong user name or password.'

const { get, post } = routesWith<PagesContext>()

/** `/login` and `/log-out`: where a session begins and ends. */
export const loginPages = definePage([
  get(
    '/login',
    (context, c) => {
      const flash = context.pages.flash.take(c)
      return answerForm(context, c.req.raw, { next: c.req.query('next') ?? '', flash })
    },
    { caller: 'anybody' },
  ),
  post('/login', logIn, { caller: 'anybody', scope: 'read', audit: 'log-in' }),
  get(
    '/log-out',
    ({ pages, sessionCookie }, c) => {
      const frame = pages.frame(c.req.raw, null)
      if (sessionCookie.read(c.req.raw) !== null) {
        return pageResponse(<LogOutView frame={frame} />, 200, NO_STORE)
      }
      // The status makes a browser forget what it sends: nothing was refused.
      c.env.reason = 'no-credentials'
      const headers = { ...CHALLENGE, 'clear-site-data': '"cache"' }
      return pageResponse(<LoggedOutView frame={frame} />, 401, headers)
    },
    { caller: 'anybody' },
  ),
  post(
    '/log-out',
    async ({ pages, sessionCookie, identities: { sessions } }, c) => {
      const secret = sessionCookie.read(c.req.raw)
      const principal = secret === null ? null : await sessions.find(secret)
      if (secret !== null) await sessions.end(secret)
      if (principal !== null) c.env.principal = principal
      const headers = {
        location: principal === null ? pages.links.login() : loggedOut(pages, ''),
        'set-cookie': sessionCookie.clear(c.req.raw),
        'clear-site-data': '"cache"',
      }
      return new Response(null, { status: 303, headers })
    },
    { caller: 'anybody', scope: 'read', audit: 'log-out' },
  ),
])

/** The log-in after the end of a session, with a message: nobody is logged in there. */
export function loggedOut({ flash, links }: PagesContext['pages'], where: string): string {
  return links.login(flash.query(NOBODY, 'logged-out', where))
}

async function logIn(context: PagesContext, c: Context<RouteEnv>): Promise<Response> {
  const { pages, sessionCookie, keptForms } = context
  const { links } = pages
  const form = await keptForms.readLogIn(c.req.raw)
  const kept = keptIn(form, links.root())
  if (kept !== null && textField(form, 'step') === 'continue') return goOn(context, c, kept)
  const [username, password, next] = ['username', 'password', 'next'].map(
    (name) => textField(form, name) ?? '',
  )
  const given = { username: username ?? '', password: password ?? '' }
  const refused = { next: next ?? '', username: given.username, kept }
  const secret = await sessionByPassword(context, c, given)
  if (secret instanceof ServiceError) {
    c.env.reason = secret.code
    const problem = `${secret.message}.`
    return answerForm(context, c.req.raw, { ...refused, problem, status: statusOf(secret) })
  }
  if (secret === null) {
    c.env.reason = 'wrong-credentials'
    c.env.claimed = given.username
    return answerForm(context, c.req.raw, { ...refused, problem: WRONG, status: 403 })
  }
  if (kept !== null) return sendAgain(context, c, { kept, secret })
  const location = ownPath(refused.next, links.root()) ?? links.root()
  const cookie = sessionCookie.set(c.req.raw, secret)
  return new Response(null, { status: 303, headers: { location, 'set-cookie': cookie } })
}

/** A user who has logged in in another tab sees the form again in this one. */
async function goOn(
  context: PagesContext,
  c: Context<RouteEnv>,
  kept: KeptForm,
): Promise<Response> {
  const secret = context.sessionCookie.read(c.req.raw)
  const principal = secret === null ? null : await context.identities.sessions.find(secret)
  if (secret !== null && principal !== null) return sendAgain(context, c, { kept, secret })
  c.env.reason = 'no-credentials'
  return answerForm(context, c.req.raw, { next: '', kept, problem: NOT_YET, status: 401 })
}

/** The page with what was typed before the log-in; nothing sends it but the person. */
async function sendAgain(
  { pages, identities, sessionCookie }: PagesContext,
  c: Context<RouteEnv>,
  { kept, secret }: { readonly kept: KeptForm; readonly secret: string },
): Promise<Response> {
  const frame = pages.frame(c.req.raw, await identities.sessions.find(secret))
  const headers = { ...NO_STORE, 'set-cookie': sessionCookie.set(c.req.raw, secret) }
  return pageResponse(<SendAgainView frame={frame} kept={kept} />, 200, headers)
}

/** The form of a log-in in answer to a form that was sent without a session. */
export async function askToLogIn(context: PagesContext, request: Request): Promise<Response> {
  const kept = (await context.keptForms.keep(request)) ?? 'lost'
  return answerForm(context, request, { next: '', kept, status: 401 })
}

/** The cookie of a user who has just logged in; it replaces the session that the browser had. */
export async function beginSession(
  { identities: { sessions }, sessionCookie }: PagesContext,
  request: Request,
  principal: Principal,
): Promise<string> {
  const before = sessionCookie.read(request)
  if (before !== null) await sessions.end(before)
  return sessions.begin(principal)
}

/**
 * A session of the user with the password, null for a wrong one; a token begins none, which would have more
 * permissions than the token. A password that was changed while it was compared begins none either: it is
 * looked up again when the session is there, which a later change ends.
 */
async function sessionByPassword(
  context: PagesContext,
  c: Context<RouteEnv>,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<string | ServiceError | null> {
  const { credentials, sessions } = context.identities
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  try {
    const principal = await credentials.check(basic, c.env.address)
    if (principal === null || principal.credential !== undefined) return null
    const secret = await beginSession(context, c.req.raw, principal)
    if ((await credentials.recheck(basic, 'now')) !== null) {
      c.env.principal = principal
      return secret
    }
    await sessions.end(secret)
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

export interface FormState {
  readonly next: string
  readonly username?: string
  readonly status?: number
  readonly flash?: FlashMessage | null
  /** Why the last attempt was refused. */
  readonly problem?: string
  readonly kept?: KeptForm | 'lost' | null
}

export function answerForm(
  { pages, identities: { oidc } }: PagesContext,
  request: Request,
  { next, username = '', status = 200, flash = null, problem, kept = null }: FormState,
): Promise<Response> {
  const frame = pages.frame(request, null)
  const address = `${pages.originOf(request)}${pages.links.oidcLogin({ next })}`
  const provider = oidc && { name: oidc.name, address }
  const view = { frame, next, username, flash, problem: problem ?? null, provider, kept }
  return pageResponse(<LoginView {...view} />, status, NO_STORE)
}
