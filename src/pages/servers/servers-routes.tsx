import { assertMay } from '../../configuration/access/permission.ts'
import { pageResponse } from '../frame/page-response.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { ServersView } from './servers-view.tsx'

const route = pageWith<PagesContext>()

/** `/servers`: the servers that share a database, and which of them leads. */
export const serversPage = definePage({
  open: (context) => context,
  routes: [
    route({
      method: 'GET',
      path: '/servers',
      handle: (c, { pages, configuration, health }) => {
        const { principal } = c.env
        assertMay(configuration.access, principal, { action: 'administer' })
        const seen = health.cluster?.seen() ?? null
        return pageResponse(<ServersView frame={pages.frame(c.req.raw, principal)} seen={seen} />)
      },
    }),
  ],
})
