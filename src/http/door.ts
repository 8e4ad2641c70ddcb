import { getPath } from 'hono/utils/url'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import { type AnswerFailure, answerInJson, failure, failureOf } from './failure.ts'
import type { Exchange } from './exchange.ts'

/** The environment of every route: what is known of its request besides the request itself. */
export interface RouteEnv {
  readonly Bindings: Exchange
}

export interface DoorOptions {
  readonly basePath: string
  readonly hosts: AllowedHosts
  readonly credentials: {
    remembered(authorization: string): Principal | null
    check(authorization: string | undefined, address: string): Promise<Principal | null>
  }
  /** Whether the path, without base, is answered without a user: health, and calls with a token of their own. */
  readonly isPublic: (path: string, request: Request) => boolean
  /** Whether a public path has more to say to a user, whom credentials may name. */
  readonly isForUsersToo: (path: string) => boolean
  readonly answerFailure: AnswerFailure
  readonly routes: (request: Request, exchange: Exchange) => Response | Promise<Response>
}

export const CHALLENGE = { 'www-authenticate': 'Basic realm="cairn"' }
const FOREIGN_HOST = failure(
  421,
  'This server is not known by that host name: --public-url or --allowed-hosts has to name it',
)
const FORGED = failure(403, 'A request from another site may not change anything')
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Lets a request in: credentials first, routes after. It is a function around the routes and not
 * a middleware, so that a known caller costs one look-up.
 */
export function openDoor(options: DoorOptions) {
  return (request: Request, exchange: Exchange): Response | Promise<Response> => {
    const path = innerPath(request, options.basePath)
    if (!isProbe(path) && !options.hosts.includes(request.headers.get('host') ?? undefined)) {
      exchange.reason = 'foreign-host'
      return answerInJson(request, FOREIGN_HOST, null)
    }
    const authorization = request.headers.get('authorization') ?? undefined
    const known = authorization === undefined ? null : options.credentials.remembered(authorization)
    if (options.isPublic(path, request)) {
      if (authorization === undefined || !options.isForUsersToo(path)) {
        return options.routes(request, exchange)
      }
      return welcome(options, request, { authorization, exchange })
    }
    if (isForged(request)) {
      exchange.reason = 'forged'
      return options.answerFailure(request, FORGED, null)
    }
    if (!known) return admit(options, request, { authorization, exchange })
    exchange.principal = known
    return options.routes(request, exchange)
  }
}

/** Probes of load balancers name the service as they like; what they are answered is no secret. */
function isProbe(path: string): boolean {
  return path === '/health' || path.startsWith('/health/')
}

/** The path without base path and trailing slashes; outside the base path, one that nothing matches. */
export function innerPath(request: Request, basePath: string): string {
  const path = getPath(request)
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return '/\0outside'
  const inner = path.slice(basePath.length)
  return inner.endsWith('/') ? inner.replace(/\/+$/, '') || '/' : inner || '/'
}

/** Wrong credentials, and too many of them, are as good as none where nobody needs any. */
async function welcome(
  { credentials, routes }: DoorOptions,
  request: Request,
  { authorization, exchange }: { authorization: string; exchange: Exchange },
): Promise<Response> {
  const principal = await checked(credentials, authorization, exchange)
  if (principal !== null && !(principal instanceof ServiceError)) exchange.principal = principal
  return routes(request, exchange)
}

async function admit(
  { credentials, routes, answerFailure }: DoorOptions,
  request: Request,
  given: { authorization: string | undefined; exchange: Exchange },
): Promise<Response> {
  const { authorization, exchange } = given
  const principal = await checked(credentials, authorization, exchange)
  if (principal instanceof ServiceError) {
    exchange.reason = principal.code
    return answerFailure(request, failureOf(principal), null)
  }
  if (principal) {
    exchange.principal = principal
    return routes(request, exchange)
  }
  const isAnonymous = authorization === undefined
  exchange.reason = isAnonymous ? 'no-credentials' : 'wrong-credentials'
  const message = isAnonymous ? 'Credentials are needed' : 'The credentials are wrong'
  return answerFailure(request, failure(401, message, CHALLENGE), null)
}

/** Who the caller is, or why that is not looked at now. */
async function checked(
  credentials: DoorOptions['credentials'],
  authorization: string | undefined,
  { address }: Exchange,
): Promise<Principal | ServiceError | null> {
  try {
    return await credentials.check(authorization, address)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

/**
 * A browser says where a request comes from; another site's may not act with the user's credentials.
 * Programs say nothing of the kind, and carry credentials only on purpose.
 */
function isForged(request: Request): boolean {
  if (SAFE_METHODS.includes(request.method)) return false
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = request.headers.get('origin')
  return origin !== null && hostOf(origin) !== request.headers.get('host')
}

/** The host and port of an origin; empty for the origin of a page that has none. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : ''
}
