import type { Context } from 'hono'
import { z } from 'zod'
import { SAMPLE } from '../../api/definition/sample.ts'
import { parseOffset } from '../../core/page.ts'
import { entityAddress } from '../revisions/entity-address.ts'
import { readEntityComparison, readEntityPatch } from './entity-comparison.ts'
import { mayShowEffective, mayUndoRevision, readEntityHistory } from './entity-history.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { comparisonOptionsOf, parseCompareQuery } from '../code/compare-query.ts'
import { pageResponse } from '../frame/page-response.ts'
import { definePage, pageWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { answerPatch, PATCH, renderPatch } from '../compare/patch.ts'
import { EntityCompareView } from './entity-compare-view.tsx'
import { REFRESHING } from '../parts/indexing-notice.tsx'
import { EntityView } from './entity-view.tsx'

const needs = 'leader-if-reachable'
const route = pageWith<PagesContext>()

/** `/config/entity/…`: the history of one entity, and its comparison between two revisions. */
export const entityPages = definePage([
  route({
    method: 'GET',
    path: '/config/entity/:kind',
    needs,
    handle: (c, context) => answerHistory(context, c, { kind: c.req.param('kind'), name: '' }),
  }),
  route({
    method: 'GET',
    path: '/config/entity/:kind/:name',
    needs,
    handle: (c, context) => answerHistory(context, c, c.req.param()),
  }),
  route({
    method: 'GET',
    path: '/config/entity/:kind/compare/:from/:to',
    needs,
    handle: (c, context) => answerComparison(context, c, { ...c.req.param(), name: '' }),
  }),
  route({
    method: 'GET',
    path: '/config/entity/:kind/:name/compare/:from/:file{.+\\.patch}',
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
    handle: (c, context) => patch(context, c, c.req.param()),
  }),
  route({
    method: 'GET',
    path: '/config/entity/:kind/:name/compare/:from/:to',
    needs,
    handle: (c, context) => answerComparison(context, c, c.req.param()),
  }),
])

async function answerHistory(
  { pages, clock, configuration }: PagesContext,
  c: Context<RouteEnv>,
  { kind, name }: Readonly<Record<'kind' | 'name', string>>,
): Promise<Response> {
  const address = entityAddress(kind, name)
  const offset = parseOffset(c.req.query('offset') ?? '0')
  const isEffective = c.req.query('show') === 'effective'
  const asked = { address, offset, isEffective }
  const entity = await readEntityHistory(configuration, c.env.principal, asked)
  const frame = pages.frame(c.req.raw, c.env.principal)
  const headers = entity.indexing === null ? {} : REFRESHING
  return pageResponse(<EntityView frame={frame} entity={entity} now={clock()} />, 200, headers)
}

async function answerComparison(
  { pages, configuration }: PagesContext,
  c: Context<RouteEnv>,
  { kind, name, from, to }: Readonly<Record<'kind' | 'name' | 'from' | 'to', string>>,
): Promise<Response> {
  const address = entityAddress(kind, name)
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
  const { before, after, changes } = comparison
  const isStep = after.base === before.number && changes.length > 0
  const mayUndo = isStep && mayUndoRevision(configuration, c.env.principal, after)
  const view = { frame, address, comparison, query, hasPatch, offersEffective, mayUndo }
  return pageResponse(<EntityCompareView {...view} />)
}

async function patch(
  { configuration }: PagesContext,
  c: Context<RouteEnv>,
  { kind, name, from, file }: Readonly<Record<'kind' | 'name' | 'from' | 'file', string>>,
): Promise<Response> {
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
