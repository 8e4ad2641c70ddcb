import type { Context } from 'hono'
import { z } from 'zod'
import { jsonAnswer } from '../../api/definition/operation.ts'
import { SAMPLE } from '../../api/definition/sample.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { parseSearchedText } from '../../http/parameters.ts'
import { renderProgress } from '../../index/index-progress.ts'
import { definePage, PAGES_TAG, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import { stateAway } from '../frame/page-state.tsx'
import { AGENTS_AWAY, search, SearchGroup } from './search.ts'
import { REFRESHING } from '../parts/indexing-notice.tsx'
import { pagesNamed } from './search-pages.ts'
import { SearchView } from './search-view.tsx'

const { get } = routesWith<PagesContext>()

/** `/search`: everything that has a name or a text, as a page and for the palette of every page. */
export const searchPages = definePage([
  get(
    '/search',
    async (context, c) => {
      const { text, result } = await resultOf(c, context)
      const frame = context.pages.frame(c.req.raw, c.env.principal)
      const headers = result.indexing === null ? {} : REFRESHING
      return pageResponse(<SearchView frame={frame} text={text} result={result} />, 200, headers)
    },
    { needs: 'leader-if-reachable' },
  ),
  get(
    '/search/results.json',
    async (context, c) => {
      const { text, result } = await resultOf(c, context)
      const { groups, indexing, hasAgents } = result
      const { links } = context.pages
      const isAdministrator = context.pages.isAdministrator(c.env.principal)
      return json({
        groups: text === '' ? [pagesNamed(links, { wanted: '', isAdministrator })] : groups,
        indexing: indexing && renderProgress(indexing),
        away: hasAgents ? null : stateAway(AGENTS_AWAY),
      })
    },
    {
      tag: PAGES_TAG,
      summary: 'Search results by kind, limited to what the caller can see',
      query: { q: { text: 'The text', schema: z.string().max(1_000) } },
      answers: {
        200: jsonAnswer(
          'The first results of each kind',
          z.object({
            groups: z.array(SearchGroup),
            indexing: z.string().nullable(),
            away: z.string().nullable(),
          }),
        ),
      },
      errors: ['malformed-request'],
      example: {
        query: { q: SAMPLE.pipeline },
        answer: {
          groups: [
            {
              title: 'Pipelines',
              count: 1,
              hits: [
                {
                  title: SAMPLE.pipeline,
                  detail: 'in services',
                  href: `/pipelines/${SAMPLE.pipeline}`,
                },
              ],
              all: `/pipelines?q=${SAMPLE.pipeline}`,
            },
          ],
          indexing: null,
          away: null,
        },
      },
      needs: 'leader-if-reachable',
    },
  ),
])

async function resultOf(c: Context<RouteEnv>, { configuration, pages }: PagesContext) {
  const text = parseSearchedText(c.req.query('q') ?? '', 'q')
  const result = await search(configuration, c.env.principal, { text, links: pages.links })
  return { text, result }
}
