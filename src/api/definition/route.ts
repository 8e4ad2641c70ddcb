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

/** The facts about a call that the types of a client follow from. */
export interface CallType {
  readonly method: RouteFacts['method']
  readonly path: string
  readonly answers: Operation['answers']
}

/** A route that keeps the types of its call. */
type TypedRoute<State, Call extends CallType> = Omit<Route<State>, keyof CallType> & Call

type Definition<State, Call extends CallType> = Omit<RouteFacts, 'tag'> &
  Partial<Pick<RouteFacts, 'tag'>> &
  Call & {
    readonly handle: (
      c: Context<RouteEnv, Call['path']>,
      state: State,
    ) => Response | Promise<Response>
  }

/** Defines routes under a tag one by one, so that handlers know the parameters of their paths. */
export function routeWith<State>(tag: string) {
  return <
    const Path extends string,
    const Method extends RouteFacts['method'],
    const Answers extends Operation['answers'],
  >(
    route: Definition<State, { method: Method; path: Path; answers: Answers }>,
  ): TypedRoute<State, { method: Method; path: Path; answers: Answers }> => ({
    tag,
    ignoresBody: route.body === undefined,
    ...route,
  })
}

/** Routes that belong together, and the types of their calls. */
export interface ApiResource<Services, Call extends CallType = CallType> {
  readonly routes: readonly (RouteFacts & CallType)[]
  /** Never there: the type of the calls that the routes answer. */
  readonly call?: Call
  /** The routes of one service. A request that this server cannot answer is answered elsewhere. */
  mount(services: Services, elsewhere: AnswerRequest): Hono<RouteEnv>
}

interface ResourceDefinition<Services, State, Routes> {
  readonly routes: Routes
  /** Makes what the handlers of one service share, such as a cache. */
  readonly open: (services: Services) => State
  /** Whether answers to reads get an ETag as they leave. */
  readonly conditional?: boolean
}

/** Routes that every server answers by itself, but those that say otherwise. */
export function resource<
  Services extends Leadable<unknown>,
  State,
  const Routes extends readonly (Route<State> & CallType)[],
>({
  routes,
  open,
  conditional = false,
}: ResourceDefinition<Services, State, Routes>): ApiResource<Services, Routes[number]> {
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
export function leaderResource<
  Led extends object,
  State,
  const Routes extends readonly (Route<State> & CallType)[],
>({
  routes,
  open,
  conditional = false,
}: ResourceDefinition<Led, State, Routes>): ApiResource<Leadable<Led>, Routes[number]> {
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
