import { z } from 'zod'
import { digestOf } from '../../core/digest.ts'
import { renderXsd } from '../../document/schema/render-xsd.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { CACHE_HEADERS, NOT_MODIFIED, reads } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'
import { readWillNotRun } from '../../builds/configured/unsupported.ts'
import { json } from '../../http/errors.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { WillNotRunEntry } from '../../wire/plan-body.ts'

const XML = 'application/xml'
const schemaRoute = routeWith<() => CachedResponse>('Configuration')

/** The schema of the document, for editors. */
export const schemaResource = resource({
  open: () => {
    let rendered: CachedResponse | null = null
    return () => (rendered ??= renderSchema())
  },
  routes: [
    schemaRoute({
      method: 'GET',
      path: '/api/config/schema.xsd',
      summary: 'The XML Schema of the document at all versions, for editors',
      caller: 'user',
      answers: {
        200: { text: 'The schema', content: [{ type: XML, schema: null }], headers: CACHE_HEADERS },
        304: NOT_MODIFIED,
      },
      example: {},
      handle: (c, schema) => schema().answer(c),
    }),
  ],
})

function renderSchema(): CachedResponse {
  const bytes = new TextEncoder().encode(renderXsd())
  const options = { type: `${XML}; charset=utf-8`, etag: digestOf(bytes), immutable: false }
  return new CachedResponse(bytes, options)
}

const route = routeWith<ApiContext>('Configuration')

/** `GET /api/config/will-not-run`: the parts of the configuration that nobody here acts on. */
export const willNotRunResource = resource({
  open: (context: ApiContext) => context,
  conditional: true,
  routes: [
    route({
      method: 'GET',
      path: '/api/config/will-not-run',
      summary: 'The parts of the configuration that are kept, but have no effect here',
      caller: 'user',
      answers: reads(
        'Those of the pipelines that the caller may view; for administrators all',
        z.array(WillNotRunEntry).readonly(),
      ),
      example: { answer: [] },
      handle: async (c, { configuration, health }) => {
        const { unsupported } = health
        return json(await readWillNotRun({ ...configuration, unsupported }, c.env.principal))
      },
    }),
  ],
})
