import type { Context } from 'hono'
import { z } from 'zod'
import { SAMPLE } from '../../api/definition/sample.ts'
import { parseOffset } from '../../core/page.ts'
import { type EntityAddress, entityAddress } from '../revisions/entity-address.ts'
import { readEntityComparison, readEntityPatch } from './entity-comparison.ts'
import { mayShowEffective, readEntityHistory, undoneWith } from './entity-history.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { comparisonOptionsOf, parseCompareQuery } from '../code/compare-query.ts'
import { pageResponse } from '../frame/page-response.ts'
import { definePage, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { answerPatch, PATCH, renderPatch } from '../compare/patch.ts'
import { EntityCompareView } from './entity-compare-view.tsx'
import { REFRESHING } from '../parts/indexing-notice.tsx'
import { EntityView } from './entity-view.tsx'

/** An entity that is the only one of its kind, and one with a name. */
const ALONE = '/config/entity/:kind'
const NAMED = '/config/entity/:kind/:name'
const needs = 'leader-if-reachable'
const { get } = routesWith<PagesContext>()

/** `/config/entity/…`: the history of one entity, and its comparison between two revisions. */
export const entityPages = definePage([
  get(ALONE, answerHistory, { needs }),
  get(NAMED, answerHistory, { needs }),
  get(`${ALONE}/compare/:from/:to`, answerComparison, { needs }),
  get(`${NAMED}/compare/:from/:file{.+\\.patch}`, patch, {
    ...PATCH,
    summary: 'The difference of one entity between two revisions as a patch for git',
    parameters: {
      kind: {
        text: 'Such as `pipeline`, `group`, `template`, `environment`, `role` or `agent`',
        schema: z.string().min(1),
        example: 'pipeline',
      },
      name: { text: 'Its name', schema: z.string().min(1), example: SAMPLE.pipeline },
    },
    errors: ['malformed-request', 'revision-not-found', 'entity-not-found', 'unavailable'],
    needs,
  }),
  get(`${NAMED}/compare/:from/:to`, answerComparison, { needs }),
])

async function answerHistory(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv, typeof ALONE | typeof NAMED>,
): Promise<Response> {
  const address = entityAddress(c.req.param('kind'), c.req.param('name') ?? '')
  const offset = parseOffset(c.req.query('offset') ?? '0')
  const isEffective = c.req.query('show') === 'effective'
  const asked = { address, offset, isEffective }
  const entity = await readEntityHistory(configuration, c.env.principal, asked)
  const headers = entity.indexing === null ? {} : REFRESHING
  return pageResponse(<EntityView {...pages.openWithMessage(c)} entity={entity} />, 200, headers)
}

async function answerComparison(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv, `${typeof ALONE | typeof NAMED}/compare/:from/:to`>,
): Promise<Response> {
  const { kind, from, to } = c.req.param()
  const address = entityAddress(kind, c.req.param('name') ?? '')
  const query = { ...parseCompareQuery(c.req.query()), entity: '' }
  const { isEffective } = query
  const asked = { from, to, isEffective, options: comparisonOptionsOf(query) }
  const comparison = await readEntityComparison(configuration, c.env.principal, address, asked)
  const frame = pages.frame(c.req.raw, c.env.principal)
  const hasPatch =
    address.name !== '' &&
    address.stage === null &&
    comparison.hasAfter &&
    pages.isAdministrator(c.env.principal)
  const offersEffective = mayShowEffective(configuration, c.env.principal, address)
  const { before, after, changes, between } = comparison
  // A move to another group changes nothing in the text of a pipeline.
  const isStep = after.base === before.number && (changes.length > 0 || between > 0)
  const undone =
    isStep && (comparison.hasBefore || mayRemove(pages.isAdministrator(c.env.principal), address))
      ? undoneWith(configuration, c.env.principal, address)
      : null
  const view = { frame, address, comparison, query, hasPatch, offersEffective, undone }
  return pageResponse(<EntityCompareView {...view} />)
}

/** Groups and templates come and go by administrators of the server alone. */
function mayRemove(isAdministrator: boolean, { kind }: EntityAddress): boolean {
  return isAdministrator || kind === 'pipeline' || kind === 'stage'
}

async function patch(
  { configuration }: PagesContext,
  c: Context<RouteEnv, `${typeof NAMED}/compare/:from/:file{.+\\.patch}`>,
): Promise<Response> {
  const { kind, name, from, file } = c.req.param()
  const asked = { from, to: file.slice(0, -'.patch'.length) }
  const address = entityAddress(kind, name)
  const found = await readEntityPatch(configuration, c.env.principal, address, asked)
  const { before, after, hunks } = found
  return answerPatch(c, {
    text: renderPatch(hunks, configuration.fileName),
    name: `${kind}-r${before.number}-r${after.number}`,
    etag: `${address.entity} ${before.commit}..${after.commit}`,
    immutable: false,
  })
}
