import { type Context, Hono } from 'hono'
import { needsDuties } from '../api/configuration/config-saving-routes.ts'
import { ON_EVERY_SERVER, RESOURCES } from '../api/resources.ts'
import type { RouteFacts } from '../api/definition/route.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { ServiceError } from '../core/errors.ts'
import { MIN_SEQUENCE } from '../http/at-least.ts'
import { forward, FORWARDED, NoAnswer } from '../http/forward.ts'
import { type RequestContext, type RouteEnv, SEQUENCE } from '../http/request-context.ts'
import type { Log } from '../lib/log.ts'
import { PLANNING_PAGES } from '../pages/planning-pages.ts'
import type { AnswerRequest } from './routes.ts'

export interface Duties {
  readonly cluster: Pick<Cluster, 'leader' | 'sequence' | 'waitFor'>
  readonly log: Log
}

/** Seconds after which a caller may ask again. */
const AGAIN = 1

const NOBODY_HAS_THEM = 'No server runs builds at the moment: another one takes over within seconds'
/** Milliseconds for which somebody who is sent on is kept waiting. */
const CATCH_UP_TIMEOUT_MS = 5_000
/** Leaders that did not answer: each is logged once. */
const silent = new WeakSet<AbortSignal>()

const UNREACHABLE = 'The server that runs builds does not answer'
const UNKNOWN = `${UNREACHABLE}: whether this was done is known when it does`
const SAFE: readonly string[] = ['GET', 'HEAD']

/** Forwards the routes of the leader, and all paths without a route on this server. */
export function dutiesOf(duties: Duties): {
  readonly routes: Hono<RouteEnv>
  readonly answer: AnswerRequest
} {
  const answer: AnswerRequest = async (request, context) => {
    const answered = await answerElsewhere(duties, request, context)
    context.isAnsweredElsewhere = true
    if (answered.headers.has('location')) await catchUp(duties, answered)
    return answered
  }
  const routes = new Hono<RouteEnv>()
  const handle = (c: Context<RouteEnv>) => answer(c.req.raw, c.env)
  for (const { method, path, isHeld } of listForwarded()) {
    routes.on(method, path, (c) => {
      if (isHeld) c.env.endWithCaller()
      return handle(c)
    })
  }
  for (const path of PLANNING_PAGES) routes.on(['GET', 'POST'], path, handle)
  return { routes, answer }
}

/** A call of a route of this server may still need the duties. */
export function unlessNeeded(answer: AnswerRequest, elsewhere: AnswerRequest): AnswerRequest {
  return (request, context) =>
    needsDuties(request) ? elsewhere(request, context) : answer(request, context)
}

/** The same routes for when nobody answers elsewhere. They only read. */
export function unlessAnswered(part: Hono<RouteEnv>, elsewhere: AnswerRequest): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>()
  for (const { method, path, handler } of part.routes) {
    routes.on(method, path, async (c, next) => {
      const { route } = c.env
      try {
        return await elsewhere(c.req.raw, c.env)
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error
        c.env.route = route
        return handler(c, next)
      }
    })
  }
  return routes
}

function listForwarded(): readonly RouteFacts[] {
  const own = new Set(ON_EVERY_SERVER.flatMap(({ routes }) => routes))
  return RESOURCES.flatMap(({ routes }) => routes).filter((route) => !own.has(route))
}

/** The leader is at least as far in the log as this server when it answers. */
async function answerElsewhere(
  { cluster, log }: Duties,
  request: Request,
  context: RequestContext,
): Promise<Response> {
  // The server that answers counts the call and notes it in its audit log.
  context.route = ''
  const leader = cluster.leader()
  if (leader === null || request.headers.has(FORWARDED)) throw notNow(NOBODY_HAS_THEM)
  const wanted = Number(request.headers.get(MIN_SEQUENCE) ?? 0)
  const headers = { [MIN_SEQUENCE]: String(Math.max(wanted, cluster.sequence())) }
  try {
    // No call has a limit of its own: some wait there as long as they like.
    const gone = AbortSignal.any([leader.gone, leader.silence])
    return await forward(request, context, { address: leader.address, gone, headers })
  } catch (error) {
    if (request.signal.aborted) throw error
    if (!silent.has(leader.gone)) {
      silent.add(leader.gone)
      const facts = { address: leader.address, error: String(error) }
      log({ level: 'warning', message: 'The leader does not answer', facts })
    }
    const wasReached = error instanceof NoAnswer && error.wasReached
    throw notNow(wasReached && !SAFE.includes(request.method) ? UNKNOWN : UNREACHABLE)
  }
}

/**
 * Waits for the log: after a redirect the browser asks this server, which may not have applied the
 * save yet.
 */
async function catchUp({ cluster }: Duties, { headers }: Response): Promise<void> {
  await cluster.waitFor(Number(headers.get(SEQUENCE) ?? 0), CATCH_UP_TIMEOUT_MS)
}

function notNow(message: string): ServiceError {
  return new ServiceError('unavailable', message, { reason: message, retryAfter: AGAIN })
}
