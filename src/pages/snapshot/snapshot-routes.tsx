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
import { SnapshotView, type SnapshotViewProps } from './snapshot-view.tsx'

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
  context: SnapshotState,
  c: Context<RouteEnv, '/config/:name'>,
): Promise<Response> {
  const { pages, configuration, kept } = context
  const name = c.req.param('name')
  await configuration.history.tags.refresh()
  const place = findSnapshotPlace(configuration, c.env.principal, name)
  const query = parseSnapshotQuery(c.req.query())
  const read = await readSnapshotText(configuration, place, query)
  const first = query.line === null ? read.text.found?.lines[0] : undefined
  if (first !== undefined) {
    const found = permanentAddress(pages.links, place, { ...query, line: first })
    return c.redirect(`${found}#L${first}`)
  }
  const page = await readSnapshotPage(configuration, place, { ...query, ...read })
  const view = {
    ...viewOf(context, c, { page, query }),
    ...pages.openWithMessage(c),
    isMoving: name === 'current',
  }
  const { frame, now, leak } = view
  if (view.flash !== null) return pageResponse(<SnapshotView {...view} />, 200, NO_STORE)
  if (page.blame?.known === false) {
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

/** A revision as its own page shows it, with its secrets hidden. */
function viewOf(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv>,
  shown: Pick<SnapshotViewProps, 'page' | 'query'>,
): SnapshotViewProps {
  const leak = configuration.secretAlarm.find(shown.page.revision)
  return { ...pages.open(c), ...shown, isMoving: false, leak, flash: null, reveal: null }
}

/** The page of a revision that was not tagged, with the reason. */
export async function showRefusedTag(
  context: PagesContext,
  c: Context<RouteEnv>,
  { revision, refused, status }: { revision: string; refused: RefusedTag; status: number },
): Promise<Response> {
  const { configuration } = context
  const place = findSnapshotPlace(configuration, c.env.principal, revision)
  const query = parseSnapshotQuery({})
  const text = await readSnapshotText(configuration, place, query)
  const page = await readSnapshotPage(configuration, place, { ...query, ...text })
  const view = viewOf(context, c, { page, query })
  return pageResponse(<SnapshotView {...view} refused={refused} />, status, NO_STORE)
}

/**
 * The page with decrypted secrets. It requires a commit, so that the audit log names the exact
 * revision.
 */
async function reveal(
  context: PagesContext,
  c: Context<RouteEnv, '/config/:name/reveal'>,
): Promise<Response> {
  const { configuration } = context
  const commit = parseSha(c.req.param('name'), 'name')
  const place = findSnapshotPlace(configuration, c.env.principal, commit)
  const query = parseSnapshotQuery(c.req.query())
  const { shown: page, count } = await revealSnapshot(configuration, place, query)
  const view = viewOf(context, c, { page, query })
  return pageResponse(<SnapshotView {...view} reveal={count} />, 200, NO_STORE)
}
