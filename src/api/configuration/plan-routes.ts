import { z } from 'zod'
import { NO_EFFECTS, planConfiguration } from '../../builds/plan/plan-configuration.ts'
import { planEntity } from '../../builds/plan/plan-entity.ts'
import { NOTHING_HIDDEN } from '../../builds/plan/plan-view.ts'
import { parseEntityPlace } from '../../configuration/entities/read-entity.ts'
import { Digest } from '../../core/digest.ts'
import { json } from '../../http/errors.ts'
import { readBody } from '../../http/request-body.ts'
import { ChangeEntry } from '../../wire/changes.ts'
import { ProblemBody } from '../../wire/error-body.ts'
import { WillNotRunEntry } from '../../wire/will-not-run-body.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { jsonAnswer } from '../definition/operation.ts'
import { QUIET } from '../definition/route-rules.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { SAMPLE } from '../definition/sample.ts'

const Names = z.array(z.string()).readonly()

/** The consequences of saving a document, or one entity of it. */
const PlanBody = z.object({
  valid: z.boolean(),
  /** The digest of the current document. */
  base: Digest,
  /** The digest of the document that would be current; null for an invalid one. */
  result: Digest.nullable(),
  errors: z.array(ProblemBody).readonly(),
  changes: z.array(ChangeEntry).readonly(),
  /** The runs that saving it now would begin. */
  starts: z.array(z.object({ pipeline: z.string(), because: z.string() })).readonly(),
  /** The pipelines that would run less by themselves than now, or not at all. */
  stops: z.array(z.object({ pipeline: z.string(), because: z.string() })).readonly(),
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
  willNotRun: z.array(WillNotRunEntry).readonly(),
  /** Whether the caller may save it, and whose decision it needs otherwise; null for an invalid document. */
  verdict: z
    .object({
      kind: z.enum(['allowed', 'needs', 'denied']),
      reason: z.string().exactOptional(),
      needs: z
        .array(z.object({ rule: z.string(), of: Names, reason: z.string().exactOptional() }))
        .readonly(),
    })
    .nullable(),
  /** How many entries of these lists are about what the caller may not view. */
  hidden: z.object({
    changes: z.int(),
    starts: z.int(),
    stops: z.int(),
    obstacles: z.int(),
    touches: z.int(),
    willNotRun: z.int(),
  }),
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
      summary: 'Previews the effects of saving a document, or one entity for those who may view it',
      caller: 'administrator',
      audit: QUIET,
      scope: 'read',
      tools: [{ name: 'plan' }],
      query: {
        entity: {
          text: 'The body is the XML of this entity alone, such as `pipeline/NAME`',
          schema: z.string(),
        },
        group: { text: 'The group of a pipeline that is new', schema: z.string() },
      },
      body: { required: true, content: [{ type: 'application/xml', schema: null }] },
      answers: { 200: jsonAnswer('The plan, of an invalid document its errors', PlanBody) },
      errors: ['malformed-request', 'body-too-large', 'entity-not-found'],
      example: {
        body: SAMPLE.document,
        answer: {
          ...NO_EFFECTS,
          base: SAMPLE.digest,
          result: SAMPLE.digest,
          verdict: { kind: 'allowed', needs: [] },
          hidden: NOTHING_HIDDEN,
          rules: [],
        },
      },
      handle: async (c, { builds, site }) => {
        const { principal } = c.env
        const { entity, group = null } = c.req.query()
        const body = await readBody(c.req.raw, site.maxBody)
        if (entity === undefined) {
          const plan = await planConfiguration(builds, principal, body)
          return json({ ...plan, hidden: NOTHING_HIDDEN, rules: [] })
        }
        const place = parseEntityPlace(entity)
        const plan = await planEntity(builds, principal, { place, xml: body, group })
        return json({ ...plan, rules: [] })
      },
    }),
  ],
})
