import { z } from 'zod'
import { compareRuns } from '../../builds/compare/compare-runs.ts'
import { json } from '../../http/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { RunComparisonBody } from '../../wire/run-comparison-body.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { reads } from '../definition/operation.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'
import { renderComparison } from './comparison-body.ts'

type Context = Pick<LeaderContext, 'builds' | 'site'>

const LAST_PASSED = 'last-passed'

const REVISION = {
  number: 12,
  commit: SAMPLE.commit,
  digest: SAMPLE.digest,
  username: 'admin',
  time: SAMPLE.time,
  message: '',
}

const COMPARISON: RunComparisonBody = {
  from: 1,
  to: 2,
  stage: { name: SAMPLE.stage, from: '1', to: '1' },
  causes: [
    {
      kind: 'configuration',
      text: `r12 by admin changed the pipeline ${SAMPLE.pipeline}: stage ${SAMPLE.stage} › job ${SAMPLE.job}: task make → make test`,
      link: `/config/entity/pipeline/${SAMPLE.pipeline}/compare/r11/r12`,
    },
  ],
  materials: [],
  upstream: [],
  configuration: {
    from: { ...SAMPLE.before, number: 11 },
    to: { digest: SAMPLE.digest, commit: SAMPLE.commit, number: 12 },
    changes: [
      {
        kind: 'changed',
        entity: `pipeline/${SAMPLE.pipeline}`,
        label: SAMPLE.pipeline,
        path: [`stage ${SAMPLE.stage}`, `job ${SAMPLE.job}`],
        subject: 'task',
        from: 'make',
        to: 'make test',
        text: `stage ${SAMPLE.stage} › job ${SAMPLE.job}: task make → make test`,
        revision: REVISION,
      },
    ],
    complete: true,
  },
  variables: [],
  agents: [],
}

const route = routeWith<Context>('Pipelines and stages')

/** `/api/pipelines/[name]/compare…`: the differences between two runs. */
export const compareResource = leaderResource({
  conditional: true,
  open: ({ builds, site }: LeaderContext): Context => ({ builds, site }),
  routes: [
    route({
      method: 'GET',
      path: '/api/pipelines/:name/compare/:from/:to',
      summary:
        'The differences between two runs of a pipeline, and the possible causes of a different result, most likely first',
      caller: 'viewer',
      tools: [{ name: 'why' }],
      parameters: {
        from: {
          text: 'The counter of the earlier run, or `last-passed` for the one whose stage had passed last',
          schema: z.string(),
          example: LAST_PASSED,
        },
        to: { text: 'The counter of the later run', schema: z.int(), example: '2' },
      },
      query: {
        stage: {
          text: 'The stage to compare; by default the first one that did not pass',
          schema: z.string(),
        },
      },
      answers: reads('The differences', RunComparisonBody),
      errors: ['malformed-request', 'pipeline-not-found', 'stage-not-found'],
      example: { answer: COMPARISON },
      handle: async (c, { builds, site }) => {
        const { name: pipeline, from, to } = c.req.param()
        const found = await compareRuns(builds, c.env.principal, {
          pipeline,
          from: from === LAST_PASSED ? from : parseWholeNumber(from, 'from'),
          to: parseWholeNumber(to, 'to'),
          stage: c.req.query('stage') ?? null,
        })
        return json(renderComparison(found, site.basePath))
      },
    }),
  ],
})
