import type { Context } from 'hono'
import { findSnapshotPlace, readSnapshotPage, readSnapshotText } from './snapshot-page.ts'
import { revealSnapshot } from './reveal-secrets.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseSha } from '../../http/parameters.ts'
import { PageCache, NO_STORE, pageResponse } from '../frame/page-response.ts'
import { definePageWith, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { parseSnapshotQuery, permanentAddress } from './snapshot-query.ts'
import type { RefusedTag } from '../parts/revision-tags.tsx'
import { SnapshotView } from './snapshot-view.tsx'

/** The size of the page cache, in bytes. */
const CACHE_BYTES = 8 * 1_048_576
/**
 * The age after which a page with relative times ("1 min ago") is rendered again, in milliseconds.
 */
const FRESH_MS = 60_000

/** The interval at which a browser requests unfinished data again, in seconds. */
const ASK_AGAIN = 3

interface SnapshotState extends PagesContext {
  readonly kept: PageCache
}

const { get, post } = routesWith<SnapshotState>()

/** `/config/[name]`: the configuration in one revision. Registered after all fixed paths. */
export const snapshotPages = definePageWith(
  (context): SnapshotState => ({ ...context, kept: new PageCache(CACHE_BYTES) }),
  [
    get('/config/:name', answerSnapshot),
    get('/config/:name/reveal', ({ pages }, c) =>
      c.redirect(pages.links.snapshot(c.req.param('name'), c.req.query()), 303),
    ),
    post('/config/:name/reveal', reveal, { audit: 'reveal-secrets' }),
  ],
)

async function answerSnapshot(
  { pages, clock, configuration, kept }: SnapshotState,
  c: Context<RouteEnv, '/config/:name'>,
): Promise<Response> {
  const name = c.req.param('name')
  await configuration.history.tags.refresh()
  const place = findSnapshotPlace(configuration, c.env.principal, name)
  const query = parseSnapshotQuery(c.req.query())
  const isMoving = name === 'current'
  const read = await readSnapshotText(configuration, place, query)
  const first = query.line === null ? read.text.found?.lines[0] : undefined
  if (first !== undefined) {
    const found = permanentAddress(pages.links, place, { ...query, line: first })
    return c.redirect(`${found}#L${first}`)
  }
  const frame = pages.frame(c.req.raw, c.env.principal)
  const now = clock()
  const shown = await readSnapshotPage(configuration, place, { ...query, ...read })
  const leak = configuration.secretAlarm.find(place.revision)
  const flash = pages.flash.take(c)
  const view = { frame, page: shown, query, now, isMoving, leak, flash, reveal: null }
  if (flash !== null) return pageResponse(<SnapshotView {...view} />, 200, NO_STORE)
  if (shown.blame?.known === false) {
    return pageResponse(<SnapshotView {...view} />, 200, { refresh: String(ASK_AGAIN) })
  }
  const { revision, current } = place
  const said = JSON.stringify([leak, revision.tags])
  const facts = [revision.commit, current.commit, c.req.url, said]
  const etag = pages.etag(frame, [...facts, Math.floor(now / FRESH_MS)])
  return kept.answer(c, { etag, immutable: false }, async () => ({
    page: <SnapshotView {...view} />,
  }))
}

/** The page of a revision that was not tagged, with the reason. */
export async function showRefusedTag(
  { pages, clock, configuration }: PagesContext,
  c: Context<RouteEnv>,
  { revision, refused, status }: { revision: string; refused: RefusedTag; status: number },
): Promise<Response> {
  const { principal } = c.env
  const place = findSnapshotPlace(configuration, principal, revision)
  const query = parseSnapshotQuery({})
  const text = await readSnapshotText(configuration, place, query)
  const view = {
    frame: pages.frame(c.req.raw, principal),
    page: await readSnapshotPage(configuration, place, { ...query, ...text }),
    query,
    now: clock(),
    isMoving: false,
    leak: configuration.secretAlarm.find(place.revision),
    flash: null,
    reveal: null,
  }
  return pageResponse(<SnapshotView {...view} refused={refused} />, status, NO_STORE)
}

/**
 * The page with decrypted secrets. It requires a commit, so that the audit log names the exact
 * revision.
 */
async function reveal(
  { pages, clock, configuration }: PagesContext,
  c: Context<RouteEnv, '/config/:name/reveal'>,
): Promise<Response> {
  const { principal } = c.env
  const place = findSnapshotPlace(configuration, principal, parseSha(c.req.param('name')))
  const query = parseSnapshotQuery(c.req.query())
  const { shown, count } = await revealSnapshot(configuration, place, query)
  const frame = pages.frame(c.req.raw, principal)
  const leak = configuration.secretAlarm.find(place.revision)
  const view = {
    frame,
    page: shown,
    query,
    now: clock(),
    isMoving: false,
    leak,
    flash: null,
    reveal: count,
  }
  return pageResponse(<SnapshotView {...view} />, 200, NO_STORE)
}
