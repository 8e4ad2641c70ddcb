import { type Context, Hono } from 'hono'
import { ServiceError, unavailable } from '../../core/errors.ts'
import { hasBody } from '../../http/request-body.ts'
import type {
  AnswerRequest,
  AnsweringRoute,
  RequestContext,
  RouteEnv,
} from '../../http/request-context.ts'
import { memoize } from '../../lib/memoize.ts'
import { type Needs, QUIET, type RouteRules } from './route-rules.ts'
import { assertScope } from '../../core/assert-scope.ts'
import type { TokenScope } from '../../core/principal.ts'
import type { CallerKind } from './operation.ts'

/** Callers whose calls are about builds. */
const OPERATORS: readonly CallerKind[] = ['operator', 'approver']
/** The calls that are about agents. */
const AGENTS = 'Agents'
/** The scope that a token needs, and the error when it is missing: as for a user without the right. */
interface TokenNeed {
  readonly scope: TokenScope
  readonly refusal: 'not-permitted' | 'not-authorized'
}

/** A server that leads at times. */
export interface Leadable<Led> {
  /** The services of the leader while this server leads, and null while another one does. */
  readonly leader: () => Led | null
}

interface Handled<State> extends RouteRules {
  handle(c: Context<RouteEnv>, state: State): Response | Promise<Response>
}

interface Mounting<State> {
  readonly services: Leadable<unknown>
  /** Answers a request that needs the leader while another server leads. */
  readonly elsewhere: AnswerRequest
  readonly stateNow: () => State
}

/**
 * Routes as one server answers them: by itself, or by way of the leader. A token has to be good for the
 * route either way.
 */
export function mountRoutes<State>(
  routes: readonly Handled<State>[],
  { services, elsewhere, stateNow }: Mounting<State>,
): Hono<RouteEnv> {
  const app = new Hono<RouteEnv>()
  for (const route of routes) {
    const { method, path, isHeld = false, needs, ignoresBody = false } = route
    const answering = answeringRoute(route)
    const scopeNeed = { ...tokenNeedOf(route), what: 'this' }
    const here = (c: Context<RouteEnv>) => {
      const handle = () => route.handle(c, stateNow())
      const isToDecide = method !== 'GET' && (ignoresBody || !hasBody(c.req.raw))
      return isToDecide ? decided(c.env, handle) : handle()
    }
    app.on(method, path, (c) => {
      c.env.route = answering
      assertScope(c.env.principal, scopeNeed)
      if (isHeld) c.env.endWithCaller()
      if (services.leader() !== null || !isNeeded(needs, c.req.raw)) return here(c)
      return needs === 'leader-if-reachable'
        ? orHere(c, elsewhere, here)
        : elsewhere(c.req.raw, c.env)
    })
  }
  return app
}

/** Carries out a call that waits for no body, if its credential is still good: it may have been remembered. */
function decided(
  context: RequestContext,
  handle: () => Response | Promise<Response>,
): Response | Promise<Response> {
  if (context.credential === null || context.isDecided) return handle()
  return context.decide().then(handle)
}

function answeringRoute({ method, path, audit, isHeld = false }: RouteRules): AnsweringRoute {
  const name = `${method} ${path}`
  return {
    name,
    action: typeof audit === 'string' ? audit : name,
    isQuiet: audit === QUIET,
    acts: method !== 'GET' || typeof audit === 'string',
    isHeld,
  }
}

/** The state of routes that the leader answers, opened anew whenever this server becomes the leader. */
export function perLeader<Led extends object, State>(
  { leader }: Leadable<Led>,
  open: (led: Led) => State,
): () => State {
  const stateOf = memoize(open)
  return () => stateOf(leadingNow(leader()))
}

/**
 * The services of the leader, for a request that was not forwarded because this server leads.
 *
 * @throws {ServiceError} `unavailable` when it has just ceased to.
 */
export function leadingNow<Led>(led: Led | null): Led {
  if (led === null) throw unavailable('This server is not the leader any more')
  return led
}

function isNeeded(needs: Needs | undefined, request: Request): boolean {
  return typeof needs === 'function' ? needs(request) : needs !== undefined
}

/** The answer of the leader, or that of this server when the leader cannot be reached. */
async function orHere(
  c: Context<RouteEnv>,
  elsewhere: AnswerRequest,
  here: (c: Context<RouteEnv>) => Response | Promise<Response>,
): Promise<Response> {
  const { route } = c.env
  try {
    return await elsewhere(c.req.raw, c.env)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error
    c.env.route = route
    return here(c)
  }
}

/** The scope that a token needs for a route, and its refusal. */
function tokenNeedOf(route: RouteRules): TokenNeed {
  const is401 = route.errors?.includes('not-authorized') === true
  return { scope: scopeOf(route), refusal: is401 ? 'not-authorized' : 'not-permitted' }
}

function scopeOf({ method, caller, tag, scope }: RouteRules): TokenScope {
  if (scope !== undefined) return scope
  if (method === 'GET') return 'read'
  return OPERATORS.includes(caller) || tag === AGENTS ? 'operate' : 'admin'
}
