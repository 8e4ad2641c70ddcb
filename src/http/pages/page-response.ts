import type { HtmlEscapedString } from 'hono/utils/html'

/** No inline script or style, nothing from elsewhere, no framing. */
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

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

/** A page as an answer; not kept by caches unless said otherwise. */
export async function pageResponse(
  page: HtmlEscapedString | Promise<HtmlEscapedString>,
  status = 200,
): Promise<Response> {
  const html = (await page).toString()
  return new Response(`<!doctype html>${html}`, {
    status,
    headers: { ...PAGE_HEADERS, 'cache-control': 'private, no-cache' },
  })
}
