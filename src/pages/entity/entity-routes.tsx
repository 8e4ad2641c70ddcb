import { type Context, Hono } from 'hono'
import { parseOffset } from '../../core/page.ts'
import type { Clock } from '../../lib/clock.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { type EntityComparisonDeps, readEntityComparison } from './entity-comparison.ts'
import { type EntityHistoryDeps, readEntityHistory } from './entity-history.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { comparisonOptionsOf, parseCompareQuery } from '../code/compare-query.ts'
import { pageResponse } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { answerPatch, renderPatch } from '../compare/patch.ts'
import { EntityCompareView } from './entity-compare-view.tsx'
import { type EntityPatchDeps, readEntityPatch } from './entity-patch.ts'
import { REFRESHING } from '../parts/indexing-notice.tsx'
import { EntityView } from './entity-view.tsx'

export interface EntityRoutesOptions
  extends EntityHistoryDeps, EntityComparisonDeps, EntityPatchDeps {
  readonly fileName: string
  readonly pages: PageContext
  readonly clock: Clock
}

/** `/config/entity/…`: the history of one entity, and its comparison between two revisions. */
export function entityRoutes(options: EntityRoutesOptions) {
  const { pages, clock } = options

  const history = async (c: Context<RouteEnv>, kind: string, name: string) => {
    const address = entityAddress(kind, name)
    const offset = parseOffset(c.req.query('offset') ?? '0')
    const entity = await readEntityHistory(options, c.env.principal, { address, offset })
    const frame = pages.frame(c.req.raw, c.env.principal)
    const headers = entity.indexing === null ? {} : REFRESHING
    return pageResponse(<EntityView frame={frame} entity={entity} now={clock()} />, 200, headers)
  }

  const compare = async (c: Context<RouteEnv>, kind: string, name: string) => {
    const address = entityAddress(kind, name)
    const query = { ...parseCompareQuery(c.req.query()), entity: '' }
    const asked = {
      from: c.req.param('from') ?? '',
      to: c.req.param('to') ?? '',
      options: comparisonOptionsOf(query),
    }
    const comparison = await readEntityComparison(options, c.env.principal, address, asked)
    const frame = pages.frame(c.req.raw, c.env.principal)
    const hasPatch =
      address.name !== '' &&
      address.stage === null &&
      comparison.hasAfter &&
      pages.isAdministrator(c.env.principal)
    const view = { frame, address, comparison, query, hasPatch }
    return pageResponse(<EntityCompareView {...view} />)
  }

  const patch = async (
    c: Context<RouteEnv>,
    { kind, name, from, file }: Readonly<Record<'kind' | 'name' | 'from' | 'file', string>>,
  ) => {
    const asked = { from, to: file.slice(0, -'.patch'.length) }
    const address = entityAddress(kind, name)
    const found = await readEntityPatch(options, c.env.principal, address, asked)
    const { before, after, hunks } = found
    return answerPatch(c, {
      text: renderPatch(hunks, options.fileName),
      name: `${kind}-r${before.number}-r${after.number}`,
      etag: `${address.entity} ${before.commit}..${after.commit}`,
      immutable: false,
    })
  }

  return new Hono<RouteEnv>()
    .get('/config/entity/:kind', (c) => history(c, c.req.param('kind'), ''))
    .get('/config/entity/:kind/:name', (c) => {
      const { kind, name } = c.req.param()
      return history(c, kind, name)
    })
    .get('/config/entity/:kind/compare/:from/:to', (c) => compare(c, c.req.param('kind'), ''))
    .get('/config/entity/:kind/:name/compare/:from/:file{.+\\.patch}', (c) =>
      patch(c, c.req.param()),
    )
    .get('/config/entity/:kind/:name/compare/:from/:to', (c) => {
      const { kind, name } = c.req.param()
      return compare(c, kind, name)
    })
}
