import type { Context } from 'hono'
import { meansApiToken } from '../../security/issued-secret.ts'
import type { RouteEnv } from '../../http/request-context.ts'

/** The token of an agent's call; empty when there is none. */
export function tokenOf(c: Context<RouteEnv>): string {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  return token
}

/** Whether a request means to carry an agent's token, and not that of a user. */
export function hasAgentToken(request: Request): boolean {
  const [, token] = /^Bearer\b *(.*)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  return token !== undefined && !meansApiToken(token)
}
