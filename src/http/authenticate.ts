import { ServiceError } from '../core/errors.ts'
import { isSamePrincipal, type Principal } from '../core/principal.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import { type AnswerFailure, answerInJson, failure, failureOf } from './failure.ts'
import { decideAfterBody, hasBody } from './request-body.ts'
import type { CallCredential, RequestContext } from './request-context.ts'

export interface AuthenticateOptions {
  readonly hosts: AllowedHosts
  readonly credentials: {
    remembered(authorization: string): Principal | null
    check(authorization: string | undefined, address: string): Promise<Principal | null>
    /** Looks up accepted credentials again; null when they are no longer valid. */
    recheck(authorization: string, seen: 'recently' | 'now'): Promise<Principal | null>
  }
  /** The public origin of the service, as configured by the operator; null when it is not. */
  readonly publicOrigin: string | null
  /** A session that a browser shows, as a credential; undefined for none. */
  readonly sessionOf: (request: Request) => string | undefined
  readonly isForPage: (request: Request) => boolean
  /** Where people log in. */
  readonly loginAddress: string
  /** Answers a form of a page that was sent without a session. */
  readonly askToLogIn: (request: Request) => Promise<Response>
  /** Whether the path, without base, needs no user: health, and calls with a token of their own. */
  readonly isPublic: (path: string, request: Request) => boolean
  /** Whether a public path answers more to a user, who may be named by credentials. */
  readonly isForUsersToo: (path: string) => boolean
  readonly answerFailure: AnswerFailure
  /** Handles an authenticated request. */
  readonly answer: (request: Request, context: RequestContext) => Response | Promise<Response>
}

export const CHALLENGE = { 'www-authenticate': 'Basic realm="cairn"' }
const FOREIGN_HOST = failure(
  421,
  'This server is not known by that host name: --public-url or --allowed-hosts has to name it',
)
const FORGED = failure(403, 'A request from another site may not change anything')
const REVOKED = 'The credentials are no longer good, or stand for other rights by now'
/** Names rules that the caller passes by an override, with commas between them. */
const OVERRIDE = 'x-cairn-override'
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Lets a request in when its host, origin and credentials are valid. It wraps the routes rather
 * than being a middleware, so that a known caller costs one look-up.
 */
export function authenticate(options: AuthenticateOptions) {
  return (request: Request, context: RequestContext): Response | Promise<Response> => {
    const { path } = context
    if (!isProbe(path) && !options.hosts.includes(request.headers.get('host') ?? undefined)) {
      context.reason = 'foreign-host'
      return answerInJson(request, FOREIGN_HOST, context)
    }
    const given = request.headers.get('authorization')
    const authorization = given ?? options.sessionOf(request)
    const hasSession = given === null && authorization !== undefined
    if (isForged(request, { hasSession, publicOrigin: options.publicOrigin })) {
      context.reason = 'forged'
      return options.answerFailure(request, FORGED, context)
    }
    const known = authorization === undefined ? null : options.credentials.remembered(authorization)
    if (options.isPublic(path, request)) {
      if (authorization === undefined || !options.isForUsersToo(path)) {
        return options.answer(request, context)
      }
      return identify(options, request, { authorization, context })
    }
    if (!known || authorization === undefined)
      return admit(options, request, { authorization, context })
    return letIn(options, request, { authorization, principal: known, context })
  }
}

/** Answers a known caller while the credentials are valid. */
function letIn(
  { credentials, answer }: AuthenticateOptions,
  request: Request,
  caller: { authorization: string; principal: Principal; context: RequestContext },
): Response | Promise<Response> {
  const { authorization, principal, context } = caller
  context.principal = withOverrides(principal, request)
  const credential = credentialOf(credentials, authorization, principal)
  context.credential = credential
  if (!SAFE_METHODS.includes(request.method)) {
    const assertStillGood = () => credential.assertGood('now')
    context.principal = { ...context.principal, assertStillGood }
    if (hasBody(request)) decideAfterBody(request, () => context.decide())
  }
  return answer(request, context)
}

/** The caller with the rules that this call asks to pass. */
function withOverrides(principal: Principal, { headers }: Request): Principal {
  const named = headers.get(OVERRIDE)
  if (named === null) return principal
  const overrides = named.split(',').map((rule) => rule.trim())
  return { ...principal, overrides }
}

/** The credential of a call. The same one with other rights counts as another. */
function credentialOf(
  credentials: AuthenticateOptions['credentials'],
  authorization: string,
  principal: Principal,
): CallCredential {
  let isGone = false
  return {
    get isGone() {
      return isGone
    },
    assertGood: async (seen) => {
      const now = await credentials.recheck(authorization, seen)
      if (now !== null && isSamePrincipal(now, principal)) return
      isGone = true
      throw new ServiceError('not-authorized', REVOKED, { permission: 'call' })
    },
  }
}

