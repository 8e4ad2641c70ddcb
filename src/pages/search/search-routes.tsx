import { type Context, Hono } from 'hono'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { parseSearchedText } from '../../http/parameters.ts'
import { renderProgress } from '../../index/index-progress.ts'
import type { PageContext } from '../frame/page-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import { stateAway } from '../frame/page-state.tsx'
import { AGENTS_AWAY, search, type SearchDeps } from './search.ts'
import { REFRESHING } from '../parts/indexing-notice.tsx'
import { SearchView } from './search-view.tsx'

export interface SearchRoutesOptions extends SearchDeps {
  readonly pages: PageContext
}

/** `/search`: everything that has a name or a text, as a page and for the palette of every page. */
export function searchRoutes(options: SearchRoutesOptions) {
  const { pages } = options
  const resultOf = async (c: Context<RouteEnv>) => {
    const text = parseSearchedText(c.req.query('q') ?? '')
    const result = await search(options, c.env.principal, { text, links: pages.links })
    return { text, result }
  }
  return new Hono<RouteEnv>()
    .get('/search', async (c) => {
      const { text, result } = await resultOf(c)
      const frame = pages.frame(c.req.raw, c.env.principal)
      const headers = result.indexing === null ? {} : REFRESHING
      return pageResponse(<SearchView frame={frame} text={text} result={result} />, 200, headers)
    })
    .get('/search/results.json', async (c) => {
      const { groups, indexing, hasAgents } = (await resultOf(c)).result
      return json({
        groups,
        indexing: indexing && renderProgress(indexing),
        away: hasAgents ? null : stateAway(AGENTS_AWAY),
      })
    })
}
