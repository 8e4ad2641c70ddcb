import type { Context, Hono } from 'hono'
import { conditionalGets } from '../../http/conditional-get.ts'
import type { AnswerRequest, RouteEnv } from '../../http/request-context.ts'
import { type Leadable, mountRoutes, perLeader } from './mount-routes.ts'
import type { Operation } from './operation.ts'
import type { RouteRules } from './route-rules.ts'

/** The facts about one call that are known before it is made. */
export interface RouteFacts extends RouteRules, Operation {
  readonly tag: string
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
export interface ApiResource<Services> {
  readonly routes: readonly RouteFacts[]
  /** The routes of one service. A request that this server cannot answer is answered elsewhere. */
  mount(services: Services, elsewhere: AnswerRequest): Hono<RouteEnv>
}

interface ResourceDefinition<Services, State> {
  readonly routes: readonly Route<State>[]
  /** Makes what the handlers of one service share, such as a cache. */
  readonly open: (services: Services) => State
  /** Whether answers to reads get an ETag as they leave. */
  readonly conditional?: boolean
}

/** Routes that every server answers by itself, but those that say otherwise. */
export function resource<Services extends Leadable<unknown>, State>({
  routes,
  open,
  conditional = false,
}: ResourceDefinition<Services, State>): ApiResource<Services> {
  return {
    routes,
    mount: (services, elsewhere) => {
      const state = open(services)
      const app = mountRoutes(routes, { services, elsewhere, stateNow: () => state })
      return conditional ? conditionalGets(app) : app
    },
  }
}

/** Routes that the leader answers. */
export function leaderResource<Led extends object, State>({
  routes,
  open,
  conditional = false,
}: ResourceDefinition<Led, State>): ApiResource<Leadable<Led>> {
  const led = routes.map((route) => ({ ...route, needs: 'leader' as const }))
  return {
    routes: led,
    mount: (services, elsewhere) => {
      const stateNow = perLeader(services, open)
      const app = mountRoutes(led, { services, elsewhere, stateNow })
      return conditional ? conditionalGets(app) : app
    },
  }
}
