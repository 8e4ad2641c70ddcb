import { digestOf } from '../../core/digest.ts'
import { renderXsd } from '../../document/schema/render-xsd.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { CACHE_HEADERS, NOT_MODIFIED } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'

const XML = 'application/xml'
const route = routeWith<() => CachedResponse>()

/** The schema of the document, for editors. */
export const schemaResource = resource({
  open: () => {
    let rendered: CachedResponse | null = null
    return () => (rendered ??= renderSchema())
  },
  routes: [
    route({
      method: 'GET',
      path: '/api/config/schema.xsd',
      tag: 'Configuration',
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
