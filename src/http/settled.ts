import { type Context, Hono, type Next } from 'hono'
import type { H } from 'hono/types'
import { digestOf } from '../core/digest.ts'
import type { RouteEnv } from './door.ts'
import { PAGE_VARIES } from './pages/page-response.ts'
import { ReadyBody } from './ready-body.ts'

const JSON_TYPE = 'application/json'
const PAGE_TYPE = 'text/html'

/**
 * The same routes; what they answer to reads has what every answer that may change has: an ETag, 304
 * for who knows it, and a compressed form for who takes one.
 */
export function settled(part: Hono<RouteEnv>): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>()
  for (const { method, path, handler } of part.routes) {
    routes.on(method, path, method === 'GET' ? settling(handler) : handler)
  }
  return routes
}

function settling(handler: H<RouteEnv>): H<RouteEnv> {
  return async (c: Context<RouteEnv>, next: Next) => {
    const answer = await handler(c, next)
    return answer instanceof Response ? settle(c.req.raw, answer) : answer
  }
}

async function settle(request: Request, answer: Response): Promise<Response> {
  const { status, headers } = answer
  const type = headers.get('content-type') ?? ''
  const isPage = type.startsWith(PAGE_TYPE)
  if (status !== 200 || headers.has('etag') || !(isPage || type.startsWith(JSON_TYPE))) {
    return answer
  }
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const own = isPage ? { ...Object.fromEntries(headers), vary: PAGE_VARIES } : {}
  const keeping = { type, etag: digestOf(bytes), immutable: false, headers: own }
  return new ReadyBody(bytes, keeping).answer(request)
}
