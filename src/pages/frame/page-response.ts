import { PAGE_VARIES } from '../../http/conditional-get.ts'
import type { Context } from 'hono'
import type { HtmlEscapedString } from 'hono/utils/html'
import { ResponseCache } from '../../http/response-cache.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import type { RouteEnv } from '../../http/request-context.ts'

/** The value of a JSX expression. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** No inline script or style, nothing from other origins, no framing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** The policy of a page whose script creates a style sheet, which carries the nonce. */
export function policyWith(nonce: string): string {
  return POLICY.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`)
}

const TYPE = 'text/html; charset=utf-8'
const SECURITY = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

export const PAGE_HEADERS = { 'content-type': TYPE, ...SECURITY }

/** For pages with decrypted secrets. */
export const NEVER_KEPT = { 'cache-control': 'no-store' }

/** A page as a response; caches must revalidate it unless the headers allow more. */
export async function pageResponse(
  page: Html,
  status = 200,
  headers: Record<string, string> = {},
): Promise<Response> {
  return new Response(await documentOf(page), {
    status,
    headers: { ...PAGE_HEADERS, 'cache-control': 'private, no-cache', ...headers },
  })
}

export interface PageKeeping {
  /** Identifies the content of the page, which is rendered only when it is new. */
  readonly etag: string
  /** Whether the page never changes. */
  readonly immutable: boolean
}

/** Caches rendered pages by their ETag. */
export class PageCache {
  readonly #kept: ResponseCache

  constructor(limit: number) {
    this.#kept = new ResponseCache(limit)
  }

  /** The page with that ETag, rendered if it is not cached; 304 for a caller who has it. */
  async answer(
    c: Context<RouteEnv>,
    { etag, immutable }: PageKeeping,
    make: () => Promise<Html>,
  ): Promise<Response> {
    const body = await this.#kept.take(`${etag} ${immutable}`, async () => {
      const headers = { ...SECURITY, vary: PAGE_VARIES }
      const bytes = Buffer.from(await documentOf(await make()))
      return new CachedResponse(bytes, { type: TYPE, etag, immutable, headers })
    })
    return body.answer(c)
  }
}

async function documentOf(page: Html): Promise<string> {
  return `<!doctype html>${(await page).toString()}`
}
