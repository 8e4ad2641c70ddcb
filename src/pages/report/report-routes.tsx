import type { Context } from 'hono'
import { firstMomentOf, lastMomentOf } from '../../lib/moments.ts'
import { malformed, parseMoment } from '../../http/parameters.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { renderReport, REPORT_FORMS, type ReportForm } from '../../operations/render-report.ts'
import { parseEntity } from '../edit/edit-form.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { pageResponse } from '../frame/page-response.ts'
import { readReport, type ReportQuery } from './read-report.ts'
import { ReportView } from './report-view.tsx'

/** The time that is shown before one is chosen: a quarter of a year. */
const SHOWN_MS = 92 * 86_400_000

const TYPES: Readonly<Record<ReportForm, string>> = {
  text: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

const { get } = routesWith<PagesContext>()

/** `/report`: each change with those who asked for, approved and overrode it, from git alone. */
export const reportPage = definePage([
  get(
    '/report',
    async (context, c) => {
      const { pages, clock } = context
      const form = formIn(c)
      const now = clock()
      const query = queryIn(c, form === null ? now - SHOWN_MS : null)
      const changes = await readReport(context, c.env.principal, query)
      if (form !== null) {
        const headers = { 'content-type': TYPES[form], 'cache-control': 'private, no-cache' }
        return new Response(renderReport(changes, form), { headers })
      }
      return pageResponse(<ReportView {...pages.open(c)} query={query} changes={changes} />)
    },
    { caller: 'administrator' },
  ),
])

/** The form of a report that is no page; null for the page. */
function formIn(c: Context<RouteEnv>): ReportForm | null {
  const asked = c.req.query('as')
  const form = REPORT_FORMS.find((each) => each === asked)
  if (asked === undefined || form !== undefined) return form ?? null
  throw malformed(`as is "${asked}"; it may be ${REPORT_FORMS.join(', ')}`, 'as')
}

function queryIn(c: Context<RouteEnv>, shownFrom: number | null): ReportQuery {
  const { since, until = '', entity = '' } = c.req.query()
  const named = parseEntity(entity)
  return {
    since:
      since === undefined
        ? shownFrom
        : since === ''
          ? null
          : parseMoment(since, 'since', firstMomentOf),
    until: until === '' ? null : parseMoment(until, 'until', lastMomentOf),
    entity: named === null ? null : `${named.kind}/${named.name}`,
  }
}
