import type { Context } from 'hono'
import type { CommitSha } from '../../core/revision.ts'
import {
  assertMayRead,
  type ConfigReadingDeps,
  findPair,
  type RevisionPair,
} from '../../configuration/read/config-reading.ts'
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

/**
 * Answers about two revisions, kept by the addresses that name them: what is kept needs neither a
 * look at the commits nor at the history. A revision that a reset takes back stays as it was.
 */
export function pairAnswers(
  options: ConfigReadingDeps,
  limit: number,
  make: (range: CommitRange, pair: RevisionPair) => Promise<CachedResponse>,
): (c: PairContext) => Response | Promise<Response> {
  const cache = new ResponseCache(limit)
  return (c) => {
    assertMayRead(options, c.env.principal)
    const answer = cache.take(c.env.path, async () => {
      const range = { from: parseSha(c.req.param('from')), to: parseSha(c.req.param('to')) }
      return make(range, await findPair(options, c.env.principal, range))
    })
    return answerWith(answer, c)
  }
}
