import { Hono } from 'hono'
import type { Clock } from '../../../core/clock.ts'
import {
  findSnapshotPlace,
  readSnapshotPage,
  type SnapshotDeps,
} from '../../../services/pages/snapshot/snapshot-page.ts'
import type { RouteEnv } from '../../door.ts'
import { KeptPages, pageResponse } from '../page-response.ts'
import type { Shell } from '../shell.ts'
import { parseSnapshotQuery } from './snapshot-query.ts'
import { SnapshotView } from './snapshot-view.tsx'

export interface SnapshotRoutesOptions extends SnapshotDeps {
  readonly shell: Shell
  readonly clock: Clock
}

/** Pages that are kept, in bytes. */
const KEPT = 8 * 1_048_576
/** How long a page may say "1 min ago" before it is made again, in milliseconds. */
const FRESH = 60_000

/** When a browser asks again for what is not known yet, in seconds. */
const ASK_AGAIN = 3

/** `/config/[name]`: the configuration as it was in one revision. Stands behind all fixed addresses. */
export function snapshotRoutes(options: SnapshotRoutesOptions) {
  const kept = new KeptPages(KEPT)
  const { shell, clock } = options
  return new Hono<RouteEnv>().get('/config/:name', async (c) => {
    const place = findSnapshotPlace(options, c.env.principal, c.req.param('name'))
    const query = parseSnapshotQuery(c.req.query())
    const chrome = shell.chrome(c.req.raw, c.env.principal)
    const now = clock()
    const page = await readSnapshotPage(options, place, query)
    if (page.blame?.known === false) {
      const view = <SnapshotView chrome={chrome} page={page} query={query} now={now} />
      return pageResponse(view, 200, { refresh: String(ASK_AGAIN) })
    }
    const facts = [place.revision.commit, place.current.commit, c.req.url]
    const etag = shell.etag(chrome, [...facts, Math.floor(now / FRESH)])
    return kept.answer(c.req.raw, { etag, immutable: false }, async () => (
      <SnapshotView chrome={chrome} page={page} query={query} now={now} />
    ))
  })
}
