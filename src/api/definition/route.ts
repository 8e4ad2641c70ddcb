import { type Context, Hono } from 'hono'
import { conditionalGets } from '../../http/conditional-get.ts'
import type { TokenScope } from '../../core/principal.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import type { Operation } from './operation.ts'

/** The audit name of a call that changes nothing an operator answers for: noted only when refused. */
export const QUIET = Symbol('quiet')
export type AuditName = string | typeof QUIET

/** The facts about one call that are known before it is made. */
export interface RouteFacts extends Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A pattern of Hono: `/api/agents/:uuid/enable`. */
  readonly path: string
  /** The name of the action in the audit log; method and pattern when absent. */
  readonly audit?: AuditName
  /** Whether a call that needs no user answers more to one who logs in. */
  readonly knowsUsers?: boolean
  /** Whether the answer is held until there is something to say, and ends with a caller that goes away. */
  readonly isHeld?: boolean
  /** The scope that a token needs, when `api/token-scopes.ts` does not derive it. */
  readonly scope?: TokenScope
}

/** One call: what its callers can know of it, and the handler, which gets the state of its resource. */
export interface Route<State> extends RouteFacts {
  handle(c: Context<RouteEnv>, state: State): Response | Promise<Response>
}

type Definition<State, Path extends string> = RouteFacts & {
  readonly path: Path
  readonly handle: (c: Context<RouteEnv, Path>, state: State) => Response | Promise<Response>
}

/** Defines the routes of a resource one by one, so that handlers know the parameters of their paths. */
export function routeWith<State>() {
  return <const Path extends string>(route: Definition<State, Path>): Route<State> => route
}

/** Routes that belong together. */
export interface ApiResource<Options> {
  readonly routes: readonly RouteFacts[]
  /** The routes of one service. */
  mount(options: Options): Hono<RouteEnv>
}

interface ResourceDefinition<Options, State> {
  readonly routes: readonly Route<State>[]
  /** Makes what the handlers of one service share, such as a cache. */
  readonly open: (options: Options) => State
  /** Whether answers to reads get an ETag as they leave. */
  readonly conditional?: boolean
}

export function resource<Options, State>({
  routes,
  open,
  conditional = false,
}: ResourceDefinition<Options, State>): ApiResource<Options> {
  return {
    routes,
    mount: (options) => {
      const state = open(options)
      const app = new Hono<RouteEnv>()
      for (const route of routes) {
        app.on(route.method, route.path, (c) => {
          if (route.isHeld) c.env.endWithCaller()
          return route.handle(c, state)
        })
      }
      return conditional ? conditionalGets(app) : app
    },
  }
}

/** The name of a route in counts, logs and the description: its method and pattern. */
export function nameOf({ method, path }: Pick<RouteFacts, 'method' | 'path'>): string {
  return `${method} ${path}`
}
