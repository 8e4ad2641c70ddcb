import { digestOf } from '../../core/digest.ts'
import { renderMetrics } from '../../core/metric.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { NOT_MODIFIED } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const route = routeWith<ApiContext['health']>()

/** `/metrics`: numbers for Prometheus, to every user. They say nothing of what is configured. */
export const metricsResource = resource({
  open: ({ health }: ApiContext) => health,
  routes: [
    route({
      method: 'GET',
      path: '/metrics',
      tag: 'Service',
      summary: 'Metrics for Prometheus',
      caller: 'user',
      answers: {
        200: { text: 'The text format', content: [{ type: 'text/plain', schema: null }] },
        304: NOT_MODIFIED,
      },
      example: {
        answer: `# HELP cairn_problems Open problems
# TYPE cairn_problems gauge
cairn_problems 0
`,
      },
      handle: async (c, { metrics }) => {
        const bytes = new TextEncoder().encode(renderMetrics(await metrics.read()))
        const options = { type: TYPE, etag: digestOf(bytes), immutable: false }
        return new CachedResponse(bytes, options).answer(c)
      },
    }),
  ],
})
