import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors.ts'
import { json } from '../../http/errors.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { type EntityPut, isAtBase } from '../../configuration/entities/save-entity.ts'
import type { ProposedEntity } from '../../proposals/content.ts'
import { afterAct } from '../../proposals/merge-proposal.ts'
import { prepareAllowed, propose, type ProposeRequest } from '../../proposals/propose.ts'
import { readProposal } from '../../proposals/read-proposals.ts'
import { ProposalBody } from '../../wire/proposal-body.ts'
import { leadingNow } from '../definition/mount-routes.ts'
import { jsonAnswer, type Operation } from '../definition/operation.ts'
import type { ApiContext } from '../definition/api-context.ts'
import { renderProposalDetail } from './proposal-bodies.ts'

const PREFER = 'prefer'
const PROPOSE = /(?:^|[,;\s])propose(?:$|[,;\s])/i

export const PREFER_HEADER = {
  Prefer: {
    text: '`propose`: what the caller may not save becomes a proposal',
    schema: z.string(),
  },
} as const satisfies Operation['headers']

/** The answer to a save that has become a proposal. */
export const PROPOSED = {
  202: jsonAnswer('What the caller may not save alone is proposed', ProposalBody),
}

/** Whether a refused save is to become a proposal, which the leader makes. */
export function prefersProposal(request: Request): boolean {
  return PROPOSE.test(request.headers.get(PREFER) ?? '')
}

/** The proposal that a refused save becomes. */
interface WantedProposal extends Pick<ProposeRequest, 'content' | 'base' | 'message'> {
  /** The title of one without a reason. */
  readonly summary: string
}

/** Saves; where that is left to others and the caller prefers it, proposes instead. */
export async function saveOrPropose(
  c: Context<RouteEnv>,
  context: ApiContext,
  save: () => Promise<Response>,
  proposed: () => WantedProposal | Promise<WantedProposal>,
): Promise<Response> {
  try {
    return await save()
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === 'not-permitted'
    if (!isRefused || !prefersProposal(c.req.raw)) throw error
    const { proposals } = leadingNow(context.leader())
    const { summary, ...request } = await proposed()
    const [title = ''] = request.message.split('\n', 1)
    const { number } = await propose(proposals, c.env.principal, {
      ...request,
      title: title === '' ? summary : title,
      when: null,
    })
    c.env.auditActions = [{ action: 'propose', target: `/api/proposals/${number}` }]
    const done = `The proposal ${number} is made`
    const detail = await afterAct(done, () => readProposal(proposals, c.env.principal, number))
    const location = `${context.site.basePath}/api/proposals/${number}`
    return json(renderProposalDetail(detail), 202, { location })
  }
}

interface RefusedEntity {
  readonly change: Pick<EntityPut, 'place' | 'base' | 'message'>
  readonly entity: ProposedEntity
  /** The entity in words. */
  readonly what: string
}

/**
 * The proposal that a refused change of an entity becomes. Only those who may view the entity learn that it
 * has changed since.
 *
 * @throws {ServiceError} `config-stale`, and those of `propose`.
 */
export async function proposedEntity(
  c: Context<RouteEnv>,
  context: ApiContext,
  { change: { place, base, message }, entity, what }: RefusedEntity,
): Promise<WantedProposal> {
  const content = { entities: [entity] }
  const { proposals } = leadingNow(context.leader())
  await prepareAllowed(proposals, c.env.principal, { content, base: null })
  if (isAtBase(proposals.configuration.read(), { place, base })) {
    const summary = `${entity.xml === null ? 'Remove' : 'Change'} the ${what}`
    return { content, base: null, message, summary }
  }
  const current = proposals.history.current().digest
  throw new ServiceError('config-stale', `The ${what} has changed since`, { current, problems: [] })
}
