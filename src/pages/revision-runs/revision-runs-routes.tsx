import { listRunsByRevision } from '../../builds/runs/pipeline-runs.ts'
import { parseOffset } from '../../core/page.ts'
import { pageResponse } from '../frame/page-response.ts'
import { defineLeaderPage, routesWith } from '../frame/page-routes.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { findNamed } from '../revisions/numbered-revision.ts'
import { RevisionRunsView } from './revision-runs-view.tsx'

const { get } = routesWith<LeaderPagesContext>()

/** `/config/[name]/runs`: the runs that a revision of the configuration scheduled. */
export const revisionRunsPage = defineLeaderPage([
  get('/config/:name/runs', async ({ pages, builds }, c) => {
    const { principal } = c.env
    await builds.history.tags.refresh()
    const revision = findNamed(builds, principal, c.req.param('name'))
    const offset = parseOffset(c.req.query('offset') ?? '0')
    const runs = await listRunsByRevision(builds, principal, { commit: revision.commit, offset })
    return pageResponse(<RevisionRunsView {...pages.open(c)} revision={revision} runs={runs} />)
  }),
])
