import { z } from 'zod'
import { EMPTY_PLAN, planConfiguration } from '../../builds/plan/plan-configuration.ts'
import { json } from '../../http/errors.ts'
import { readBody } from '../../http/request-body.ts'
import { ChangeEntry } from '../../wire/changes.ts'
import { ProblemBody } from '../../wire/error-body.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { jsonAnswer } from '../definition/operation.ts'
import { QUIET } from '../definition/route-rules.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const Names = z.array(z.string()).readonly()

/** The consequences of saving a document. */
const PlanBody = z.object({
  valid: z.boolean(),
  errors: z.array(ProblemBody).readonly(),
  changes: z.array(ChangeEntry).readonly(),
  /** The runs that saving it now would begin. */
  starts: z.array(z.object({ pipeline: z.string(), because: z.string() })).readonly(),
  /** Why pipelines among these cannot start, or why jobs of theirs would wait for an agent. */
  obstacles: z.array(z.object({ pipeline: z.string(), because: z.string() })).readonly(),
  touches: z.object({
    pipelines: Names,
    agents: Names,
    environments: Names,
    /** The running jobs of these pipelines, as `pipeline/counter/stage/counter/job`. */
    jobsRunning: Names,
  }),
  permissions: z.array(z.object({ user: z.string(), gains: Names, loses: Names })).readonly(),
  /** The parts of the document that are kept, though nobody here acts on them. */
  willNotRun: z
    .array(
      z.object({
        entity: z.string(),
        at: z.object({ line: z.int(), column: z.int() }),
        what: z.string(),
        because: z.string(),
      }),
    )
    .readonly(),
  /** Empty: the service has no rules. */
  rules: z.array(z.never()).readonly(),
})

const route = routeWith<LeaderContext>()

/** `POST /api/config/plan`: what saving a document would do. */
export const planResource = leaderResource({
  open: (context: LeaderContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/api/config/plan',
      tag: 'Configuration',
      summary: 'Previews the effects of saving a document',
      caller: 'administrator',
      audit: QUIET,
      scope: 'read',
      body: { required: true, content: [{ type: 'application/xml', schema: null }] },
      answers: { 200: jsonAnswer('The plan, of an invalid document its errors', PlanBody) },
      errors: ['malformed-request', 'body-too-large'],
      example: {
        body: SAMPLE.document,
        answer: { ...EMPTY_PLAN, rules: [] },
      },
      handle: async (c, { builds, site }) => {
        const document = await readBody(c.req.raw, site.maxBody)
        const plan = await planConfiguration(builds, c.env.principal, document)
        return json({ ...plan, rules: [] })
      },
    }),
  ],
})
