import type { Context } from 'hono'
import type { RouteEnv } from '../../http/request-context.ts'

/** The token of an agent's call; empty when there is none. */
export function tokenOf(c: Context<RouteEnv>): string {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  return token
}

/** Whether a request means to carry an agent's token, and not a user. */
export function hasAgentToken(request: Request): boolean {
  return /^Bearer\b/i.test(request.headers.get('authorization') ?? '')
}
