import { type Context, Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { ServiceError } from '../core/errors.ts'
import { outageOf } from '../core/faults.ts'
import { clientGone } from '../http/errors.ts'
import type { Log } from '../lib/log.ts'
import type { AnswerRequest, RouteEnv } from '../http/request-context.ts'
import { type AnswerFailure, type Failure, failure, failureOf } from '../http/failure.ts'

export interface RoutesOptions {
  readonly log: Log
  readonly parts: readonly Hono<RouteEnv>[]
  /** Answers what no route does. */
  readonly otherwise: AnswerRequest
  readonly answerFailure: AnswerFailure
}

/** All routes as one function: composed once, with the answers for what went wrong. */
export function composeRoutes(options: RoutesOptions): AnswerRequest {
  const app = new Hono<RouteEnv>({
    getPath: (_, given) => given?.env?.path ?? '/',
    router: new PathRouter(),
  })
  for (const { method, path, handler } of options.parts.flatMap(({ routes }) => routes)) {
    app.on(method, path, handler)
  }
  const answer = (c: Context<RouteEnv>, given: Failure) =>
    options.answerFailure(c.req.raw, given, c.env)
  app.notFound((c) => options.otherwise(c.req.raw, c.env))
  app.onError((thrown, c) => {
    const error = c.env.isOfClient(thrown) ? clientGone() : thrown
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
  return (request, context) => app.fetch(request, context)
}

/** Answers paths without a route, and methods that a path lacks. */
export function refusing({
  parts,
  answerFailure,
}: Pick<RoutesOptions, 'parts' | 'answerFailure'>): AnswerRequest {
  const allowed = methodTable(parts.flatMap(({ routes }) => routes))
  return (request, context) => {
    const answer = (given: Failure) => answerFailure(request, given, context)
    const methods = allowed(context.path)
    if (methods.length === 0) return answer(failure(404, 'There is nothing at this address'))
    const taken = methods.join(', ')
    const message = `This address takes ${taken}, not ${request.method}`
    return answer(failure(405, message, { allow: taken }))
  }
}

/** Whether a path is that of a route, by whatever method. */
export function matcherOf(parts: readonly Hono<RouteEnv>[]): (path: string) => boolean {
  const methods = methodTable(parts.flatMap(({ routes }) => routes))
  return (path) => methods(path).length > 0
}

/** Finds the methods that an address takes, for 405 answers. */
function methodTable(
  routes: readonly { readonly method: string; readonly path: string }[],
): (path: string) => string[] {
  const router = new TrieRouter<string>()
  for (const { method, path } of routes) router.add(method, path, method)
  const methods = [...new Set(routes.map(({ method }) => method))]
  return (path) => {
    const taken = methods.filter((method) => router.match(method, path)[0].length > 0)
    return taken.includes('GET') ? [...taken, 'HEAD'] : taken
  }
}

/** Characters that no path without parameters has. */
const PATTERN = /[:*?{]/

/**
 * Looks up paths without parameters, and leaves the others to routers of Hono, one for each first part of a
 * path. The quick router refuses all patterns where it cannot tell two of them apart, and the slow one adds 6
 * to 18 % to a cached answer, whose cost has a bound.
 */
export class PathRouter<T> implements Router<T> {
  readonly name = 'PathRouter'
  readonly #fixed = new Map<string, Map<string, Result<T>>>()
  readonly #patterns = new Map<string, SmartRouter<T>>()

  add(method: string, path: string, handler: T): void {
    if (PATTERN.test(path)) {
      this.#patternsBelow(firstPartOf(path)).add(method, path, handler)
      return
    }
    const paths = this.#fixed.get(method) ?? new Map<string, Result<T>>()
    this.#fixed.set(method, paths.set(path, [[[handler, {}]]]))
  }

  match(method: string, path: string): Result<T> {
    const fixed = this.#fixed.get(method)?.get(path)
    return fixed ?? this.#patterns.get(firstPartOf(path))?.match(method, path) ?? [[]]
  }

  #patternsBelow(part: string): SmartRouter<T> {
    if (PATTERN.test(part)) throw new RangeError(`A route begins with a pattern: ${part}`)
    const known = this.#patterns.get(part)
    if (known !== undefined) return known
    const patterns = new SmartRouter<T>({ routers: [new RegExpRouter(), new TrieRouter()] })
    this.#patterns.set(part, patterns)
    return patterns
  }
}

/** `/api` of `/api/agents`. */
function firstPartOf(path: string): string {
  const end = path.indexOf('/', 1)
  return end < 0 ? path : path.slice(0, end)
}
