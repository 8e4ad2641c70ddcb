import { type Context, Hono } from 'hono'
import type { PlainSecretAlarm } from '../../configuration/read/plain-secret-alarm.ts'
import type { Clock } from '../../lib/clock.ts'
import {
  findSnapshotPlace,
  readSnapshotPage,
  readSnapshotText,
  type SnapshotDeps,
} from './snapshot-page.ts'
import { type RevealDeps, revealSnapshot } from './reveal-secrets.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseSha } from '../../http/parameters.ts'
import { PageCache, NO_STORE, pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { parseSnapshotQuery, permanentAddress } from './snapshot-query.ts'
import { SnapshotView } from './snapshot-view.tsx'

export interface SnapshotRoutesOptions extends SnapshotDeps, RevealDeps {
  readonly secretAlarm: PlainSecretAlarm
  readonly pages: PageContext
  readonly clock: Clock
}

/** The size of the page cache, in bytes. */
const CACHE_BYTES = 8 * 1_048_576
/**
 * The age after which a page with relative times ("1 min ago") is rendered again, in milliseconds.
 */
const FRESH_MS = 60_000

/** The interval at which a browser requests unfinished data again, in seconds. */
const ASK_AGAIN = 3

/** `/config/[name]`: the configuration in one revision. Registered after all fixed paths. */
export function snapshotRoutes(options: SnapshotRoutesOptions) {
  const kept = new PageCache(CACHE_BYTES)
  const { pages, clock } = options
  const answer = async (c: Context<RouteEnv, '/config/:name'>) => {
    const name = c.req.param('name')
    const place = findSnapshotPlace(options, c.env.principal, name)
    const query = parseSnapshotQuery(c.req.query())
    const isMoving = name === 'current'
    const read = await readSnapshotText(options, place, query)
    const first = query.line === null ? read.text.found?.lines[0] : undefined
    if (first !== undefined) {
      const found = permanentAddress(pages.links, place, { ...query, line: first })
      return c.redirect(`${found}#L${first}`)
    }
    const frame = pages.frame(c.req.raw, c.env.principal)
    const now = clock()
    const page = await readSnapshotPage(options, place, { ...query, ...read })
    const leak = options.secretAlarm.find(place.revision)
    const view = { frame, page, query, now, isMoving, leak, reveal: null }
    if (page.blame?.known === false) {
      return pageResponse(<SnapshotView {...view} />, 200, { refresh: String(ASK_AGAIN) })
    }
    const { revision, current } = place
    const facts = [revision.commit, current.commit, c.req.url, JSON.stringify(leak)]
    const etag = pages.etag(frame, [...facts, Math.floor(now / FRESH_MS)])
    return kept.answer(c, { etag, immutable: false }, async () => ({
      page: <SnapshotView {...view} />,
    }))
  }
  return new Hono<RouteEnv>()
    .get('/config/:name', answer)
    .get('/config/:name/reveal', (c) =>
      c.redirect(pages.links.snapshot(c.req.param('name'), c.req.query()), 303),
    )
    .post('/config/:name/reveal', (c) => reveal(options, c))
}

/**
 * The page with decrypted secrets. It requires a commit, so that the audit log names the exact
 * revision.
 */
async function reveal(
  options: SnapshotRoutesOptions,
  c: Context<RouteEnv, '/config/:name/reveal'>,
): Promise<Response> {
  const { pages, clock } = options
  const { principal } = c.env
  const place = findSnapshotPlace(options, principal, parseSha(c.req.param('name')))
  const query = parseSnapshotQuery(c.req.query())
  const { shown: page, count } = await revealSnapshot(options, place, query)
  const frame = pages.frame(c.req.raw, principal)
  const leak = options.secretAlarm.find(place.revision)
  const view = { frame, page, query, now: clock(), isMoving: false, leak, reveal: count }
  return pageResponse(<SnapshotView {...view} />, 200, NO_STORE)
}
