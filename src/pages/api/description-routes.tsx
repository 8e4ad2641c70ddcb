import { z } from 'zod'
import { NOT_MODIFIED, reads } from '../../api/definition/operation.ts'
import { ApiView } from './api-view.tsx'
import { PageCache } from '../frame/page-response.ts'
import { definePageWith, routesWith } from '../frame/page-routes.ts'
import type { PagesContext } from '../frame/pages-context.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { digestOf } from '../../core/digest.ts'
import type { DescribedCall } from '../../api/description/described-call.ts'
import { renderOpenApi } from '../../api/description/openapi.ts'

/** The size of the page cache, in bytes. */
const CACHE_BYTES = 4 * 1_048_576

interface DescriptionState extends PagesContext {
  readonly cache: PageCache
  readonly description: () => Description
}

interface Description {
  readonly calls: readonly DescribedCall[]
  readonly body: CachedResponse
}

const tag = 'Service'
const { get } = routesWith<DescriptionState>()

/** `/api` and `/api/openapi.json`: the description of every route, for people and for programs. */
export const descriptionPages = definePageWith(
  (context): DescriptionState => ({
    ...context,
    cache: new PageCache(CACHE_BYTES),
    description: once(() => describe(context)),
  }),
  [
    get('/api/openapi.json', ({ description }, c) => description().body.answer(c), {
      tag,
      summary: 'This description',
      answers: reads('OpenAPI 3.1', z.object({ openapi: z.string() }).loose()),
      example: { answer: { openapi: '3.1.0', info: { title: 'Cairn', version: '0.1.0' } } },
    }),
    get(
      '/api',
      ({ pages, site, cache, description }, c) => {
        const frame = pages.frame(c.req.raw, c.env.principal)
        const origin = `${pages.originOf(c.req.raw)}${site.basePath}`
        const etag = pages.etag(frame, ['api', origin])
        const { calls } = description()
        return cache.answer(c, { etag, immutable: false }, async () => ({
          page: <ApiView frame={frame} calls={calls} origin={origin} />,
        }))
      },
      {
        tag,
        summary: 'This page',
        answers: {
          200: { text: 'A page', content: [{ type: 'text/html', schema: null }] },
          304: NOT_MODIFIED,
        },
        example: {},
      },
    ),
  ],
)

function describe({ described, site, health }: PagesContext): Description {
  const calls = described()
  const { basePath } = site
  return { calls, body: bodyOf(calls, { basePath, version: health.version }) }
}

function bodyOf(
  calls: readonly DescribedCall[],
  options: Parameters<typeof renderOpenApi>[1],
): CachedResponse {
  const bytes = Buffer.from(JSON.stringify(renderOpenApi(calls, options)))
  const type = 'application/json; charset=utf-8'
  return new CachedResponse(bytes, { type, etag: digestOf(bytes), immutable: false })
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null
  return () => (made ??= make())
}
