import type { Hono } from 'hono'
import { descriptionRoutes } from '../pages/api/description-routes.tsx'
import type { RouteEnv } from '../http/request-context.ts'
import type { AnswerFailure } from '../http/failure.ts'
import { pageFailures } from '../pages/frame/page-failures.tsx'
import {
  configurationPages,
  type ConfigurationPagesOptions,
  type PagesOptions,
  pagesRoutes,
  pagesWithState,
} from '../pages/pages-routes.ts'
import { KeptForms } from '../pages/login/kept-form.ts'
import { askToLogIn } from '../pages/login/login-routes.tsx'
import { PageContext, type PageContextOptions } from '../pages/frame/page-context.ts'
import { type AnswerRequest, composeRoutes, refusing, type RoutesOptions } from './routes.ts'
import { conditionalGets } from '../http/conditional-get.ts'
import { unlessAnswered } from './forwarding.ts'

interface Framed extends PageContextOptions {
  readonly log: RoutesOptions['log']
}

export interface PageServiceOptions extends Omit<PagesOptions, 'pages' | 'keptForms'>, Framed {
  readonly version: string
}

export interface FollowerPagesOptions
  extends Omit<ConfigurationPagesOptions, 'pages' | 'keptForms'>, Framed {
  /** Answers what no page of this server does. */
  readonly otherwise: AnswerRequest
}

/** The pages of the service. */
export interface PageService {
  /** Answers whatever no call of programs answers. */
  readonly answer: AnswerRequest
  readonly answerFailure: AnswerFailure
  /** Answers a form that was sent without a session. */
  readonly askToLogIn: (request: Request) => Promise<Response>
}

/** The pages, and the description of all calls beside them. */
export function pageService(
  options: PageServiceOptions,
  calls: readonly Hono<RouteEnv>[],
  answerFailure: AnswerFailure,
): PageService {
  const shared = { ...options, pages: new PageContext(options), keptForms: new KeptForms() }
  const { pages } = shared
  const pageRoutes = pagesRoutes(shared).map(conditionalGets)
  const description = descriptionRoutes({
    ...options,
    pages,
    routes: () => [description, ...calls, ...pageRoutes].flatMap(({ routes }) => routes),
  })
  const parts = [description, ...pageRoutes]
  const { log } = options
  const otherwise = refusing({ parts: [...calls, ...parts], answerFailure })
  return {
    answer: composeRoutes({ log, parts, otherwise, answerFailure }),
    answerFailure: pageFailures(shared.pages),
    askToLogIn: (request) => askToLogIn(shared, request),
  }
}

/** The pages of a server that does not have the duties. */
export function followerPages(
  options: FollowerPagesOptions,
  answerFailure: AnswerFailure,
): PageService {
  const { log, otherwise } = options
  const shared = { ...options, pages: new PageContext(options), keptForms: new KeptForms() }
  const own = configurationPages(shared).map(conditionalGets)
  const withState = pagesWithState(shared).map(conditionalGets)
  const parts = [...withState.map((part) => unlessAnswered(part, otherwise)), ...own]
  return {
    answer: composeRoutes({ log, parts, otherwise, answerFailure }),
    answerFailure: pageFailures(shared.pages),
    askToLogIn: (request) => askToLogIn(shared, request),
  }
}
