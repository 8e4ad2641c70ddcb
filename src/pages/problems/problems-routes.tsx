import { Hono } from 'hono'
import {
  acknowledgeSecrets,
  type PlainSecretDeps,
} from '../../configuration/read/plain-secret-alarm.ts'
import { parseSha } from '../../http/parameters.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { countOf } from '../kit/count.ts'
import type { PageContext } from '../frame/page-context.ts'
import { NO_STORE, pageResponse } from '../frame/page-response.ts'
import { ProblemsView } from './problems-view.tsx'

export interface ProblemActionsOptions extends PlainSecretDeps {
  readonly pages: PageContext
}

/** `/problems`: what an operator should look at, as far as the caller may know of it. */
export function problemsRoutes(pages: PageContext) {
  return new Hono<RouteEnv>().get('/problems', (c) => {
    const flash = pages.flash.take(c)
    const page = <ProblemsView frame={pages.frame(c.req.raw, c.env.principal)} flash={flash} />
    return pageResponse(page, 200, flash === null ? {} : NO_STORE)
  })
}

/** The forms of `/problems`. They change the state, which the leader has. */
export function problemActionsRoutes({ pages, ...deps }: ProblemActionsOptions) {
  return new Hono<RouteEnv>().post('/config/:name/acknowledge-secrets', async (c) => {
    const { principal } = c.env
    const commit = parseSha(c.req.param('name'))
    const count = await acknowledgeSecrets(deps, principal, commit)
    const of = count === 1 ? `commit ${commit.slice(0, 10)}` : countOf(count, 'commit')
    const flash = pages.flash.query(principal, 'secrets-acknowledged', of)
    return c.redirect(pages.links.problems(flash), 303)
  })
}
