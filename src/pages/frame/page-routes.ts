import { type Context, Hono } from 'hono'
import type { z } from 'zod'
import { mountRoutes, perLeader } from '../../api/definition/mount-routes.ts'
import type { KnownRoute } from '../../api/description/described-call.ts'
import type { Operation } from '../../api/definition/operation.ts'
import type { RouteRules } from '../../api/definition/route-rules.ts'
import { conditionalGets } from '../../http/conditional-get.ts'
import type { AnswerRequest, RouteEnv } from '../../http/request-context.ts'
import { type FormAction, formHandler } from './form-action.ts'
import type { LeaderPagesContext, PagesContext } from './pages-context.ts'

/** The tag of the routes beside the pages in the description. */
export const PAGES_TAG = 'Pages'

/** The rules of a page or of one of its forms; every user may ask for it unless it says otherwise. */
export type PageRules = Omit<RouteRules, 'method' | 'path' | 'caller'> & Partial<Operation>

export interface PageRoute<State> extends PageRules, Pick<RouteRules, 'method' | 'path'> {
  handle(c: Context<RouteEnv>, state: State): Response | Promise<Response>
}

type Handle<State, Path extends string> = (
  context: State,
  c: Context<RouteEnv, Path>,
) => Response | Promise<Response>

/** Defines the routes of a page one by one, so that handlers know the parameters of their paths. */
export function routesWith<State extends PagesContext>() {
  const call = <const Path extends string>(
    rules: PageRules & { readonly method: RouteRules['method']; readonly path: Path },
    handle: Handle<State, Path>,
  ): PageRoute<State> => ({
    ...rules,
    handle: (c: Context<RouteEnv, Path>, state: State) => handle(state, c),
  })
  const get = <const Path extends string>(
    path: Path,
    handle: Handle<State, Path>,
    rules: PageRules = {},
  ) => call({ ...rules, method: 'GET', path }, handle)
  const post = <const Path extends string>(
    path: Path,
    handle: Handle<State, Path>,
    rules: PageRules = {},
  ) => call({ ...rules, method: 'POST', path }, handle)
  /** A form that is sent to a path: its action, and its rules. */
  const formAt = <const Path extends string, Fields extends z.ZodObject>(
    path: Path,
    sent: PageRules & FormAction<State, NoInfer<Path>, Fields>,
  ) => post(path, formHandler(sent), sent)
  return { call, get, post, formAt }
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

function withCaller<State>(route: PageRoute<State>): PageRoute<State> & RouteRules {
  return { ...route, caller: route.caller ?? 'user' }
}
