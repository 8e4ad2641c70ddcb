import { type Context, Hono, type Next } from 'hono'
import type { H } from 'hono/types'
import { digestOf } from '../core/digest.ts'
import type { RouteEnv } from './request-context.ts'
import { CachedResponse } from './cached-response.ts'

const PAGE_TYPE = 'text/html'
/** Types of answers that are short enough to hold in memory; files are not. */
const WHOLE_TYPES: readonly string[] = [PAGE_TYPE, 'application/json', 'application/atom+xml']

/** Pages depend on the cookie with the colour scheme. */
export const PAGE_VARIES = 'accept-encoding, cookie'

const COMMON_HEADERS: readonly string[] = ['content-type', 'cache-control']

/**
 * The same routes with conditional reads: each answer gets an ETag, becomes a 304 when the caller
 * has it, and is compressed when the caller accepts it. It is not cached, because it may change at
 * any time.
 */
export function conditionalGets(part: Hono<RouteEnv>): Hono<RouteEnv> {
  const routes = new Hono<RouteEnv>()
  for (const { method, path, handler } of part.routes) {
    routes.on(method, path, method === 'GET' ? conditional(handler) : handler)
  }
  return routes
}

function conditional(handler: H<RouteEnv>): H<RouteEnv> {
  return async (c: Context<RouteEnv>, next: Next) => {
    const answer = await handler(c, next)
    return answer instanceof Response ? withETag(c, answer) : answer
  }
}

/** The headers of an answer besides those that every answer has. */
function extrasOf(headers: Headers): Record<string, string> {
  const extras = [...headers].filter(([name]) => !COMMON_HEADERS.includes(name))
  return Object.fromEntries(extras)
}

async function withETag(c: Context<RouteEnv>, answer: Response): Promise<Response> {
  const { status, headers } = answer
  const type = headers.get('content-type') ?? ''
  const isWhole = WHOLE_TYPES.some((whole) => type.startsWith(whole))
  if (status !== 200 || headers.has('etag') || !isWhole) return answer
  const isPage = type.startsWith(PAGE_TYPE)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const own = isPage ? { ...Object.fromEntries(headers), vary: PAGE_VARIES } : extrasOf(headers)
  const keeping = { type, etag: digestOf(bytes), immutable: false, headers: own }
  return new CachedResponse(bytes, keeping).answer(c)
}
