import { renderMetrics } from '../../core/metric.ts'
import type { ServiceMetrics } from '../../health/service-metrics.ts'
import { resource, routeWith } from '../definition/route.ts'

export interface MetricsOptions {
  readonly metrics: ServiceMetrics
}

const route = routeWith<MetricsOptions>()

/** `/metrics`: numbers for Prometheus, to every user. They say nothing of what is configured. */
export const metricsResource = resource({
  open: (options: MetricsOptions) => options,
  routes: [
    route({
      method: 'GET',
      path: '/metrics',
      tag: 'Service',
      summary: 'Numbers for Prometheus',
      caller: 'user',
      answers: {
        200: { text: 'The text format', content: [{ type: 'text/plain', schema: null }] },
      },
      example: {
        answer: `# HELP cairn_problems What an operator should look at
# TYPE cairn_problems gauge
cairn_problems 0
`,
      },
      handle: async (_c, { metrics }) => {
        const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
        return new Response(renderMetrics(await metrics.read()), {
          headers: { ...headers, 'cache-control': 'no-store' },
        })
      },
    }),
  ],
})
