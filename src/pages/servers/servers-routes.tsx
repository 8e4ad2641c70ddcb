import { Hono } from 'hono'
import { type Access, assertMay } from '../../configuration/access/permission.ts'
import type { HealthDeps } from '../../health/health.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { ServersView } from './servers-view.tsx'

export interface ServersRoutesOptions extends Pick<HealthDeps, 'servers'> {
  readonly access: Access
  readonly pages: PageContext
}

/** `/servers`: the servers that share a database, and which of them has the duties. */
export function serversRoutes({ access, pages, servers }: ServersRoutesOptions) {
  return new Hono<RouteEnv>().get('/servers', (c) => {
    const { principal } = c.env
    assertMay(access, principal, { action: 'administer' })
    return pageResponse(<ServersView frame={pages.frame(c.req.raw, principal)} seen={servers()} />)
  })
}
