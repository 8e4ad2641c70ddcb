import { Hono } from 'hono'
import type { RouteEnv } from '../../http/request-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { ProblemsView } from './problems-view.tsx'

/** `/problems`: what an operator should look at, as far as the caller may know of it. */
export function problemsRoutes(pages: PageContext) {
  return new Hono<RouteEnv>().get('/problems', (c) =>
    pageResponse(<ProblemsView frame={pages.frame(c.req.raw, c.env.principal)} />),
  )
}
