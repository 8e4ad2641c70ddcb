import { Hono } from 'hono'
import type { RouteEnv } from '../../http/request-context.ts'
import type { PageContext } from '../frame/page-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import { type PermissionsPageDeps, readPermissionsPage } from './permissions-page.ts'
import { parsePermissionsQuery } from './permissions-query.ts'
import { PermissionsView } from './permissions-view.tsx'

export interface PermissionsRoutesOptions extends PermissionsPageDeps {
  readonly pages: PageContext
}

/** `/permissions`: who may do what, for administrators. */
export function permissionsRoutes(options: PermissionsRoutesOptions) {
  return new Hono<RouteEnv>().get('/permissions', async (c) => {
    const { principal } = c.env
    const query = parsePermissionsQuery(c.req.query())
    const page = await readPermissionsPage(options, principal, query)
    const frame = options.pages.frame(c.req.raw, principal)
    return pageResponse(<PermissionsView frame={frame} query={query} page={page} />)
  })
}
