import { Hono } from 'hono'
import type { RouteEnv } from '../../http/request-context.ts'
import { ApiView } from './api-view.tsx'
import { PageCache } from '../frame/page-response.ts'
import type { PageContext } from '../frame/page-context.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { digestOf } from '../../core/digest.ts'
import {
  describeRoutes,
  type DescribedCall,
  type MountedRoute,
} from '../../api/description/described-call.ts'
import { renderOpenApi } from '../../api/description/openapi.ts'

/** The size of the page cache, in bytes. */
const CACHE_BYTES = 4 * 1_048_576

export interface DescriptionOptions {
  readonly pages: PageContext
  readonly basePath: string
  readonly version: string
  /** Every route of the service; read at the first request, after all routes are registered. */
  readonly routes: () => readonly MountedRoute[]
}

/** `/api` and `/api/openapi.json`: the description of every route, for people and for programs. */
export function descriptionRoutes(options: DescriptionOptions) {
  const { pages } = options
  const cache = new PageCache(CACHE_BYTES)
  const made = once(() => {
    const calls = describeRoutes(options.routes())
    return { calls, body: bodyOf(calls, options) }
  })
  return new Hono<RouteEnv>()
    .get('/api/openapi.json', (c) => made().body.answer(c))
    .get('/api', (c) => {
      const frame = pages.frame(c.req.raw, c.env.principal)
      const origin = `${pages.originOf(c.req.raw)}${options.basePath}`
      const etag = pages.etag(frame, ['api', origin])
      const { calls } = made()
      return cache.answer(c, { etag, immutable: false }, async () => ({
        page: <ApiView frame={frame} calls={calls} origin={origin} />,
      }))
    })
}

function bodyOf(calls: readonly DescribedCall[], options: DescriptionOptions): CachedResponse {
  const bytes = Buffer.from(JSON.stringify(renderOpenApi(calls, options)))
  const type = 'application/json; charset=utf-8'
  return new CachedResponse(bytes, { type, etag: digestOf(bytes), immutable: false })
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null
  return () => (made ??= make())
}
