import { z } from 'zod'
import { NO_EFFECTS } from '../../builds/plan/plan-configuration.ts'
import { planEntity } from '../../builds/plan/plan-entity.ts'
import { NOTHING_HIDDEN } from '../../builds/plan/plan-view.ts'
import { parseEntityPlace } from '../../configuration/entities/read-entity.ts'
import { checkedMessage, messageOf } from '../../http/change-message.ts'
import { json } from '../../http/errors.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import { isJson, readBody, readJson } from '../../http/request-body.ts'
import { planContent, planProposal, planSave } from '../../proposals/plan-proposal.ts'
import { PlanBody } from '../../wire/plan-body.ts'
import { ProposalUpdateBody } from '../../wire/proposal-body.ts'
import type { LeaderContext } from '../definition/api-context.ts'
import { jsonAnswer, MESSAGE_HEADER } from '../definition/operation.ts'
import { QUIET } from '../definition/route-rules.ts'
import { leaderResource, routeWith } from '../definition/route.ts'
import { proposedContent } from './proposal-bodies.ts'
import { SAMPLE } from '../definition/sample.ts'

const route = routeWith<LeaderContext>('Configuration')

/** `POST /api/config/plan`: what saving a document, or merging a proposal, would do. */
export const planResource = leaderResource({
  open: (context: LeaderContext) => context,
  routes: [
    route({
      method: 'POST',
      path: '/api/config/plan',
      summary: 'Previews the effects of saving a document or one entity, or of merging a proposal',
      caller: 'planReader',
      audit: QUIET,
      scope: 'read',
      tools: [{ name: 'plan' }],
      query: {
        entity: {
          text: 'The body is the XML of this entity alone, such as `pipeline/NAME`',
          schema: z.string(),
        },
        group: { text: 'The group of a pipeline that is new', schema: z.string() },
        proposal: {
          text: 'The number of a proposal that is there; the body is ignored',
          schema: z.string(),
        },
      },
      headers: MESSAGE_HEADER,
      body: {
        required: true,
        content: [
          { type: 'application/xml', schema: null },
          { type: 'application/json', schema: ProposalUpdateBody },
        ],
      },
      answers: { 200: jsonAnswer('The plan, of an invalid document its errors', PlanBody) },
      errors: [
        'malformed-request',
        'body-too-large',
        'entity-not-found',
        'config-stale',
        'proposal-not-found',
        'proposal-outdated',
        'snapshot-not-found',
      ],
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
      handle: async (c, { builds, proposals, site }) => {
        const { principal } = c.env
        const { entity, group = null, proposal } = c.req.query()
        if (proposal !== undefined) {
          const number = parseWholeNumber(proposal, 'proposal')
          return json({ ...(await planProposal(proposals, principal, number)), rules: [] })
        }
        if (isJson(c.req.raw)) {
          const request = await readJson(c.req.raw, site.maxBody, ProposalUpdateBody)
          const message = checkedMessage(request.message ?? '', 'message') || messageOf(c.req.raw)
          const base = request.base ?? null
          const asked = { content: proposedContent(request), base, message }
          return json({ ...(await planContent(proposals, principal, asked)), rules: [] })
        }
        const message = messageOf(c.req.raw)
        const body = await readBody(c.req.raw, site.maxBody)
        if (entity === undefined) {
          const plan = await planSave(proposals, principal, { document: body, message })
          return json({ ...plan, rules: [] })
        }
        const place = parseEntityPlace(entity)
        const plan = await planEntity(builds, principal, { place, xml: body, group, message })
        return json({ ...plan, rules: [] })
      },
    }),
  ],
})
