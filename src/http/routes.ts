import { type Context, Hono, type Next } from 'hono'
import type { H } from 'hono/types'
import { TrieRouter } from 'hono/router/trie-router'
import { ServiceError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { innerPath, type RouteEnv } from './door.ts'
import type { Exchange } from './exchange.ts'
import { type AnswerFailure, type Failure, failure, failureOf } from './failure.ts'
import { outageOf } from './outage.ts'

export interface RoutesOptions {
  readonly basePath: string
  readonly log: Log
  readonly parts: readonly Hono<RouteEnv>[]
  readonly answerFailure: AnswerFailure
}

/** All routes as one function: composed once, with the answers for what is not there and what went wrong. */
export function composeRoutes(options: RoutesOptions) {
  const app = new Hono<RouteEnv>({ getPath: (request) => innerPath(request, options.basePath) })
  for (const { method, path, handler } of options.parts.flatMap(({ routes }) => routes)) {
    app.on(method, path, noting(`${method} ${path}`, handler))
  }
  const allowed = methodTable(app)
  const answer = (c: Context<RouteEnv>, given: Failure) =>
    options.answerFailure(c.req.raw, given, c.env.principal)
  app.notFound((c) => {
    const methods = allowed(innerPath(c.req.raw, options.basePath))
    if (methods.length === 0) return answer(c, failure(404, 'There is nothing at this address'))
    const taken = methods.join(', ')
    const message = `${c.req.method} is not among the methods of this address: ${taken}`
    return answer(c, failure(405, message, { allow: taken }))
  })
  app.onError((error, c) => {
    c.env.reason = error instanceof ServiceError ? error.code : 'bug'
    if (error instanceof ServiceError) return answer(c, failureOf(error))
    const { method, path } = c.req
    const facts = { request: c.env.id, method, path, error: error.stack ?? String(error) }
    options.log({ level: 'error', message: 'A request failed', facts })
    const outage = outageOf(error)
    if (outage === null) return answer(c, failure(500, 'Internal server error'))
    c.env.reason = 'unavailable'
    return answer(c, failure(503, outage))
  })
  return (request: Request, exchange: Exchange) => app.fetch(request, exchange)
}

/** The same handler; the request is known by its route from then on. */
function noting(route: string, handler: H<RouteEnv>): H<RouteEnv> {
  return (c: Context<RouteEnv>, next: Next) => {
    c.env.route = route
    return handler(c, next)
  }
}

/** Which methods an address takes, for 405 answers. */
function methodTable(app: Hono<RouteEnv>): (path: string) => string[] {
  const router = new TrieRouter<string>()
  for (const { method, path } of app.routes) router.add(method, path, method)
  const methods = [...new Set(app.routes.map(({ method }) => method))]
  return (path) => {
    const taken = methods.filter((method) => router.match(method, path)[0].length > 0)
    return taken.includes('GET') ? [...taken, 'HEAD'] : taken
  }
}
