import { type Context, Hono } from 'hono'
import { mountRoutes, perLeader } from '../../api/definition/mount-routes.ts'
import type { KnownRoute } from '../../api/description/described-call.ts'
import type { Operation } from '../../api/definition/operation.ts'
import type { RouteRules } from '../../api/definition/route-rules.ts'
import { conditionalGets } from '../../http/conditional-get.ts'
import type { AnswerRequest, RouteEnv } from '../../http/request-context.ts'
import type { LeaderPagesContext, PagesContext } from './pages-context.ts'

/** The tag of the routes beside the pages in the description. */
export const PAGES_TAG = 'Pages'

/** The rules of a page or of one of its forms; every user may ask for it unless it says otherwise. */
type PageRules = Omit<RouteRules, 'caller'> & Partial<Operation>

export interface PageRoute<State> extends PageRules {
  handle(c: Context<RouteEnv>, state: State): Response | Promise<Response>
}

type Definition<State, Path extends string> = PageRules & {
  readonly path: Path
  readonly handle: (c: Context<RouteEnv, Path>, state: State) => Response | Promise<Response>
}

/** Defines the routes of a page one by one, so that handlers know the parameters of their paths. */
export function pageWith<State>() {
  return <const Path extends string>(route: Definition<State, Path>): PageRoute<State> => route
}

/** The routes of a page that belong together. */
export interface PageGroup {
  readonly routes: readonly KnownRoute[]
  /** The routes of one service. A request that this server cannot answer is answered elsewhere. */
  mount(context: PagesContext, elsewhere: AnswerRequest): Hono<RouteEnv>
}

/** A page that every server answers by itself, unless a route says otherwise. */
export function definePage(routes: readonly PageRoute<PagesContext>[]): PageGroup {
  return definePageWith((context) => context, routes)
}

/**
 * Such a page whose handlers share what `open` makes, such as a cache. It returns null where the page
 * is not offered.
 */
export function definePageWith<State extends object>(
  open: (context: PagesContext) => State | null,
  routes: readonly PageRoute<State>[],
): PageGroup {
  const rules = routes.map(withCaller)
  return {
    routes: rules,
    mount: (services, elsewhere) => {
      const state = open(services)
      if (state === null) return new Hono()
      return conditionalGets(mountRoutes(rules, { services, elsewhere, stateNow: () => state }))
    },
  }
}

/** A page that the leader answers. */
export function defineLeaderPage(routes: readonly PageRoute<LeaderPagesContext>[]): PageGroup {
  return defineLeaderPageWith((context) => context, routes)
}

/** Such a page whose handlers share what `open` makes. */
export function defineLeaderPageWith<State>(
  open: (context: LeaderPagesContext) => State,
  routes: readonly PageRoute<State>[],
): PageGroup {
  const led = routes.map((route) => ({ ...withCaller(route), needs: 'leader' as const }))
  return {
    routes: led,
    mount: (services, elsewhere) => {
      const stateNow = perLeader(services, open)
      return conditionalGets(mountRoutes(led, { services, elsewhere, stateNow }))
    },
  }
}

function withCaller<Rules extends PageRules>(route: Rules): Rules & RouteRules {
  return { ...route, caller: route.caller ?? 'user' }
}
