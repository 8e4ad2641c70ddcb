import type { Context } from 'hono'
import { z } from 'zod'
import type { Principal } from '../../core/principal.ts'
import type { CommitSha } from '../../core/revision.ts'
import {
  assertMayNameRevisions,
  assertMayRead,
  type ConfigReadingDeps,
  findPair,
  type RevisionPair,
} from '../../configuration/read/config-reading.ts'
import { parseEntityPlace } from '../../configuration/entities/read-entity.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import { commitNamed, isSha } from './named-commit.ts'
import type { Operation } from '../definition/operation.ts'
import { answerWith, type CachedResponse } from '../../http/cached-response.ts'
import { parseSha } from '../../http/parameters.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { ResponseCache } from '../../http/response-cache.ts'

/** Two commits as they are named. */
interface CommitRange {
  readonly from: CommitSha
  readonly to: CommitSha
}

type PairContext = Context<RouteEnv, '/:from/:to'>

/** The query of a comparison that is narrowed to one entity. */
export const ENTITY_QUERY = {
  entity: {
    text: 'Only what lies in this entity, such as `pipeline/NAME`; in a group with its pipelines. Administrators of the entity can ask for it',
    schema: z.string(),
  },
} as const satisfies Operation['query']

/** The entity that a comparison is narrowed to. */
export interface ComparedPlace extends EntityPlace {
  /** Whether its effective form is compared. */
  readonly isEffective: boolean
}

/** How an answer about two revisions is made; that about one entity of them alone is not kept. */
export interface PairAnswer {
  readonly whole: (range: CommitRange, pair: RevisionPair) => Promise<CachedResponse>
  readonly narrowed: (
    range: CommitRange,
    principal: Principal,
    place: ComparedPlace,
  ) => Promise<CachedResponse>
  /** The state besides the two revisions that a whole answer depends on. */
  readonly stateOf?: () => string
}

/**
 * Answers about two revisions, by any of their names. Those by commits are kept by their addresses:
 * what is kept needs neither a look at the commits nor at the history. A revision that a reset takes
 * back stays as it was.
 */
export function pairAnswers(
  options: ConfigReadingDeps,
  limit: number,
  { whole, narrowed, stateOf = () => '' }: PairAnswer,
): (c: PairContext) => Response | Promise<Response> {
  const cache = new ResponseCache(limit)
  return (c) => {
    const { principal } = c.env
    const { from, to } = c.req.param()
    const entity = c.req.query('entity')
    if (entity !== undefined) return answerWith(answerNarrowed(c, entity), c)
    assertMayRead(options, principal)
    if (!isSha(from) || !isSha(to)) return answerWith(answerNamed(c), c)
    const answer = cache.take(c.env.path + stateOf(), async () => {
      const range = { from: parseSha(from, 'from'), to: parseSha(to, 'to') }
      return whole(range, await findPair(options, principal, range))
    })
    return answerWith(answer, c)
  }

  async function answerNarrowed(c: PairContext, entity: string): Promise<CachedResponse> {
    assertMayNameRevisions(options, c.env.principal)
    const isEffective = c.req.query('effective') === '1'
    const place = { ...parseEntityPlace(entity), isEffective }
    return narrowed(await rangeOf(c), c.env.principal, place)
  }

  /** A tag, a time or a number may come to name another revision: nobody keeps the answer for ever. */
  async function answerNamed(c: PairContext): Promise<CachedResponse> {
    const range = await rangeOf(c)
    const answer = await whole(range, await findPair(options, c.env.principal, range))
    return answer.asMutable()
  }

  async function rangeOf(c: PairContext): Promise<CommitRange> {
    const { from, to } = c.req.param()
    return {
      from: await commitNamed(options, ['from', from]),
      to: await commitNamed(options, ['to', to]),
    }
  }
}
