import { Hono } from 'hono'
import { type ConfigChangesDeps, readChanges } from '../../configuration/changes/config-changes.ts'
import { type ConfigReadingDeps, findPair } from '../../configuration/read/config-reading.ts'
import type { ChangesAnswer } from '../../wire/changes.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { parseSha } from '../../http/parameters.ts'
import { ResponseCache } from '../../http/response-cache.ts'
import { CachedResponse } from '../../http/cached-response.ts'

/** How many bytes of responses are kept. */
const KEPT = 16 * 1_048_576

/** `/api/config/changes…`: what is otherwise between two revisions, in words. */
export function configChangesRoutes(options: ConfigChangesDeps & ConfigReadingDeps) {
  const kept = new ResponseCache(KEPT)
  return new Hono<RouteEnv>().get('/api/config/changes/:from/:to', async (c) => {
    const range = { from: parseSha(c.req.param('from')), to: parseSha(c.req.param('to')) }
    const pair = findPair(options, c.env.principal, range)
    const key = `changes-${range.from}..${range.to}`
    const body = await kept.take(key, async () => {
      const answer: ChangesAnswer = { ...range, ...(await readChanges(options, pair)) }
      return new CachedResponse(Buffer.from(JSON.stringify(answer)), {
        type: 'application/json; charset=utf-8',
        etag: key,
        immutable: true,
      })
    })
    return body.answer(c)
  })
}
