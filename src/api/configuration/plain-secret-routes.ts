import { Hono } from 'hono'
import {
  acknowledgeSecrets,
  type PlainSecretDeps,
} from '../../configuration/read/plain-secret-alarm.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { json } from '../../http/errors.ts'
import { parseSha } from '../../http/parameters.ts'

export type PlainSecretRoutesOptions = PlainSecretDeps

/** `POST /api/config/revisions/[commit]/acknowledge-secrets`: somebody has changed these secrets. */
export function plainSecretRoutes(options: PlainSecretRoutesOptions) {
  return new Hono<RouteEnv>().post(
    '/api/config/revisions/:commit/acknowledge-secrets',
    async (c) => {
      const commit = parseSha(c.req.param('commit'))
      const count = await acknowledgeSecrets(options, c.env.principal, commit)
      return json({
        message: `The secrets of ${count === 1 ? 'a commit' : `${count} commits`} are acknowledged`,
      })
    },
  )
}
