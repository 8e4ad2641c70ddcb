import type { Context } from 'hono'
import { z } from 'zod'
import { jsonAnswer } from '../../api/definition/operation.ts'
import type { Revision } from '../../core/revision.ts'
import { archiveHint } from '../../history/archive-hint.ts'
import { readHistoryPage } from './history-page.ts'
import { sentenceOf } from '../../index/entity-index.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import { findRevisions } from '../../configuration/search/find-revisions.ts'
import { revisionTitle } from '../revisions/revision-title.ts'
import { findInEffect, numbered } from '../revisions/numbered-revision.ts'
import { renderRevision, ListedRevision } from '../../wire/revision-bodies.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { malformed } from '../../http/parameters.ts'
import { ServiceError } from '../../core/errors.ts'
import { LaterPart, PageCache, pageResponse } from '../frame/page-response.ts'
import { definePageWith, PAGES_TAG, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { FEED, type FeedItem, renderFeed } from './feed.ts'
import { runCooperatively, Turns } from '../../lib/cooperative.ts'
import { lastMomentOf } from '../../lib/moments.ts'
import { parseHistoryQuery, historyQueryOf } from './history-query.ts'
import { listedIn } from './history-table.tsx'
import { REFRESHING } from '../parts/indexing-notice.tsx'
import { HistoryList, HistoryView, OwnHistoryView } from './history-view.tsx'

/** The size of the page cache, in bytes. */
const CACHE_BYTES = 4 * 1_048_576
/**
 * The age after which a page with relative times ("1 min ago") is rendered again, in milliseconds.
 */
const FRESH_MS = 60_000
/** How many changes the title of an entry of the feed names. */
const MAX_SENTENCES = 20

interface HistoryState extends PagesContext {
  readonly kept: PageCache
}

const { get } = routesWith<HistoryState>()

/** `/config`: the history, its feeds, and the configuration in effect at a time. */
export const historyPages = definePageWith(
  (context): HistoryState => ({ ...context, kept: new PageCache(CACHE_BYTES) }),
  [
    get('/config', answerHistory),
    get('/config/feed.atom', feed, {
      tag: PAGES_TAG,
      summary: 'The newest revisions as a feed; filters as on the page',
      caller: 'entityReader',
      answers: {
        200: { text: 'Atom', content: [{ type: 'application/atom+xml', schema: null }] },
      },
      errors: ['malformed-request', 'unavailable'],
      example: {},
    }),
    get(
      '/config/feed.json',
      async (context, c) => {
        const { filter } = parseHistoryQuery(c.req.query())
        const { revisions } = await findRevisions(context.configuration, c.env.principal, filter)
        return json(revisions.slice(0, FEED).map((revision) => entryOf(context, revision)))
      },
      {
        tag: PAGES_TAG,
        summary: 'The newest revisions as JSON; filters as on the page',
        caller: 'entityReader',
        answers: {
          200: jsonAnswer(
            'Revisions',
            z.array(
              ListedRevision.omit({ tags: true }).extend({
                kind: z.string().meta({ example: 'person' }),
              }),
            ),
          ),
        },
        errors: ['malformed-request', 'unavailable'],
      },
    ),
    get('/config/at', inEffect),
    get('/config/at/:time', inEffect),
  ],
)

async function answerHistory(
  { pages, configuration, kept }: HistoryState,
  c: Context<RouteEnv>,
): Promise<Response> {
  const query = parseHistoryQuery(c.req.query())
  const { entity } = query.filter
  const { frame, now } = pages.open(c)
  if (!frame.isAdministrator && entity !== '') {
    const { kind, name } = splitEntity(entity)
    return c.redirect(pages.links.entity(kind, name), 302)
  }
  if (!frame.isAdministrator && frame.history !== null) {
    const parts = pages.administeredBy(c.env.principal)
    return pageResponse(<OwnHistoryView frame={frame} parts={parts} />)
  }
  await configuration.history.tags.refresh()
  const shown = await readHistoryPage(configuration, c.env.principal, query)
  const { current, total, indexed } = shown
  const isKnown = shown.isKnown && shown.indexing === null
  const tags = configuration.history.tags.version
  const state = [current.commit, total, tags, indexed, isKnown ? 'known' : now]
  const asked = JSON.stringify([
    historyQueryOf(query.filter, query.offset, query.chosen),
    Math.floor(now / FRESH_MS),
  ])
  const etag = pages.etag(frame, [...state, asked, c.req.url])
  const origin = pages.originOf(c.req.raw)
  const view = { frame, query, page: shown, now, origin, fileName: configuration.fileName }
  const list = async () => {
    const rows = await shown.readRows()
    const listed = await runCooperatively(listedIn(rows))
    return <HistoryList {...view} rows={rows} listed={listed} />
  }
  if (shown.indexing !== null) {
    return pageResponse(<HistoryView {...view} list={await list()} />, 200, REFRESHING)
  }
  return kept.answer(c, { etag, immutable: false }, async () => {
    if (!shown.isWaiting) return { page: <HistoryView {...view} list={await list()} /> }
    return { page: <HistoryView {...view} list={<LaterPart />} />, later: list }
  })
}

async function feed(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv>,
): Promise<Response> {
  const { history } = configuration
  const { links } = pages
  const { filter } = parseHistoryQuery(c.req.query())
  const isWhole = pages.isAdministrator(c.env.principal)
  const found = await findRevisions(configuration, c.env.principal, filter)
  const items: FeedItem[] = []
  const turns = new Turns()
  for (const revision of found.revisions.slice(0, FEED)) {
    if (turns.isOver) await turns.next()
    const title = titleOf(found.changesOf(revision)) || revisionTitle(revision, null)
    const item = numbered(history, revision)
    const page = isWhole ? links.change(item) : links.entityChange(splitEntity(filter.entity), item)
    items.push({ revision: item, title, page })
  }
  const body = renderFeed({
    items,
    links,
    origin: pages.originOf(c.req.raw),
    query: historyQueryOf(filter),
    updated: history.current().time,
  })
  return new Response(body, {
    headers: { 'content-type': 'application/atom+xml; charset=utf-8' },
  })
}

/** The first changes, and how many more there are. */
function titleOf(changes: readonly DocumentChange[]): string {
  const more = changes.length - MAX_SENTENCES
  const told = changes.slice(0, MAX_SENTENCES).map(sentenceOf)
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

function entryOf({ configuration, site }: PagesContext, revision: Revision) {
  const { number, kind } = numbered(configuration.history, revision)
  const entry = renderRevision(revision, site.clientNames)
  return { number, kind, subject: revision.subject, ...entry }
}

function inEffect(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv, '/config/at' | '/config/at/:time'>,
): Response {
  const text = c.req.param('time') ?? c.req.query('time') ?? ''
  const time = lastMomentOf(text)
  if (time === null) throw malformed(`"${text}" is not a time such as 2015-06-03T14:00`, 'time')
  const revision = findInEffect(configuration, c.env.principal, time)
  if (revision) return c.redirect(pages.links.snapshot(`r${revision.number}`), 302)
  const hint = archiveHint(configuration.history)
  const message = `No configuration was in effect at ${text}: the history begins later${hint}`
  throw new ServiceError('revision-not-found', message, { commit: text })
}