/** Probes of load balancers use any host name; their answers are no secret. */
function isProbe(path: string): boolean {
  return path === '/health' || path.startsWith('/health/')
}

/** Wrong or too many credentials count as none where none are needed. */
async function identify(
  { credentials, answer }: AuthenticateOptions,
  request: Request,
  { authorization, context }: { authorization: string; context: RequestContext },
): Promise<Response> {
  const principal = await checked(credentials, authorization, context)
  if (principal !== null && !(principal instanceof ServiceError)) context.principal = principal
  return answer(request, context)
}

async function admit(
  options: AuthenticateOptions,
  request: Request,
  given: { authorization: string | undefined; context: RequestContext },
): Promise<Response> {
  const { credentials, answerFailure } = options
  const { authorization, context } = given
  const principal = await checked(credentials, authorization, context)
  if (principal instanceof ServiceError) {
    context.reason = principal.code
    return answerFailure(request, failureOf(principal), context)
  }
  if (principal && authorization !== undefined)
    return letIn(options, request, { authorization, principal, context })
  const isAnonymous = !request.headers.has('authorization')
  context.reason = isAnonymous ? 'no-credentials' : 'wrong-credentials'
  if (isAnonymous && isNavigation(options, request)) return toLogin(options, request)
  const message = isAnonymous ? 'Credentials are needed' : 'The credentials are wrong'
  const headers = isAnonymous && isScript(request) ? {} : CHALLENGE
  return answerFailure(request, failure(401, message, headers), context)
}

/** Whether a browser navigates to a page: programs get a challenge instead, as they expect. */
function isNavigation({ isForPage }: AuthenticateOptions, request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html') && isForPage(request)
}

/** Whether a script of a page calls: a challenge would open the browser's password dialog. */
function isScript({ headers }: Request): boolean {
  return headers.has('sec-fetch-site') && headers.get('sec-fetch-mode') !== 'navigate'
}

/** Redirects to the page after the log-in; a form has to be submitted again by the user. */
function toLogin(
  { loginAddress, askToLogIn }: AuthenticateOptions,
  request: Request,
): Response | Promise<Response> {
  if (!SAFE_METHODS.includes(request.method)) return askToLogIn(request)
  const { pathname, search } = new URL(request.url)
  const next = shortNext(`${pathname}${search}`)
  const location = `${loginAddress}?next=${encodeURIComponent(next)}`
  const headers = { location, 'cache-control': 'no-store' }
  return new Response(null, { status: 303, headers })
}

/** The caller, or the error that refused the check. */
async function checked(
  credentials: AuthenticateOptions['credentials'],
  authorization: string | undefined,
  { address }: RequestContext,
): Promise<Principal | ServiceError | null> {
  try {
    return await credentials.check(authorization, address)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

/**
 * Whether the browser names another site as the origin. Such a request must not use the credentials
 * of the user. Programs name no origin, and send credentials only on purpose; a session belongs to
 * a browser, so it is refused without an origin.
 */
function isForged(
  request: Request,
  own: { readonly hasSession: boolean; readonly publicOrigin: string | null },
): boolean {
  const { method, headers } = request
  if (SAFE_METHODS.includes(method)) return false
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const said = headers.get('origin') ?? headers.get('referer')
  return said === null ? own.hasSession : !isOwnOrigin(said, request, own.publicOrigin)
}

/**
 * Whether an address belongs to this service, as the request names it. When users reach it by TLS,
 * a page without TLS belongs to another site: it may have been modified on the way.
 */
function isOwnOrigin(
  address: string,
  { headers, url }: Request,
  publicOrigin: string | null,
): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host } = new URL(address)
  const isSecure =
    publicOrigin === `https://${host}` || /^https\b/.test(headers.get('x-forwarded-proto') ?? '')
  const asked = headers.get('host') ?? new URL(url).host
  const own = asked.replace(protocol === 'https:' ? /:443$/ : /:80$/, '')
  return host === own && (protocol === 'https:' || !isSecure)
}

/**
 * The limit of the address to return to after a log-in, in bytes: it has to fit into a cookie, and
 * into an address.
 */
const MAX_NEXT_BYTES = 1_500

/**
 * An address to which a log-in leads, without its query where that makes it too long; empty where it is
 * too long without, which leads to the start page.
 */
export function shortNext(next: string): string {
  const [path = ''] = next.split('?')
  return [next, path].find((each) => Buffer.byteLength(each) <= MAX_NEXT_BYTES) ?? ''
}
