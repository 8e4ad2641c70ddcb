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
} from '../pages/pages-routes.ts'
import { PageContext, type PageContextOptions } from '../pages/frame/page-context.ts'
import { type AnswerRequest, composeRoutes, refusing, type RoutesOptions } from './routes.ts'
import { conditionalGets } from '../http/conditional-get.ts'

interface Framed extends PageContextOptions {
  readonly log: RoutesOptions['log']
}

export interface PageServiceOptions extends Omit<PagesOptions, 'pages'>, Framed {
  readonly version: string
}

export interface FollowerPagesOptions extends Omit<ConfigurationPagesOptions, 'pages'>, Framed {
  /** Answers what no page of this server does. */
  readonly otherwise: AnswerRequest
}

/** What is made for people. */
export interface PageService {
  /** Answers whatever no call of programs answers. */
  readonly answer: AnswerRequest
  readonly answerFailure: AnswerFailure
}

/** The pages, and the description of all calls beside them. */
export function pageService(
  options: PageServiceOptions,
  calls: readonly Hono<RouteEnv>[],
  answerFailure: AnswerFailure,
): PageService {
  const pages = new PageContext(options)
  const pageRoutes = pagesRoutes({ ...options, pages }).map(conditionalGets)
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
    answerFailure: pageFailures(pages),
  }
}

/** The pages of a server that does not have the duties. */
export function followerPages(
  options: FollowerPagesOptions,
  answerFailure: AnswerFailure,
): PageService {
  const { log, otherwise } = options
  const pages = new PageContext(options)
  const parts = configurationPages({ ...options, pages }).map(conditionalGets)
  return {
    answer: composeRoutes({ log, parts, otherwise, answerFailure }),
    answerFailure: pageFailures(pages),
  }
}
