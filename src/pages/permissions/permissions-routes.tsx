import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import { readPermissionsPage } from './permissions-page.ts'
import { parsePermissionsQuery } from './permissions-query.ts'
import { PermissionsView } from './permissions-view.tsx'

const { get } = routesWith<PagesContext>()

/** `/permissions`: who may do what, for administrators. */
export const permissionsPage = definePage([
  get('/permissions', async ({ pages, identities }, c) => {
    const { principal } = c.env
    const query = parsePermissionsQuery(c.req.query())
    const shown = await readPermissionsPage(identities, principal, query)
    const frame = pages.frame(c.req.raw, principal)
    return pageResponse(<PermissionsView frame={frame} query={query} page={shown} />)
  }),
])
