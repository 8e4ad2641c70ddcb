import type { Hono } from 'hono'
import { RouteAddresses } from '../api/route-addresses.ts'
import { describeRoutes } from '../api/description/described-call.ts'
import { ROUTES } from '../api/resources.ts'
import type { AnswerFailure } from '../http/failure.ts'
import type { AnswerRequest, RequestContext, RouteEnv } from '../http/request-context.ts'
import { pageFailures } from '../pages/frame/page-failures.tsx'
import { askToLogIn } from '../pages/login/login-routes.tsx'
import { openPages } from '../pages/frame/pages-context.ts'
import { PAGE_ROUTES, pageRoutes } from '../pages/pages-routes.ts'
import type { AppContext } from './context.ts'
import { composeRoutes, refusing } from './routes.ts'

export interface PageService {
  readonly addresses: RouteAddresses
  /** Answers whatever no call of programs answers. */
  readonly answer: AnswerRequest
  readonly answerFailure: AnswerFailure
  /** Answers a form that was sent without a session. */
  readonly askToLogIn: (request: Request) => Promise<Response>
}

interface Around {
  /** The calls of programs. */
  readonly calls: readonly Hono<RouteEnv>[]
  readonly elsewhere: AnswerRequest
  readonly answerFailure: AnswerFailure
}

/** The pages, and the description of all routes among them. */
export function pageService(
  app: AppContext,
  { calls, elsewhere, answerFailure }: Around,
): PageService {
  const addresses = new RouteAddresses(ROUTES, PAGE_ROUTES)
  const context = openPages(app, () => {
    const mounted = [...calls, ...parts].flatMap(({ routes }) => routes)
    return describeRoutes(mounted, [...ROUTES, ...PAGE_ROUTES], addresses)
  })
  const parts = pageRoutes(context, elsewhere)
  const { log } = app
  const failures = pageFailures(context)
  const otherwise = refusing({ parts: [...calls, ...parts], answerFailure })
  return {
    addresses,
    answer: composeRoutes({ log, parts, otherwise, answerFailure }),
    answerFailure: (request, failure, asked) =>
      hasLostSession(request, asked)
        ? askToLogIn(context, request)
        : failures(request, failure, asked),
    askToLogIn: (request) => askToLogIn(context, request),
  }
}

/** Whether the session by which a form was sent has ended while it was answered. */
function hasLostSession({ method }: Request, { principal, credential }: RequestContext): boolean {
  return (
    method === 'POST' && credential?.isGone === true && principal.credential?.kind === 'session'
  )
}
