import { type Context, Hono } from 'hono'
import type { Clock } from '../../lib/clock.ts'
import type { Revision } from '../../core/revision.ts'
import { archiveHint } from '../../history/archive-hint.ts'
import { type HistoryPageDeps, readHistoryPage } from './history-page.ts'
import { sentenceOf } from '../../index/entity-index.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { findRevisions } from '../../configuration/search/find-revisions.ts'
import { revisionTitle } from '../revisions/revision-title.ts'
import { findInEffect, numbered } from '../revisions/numbered-revision.ts'
import { type ClientNames, renderRevision } from '../../wire/revision-entry.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { malformed } from '../../http/parameters.ts'
import { ServiceError } from '../../core/errors.ts'
import { PageCache, pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { FEED, type FeedItem, renderFeed } from './feed.ts'
import { runCooperatively, Turns } from '../../lib/cooperative.ts'
import { lastMomentOf } from '../../lib/moments.ts'
import { parseHistoryQuery, historyQueryOf } from './history-query.ts'
import { listedIn } from './history-table.tsx'
import { REFRESHING } from '../parts/indexing-notice.tsx'
import { HistoryView } from './history-view.tsx'

export interface HistoryRoutesOptions extends HistoryPageDeps {
  readonly pages: PageContext
  readonly clock: Clock
  readonly clientNames: ClientNames
  readonly fileName: string
}

/** The size of the page cache, in bytes. */
const CACHE_BYTES = 4 * 1_048_576
/**
 * The age after which a page with relative times ("1 min ago") is rendered again, in milliseconds.
 */
const FRESH_MS = 60_000
/** How many changes the title of an entry of the feed names. */
const MAX_SENTENCES = 20

/** `/config`: the history, its feeds, and the configuration in effect at a time. */
export function historyRoutes(options: HistoryRoutesOptions) {
  return new Hono<RouteEnv>()
    .get('/config', historyPages(options))
    .get('/config/feed.atom', (c) => feed(options, c))
    .get('/config/feed.json', async (c) => {
      const { filter } = parseHistoryQuery(c.req.query())
      const revisions = await findRevisions(options, c.env.principal, filter)
      return json(revisions.slice(0, FEED).map((revision) => entryOf(options, revision)))
    })
    .get('/config/at', (c) => inEffect(options, c, c.req.query('time') ?? ''))
    .get('/config/at/:time', (c) => inEffect(options, c, c.req.param('time')))
}

function historyPages(options: HistoryRoutesOptions) {
  const kept = new PageCache(CACHE_BYTES)
  const { pages, clock, fileName } = options
  return async (c: Context<RouteEnv>) => {
    const query = parseHistoryQuery(c.req.query())
    const frame = pages.frame(c.req.raw, c.env.principal)
    const now = clock()
    const page = await readHistoryPage(options, c.env.principal, query)
    const isKnown = page.rows.every((row) => row.isKnown) && page.indexing === null
    const { current, total, indexed } = page
    const state = [current.commit, total, indexed, isKnown ? 'known' : now]
    const asked = JSON.stringify([
      historyQueryOf(query.filter, query.offset, query.chosen),
      Math.floor(now / FRESH_MS),
    ])
    const etag = pages.etag(frame, [...state, asked, c.req.url])
    const origin = pages.originOf(c.req.raw)
    const view = { frame, query, page, now, origin, fileName }
    if (page.indexing !== null) {
      const listed = await runCooperatively(listedIn(page.rows))
      return pageResponse(<HistoryView {...view} listed={listed} />, 200, REFRESHING)
    }
    return kept.answer(c, { etag, immutable: false }, async () => ({
      page: <HistoryView {...view} listed={await runCooperatively(listedIn(page.rows))} />,
    }))
  }
}

async function feed(options: HistoryRoutesOptions, c: Context<RouteEnv>): Promise<Response> {
  const { history, pages, entities } = options
  const { filter } = parseHistoryQuery(c.req.query())
  const revisions = await findRevisions(options, c.env.principal, filter)
  const items: FeedItem[] = []
  const turns = new Turns()
  for (const revision of revisions.slice(0, FEED)) {
    if (turns.isOver) await turns.next()
    const title = titleOf(entities.find(revision) ?? []) || revisionTitle(revision, null)
    items.push({ revision: numbered(history, revision), title })
  }
  const body = renderFeed({
    items,
    links: pages.links,
    origin: pages.originOf(c.req.raw),
    query: historyQueryOf(filter),
    updated: history.current().time,
  })
  return new Response(body, {
    headers: { 'content-type': 'application/atom+xml; charset=utf-8', 'cache-control': 'no-cache' },
  })
}

/** The first changes, and how many more there are. */
function titleOf(changes: readonly DocumentChange[]): string {
  const more = changes.length - MAX_SENTENCES
  const told = changes.slice(0, MAX_SENTENCES).map(sentenceOf)
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

function entryOf({ history, clientNames }: HistoryRoutesOptions, revision: Revision) {
  const { number, kind } = numbered(history, revision)
  const entry = renderRevision(revision, clientNames)
  return { number, kind, subject: revision.subject, ...entry }
}

function inEffect(options: HistoryRoutesOptions, c: Context<RouteEnv>, text: string): Response {
  const time = lastMomentOf(text)
  if (time === null) throw malformed(`"${text}" is not a time such as 2015-06-03T14:00`, 'time')
  const revision = findInEffect(options, c.env.principal, time)
  if (revision) return c.redirect(options.pages.links.snapshot(`r${revision.number}`), 302)
  const hint = archiveHint(options.history)
  const message = `No configuration was in effect at ${text}: the history begins later${hint}`
  throw new ServiceError('revision-not-found', message, { commit: text })
}
