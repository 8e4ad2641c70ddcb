import { z } from 'zod'
import { readWillNotRun } from '../../builds/configured/unsupported.ts'
import { json } from '../../http/errors.ts'
import { WillNotRunEntry } from '../../wire/will-not-run-body.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { jsonAnswer } from '../definition/operation.ts'
import { resource, routeWith } from '../definition/route.ts'

const route = routeWith<ApiContext>()

/** `GET /api/config/will-not-run`: the parts of the configuration that nobody here acts on. */
export const willNotRunResource = resource({
  open: (context: ApiContext) => context,
  routes: [
    route({
      method: 'GET',
      path: '/api/config/will-not-run',
      tag: 'Configuration',
      summary: 'The parts of the configuration that are kept, but have no effect here',
      caller: 'user',
      answers: {
        200: jsonAnswer(
          'Those of the pipelines that the caller may view; for administrators all',
          z.array(WillNotRunEntry).readonly(),
        ),
      },
      example: { answer: [] },
      handle: async (c, { configuration, health }) => {
        const { unsupported } = health
        return json(await readWillNotRun({ ...configuration, unsupported }, c.env.principal))
      },
    }),
  ],
})
