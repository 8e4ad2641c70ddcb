import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PAGE_VARIES } from '../../http/conditional-get.ts'
import type { Context } from 'hono'
import { raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { ResponseCache } from '../../http/response-cache.ts'
import { CachedResponse } from '../../http/cached-response.ts'
import { streamedResponse } from '../../http/streamed-response.ts'
import type { RouteEnv } from '../../http/request-context.ts'
import { Turns } from '../../lib/cooperative.ts'
import { webStreamOf } from '../../lib/web-stream.ts'
import { escapeForTextarea } from '../kit/words/escape.ts'

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

/** For a page that shows files of jobs, which have an origin of their own. */
export const WITH_FRAMES = { 'content-security-policy': `${POLICY}; frame-src 'self'` }

const TYPE = 'text/html; charset=utf-8'
const SECURITY = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

export const PAGE_HEADERS = { 'content-type': TYPE, ...SECURITY }

/** For pages with decrypted secrets. */
export const NO_STORE = { 'cache-control': 'no-store' }

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

/** How many characters of a long text are escaped and sent at once. */
const PIECE = 2 ** 18

/**
 * A page with a text of megabytes in the place of its {@link LaterPart}: escaped for a textarea and
 * sent in pieces, with turns for others between them.
 */
export async function pageWithText(
  page: Html,
  text: string,
  { status, headers }: { readonly status: number; readonly headers: Record<string, string> },
): Promise<Response> {
  const [beginning = '', end = ''] = (await documentOf(page)).split(LATER)
  const pieces = async function* () {
    yield Buffer.from(beginning)
    for (let start = 0; start < text.length;) {
      const piece = text.slice(start, pieceEnd(text, start))
      yield Buffer.from(escapeForTextarea(piece))
      start += piece.length
      await nextTurn()
    }
    yield Buffer.from(end)
  }
  return new Response(webStreamOf(Readable.from(pieces())), {
    status,
    headers: { ...PAGE_HEADERS, ...headers },
  })
}

/** Where a piece ends: not inside a character that takes two places. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end
}

export interface PageKeeping {
  /** Identifies the content of the page, which is rendered only when it is new. */
  readonly etag: string
  /** Whether the page never changes. */
  readonly immutable: boolean
}

/** A page, and what comes in the place of its {@link LaterPart} once that is known. */
export interface RenderedPage {
  readonly page: Html
  readonly later?: () => Promise<Html>
}

/** No text of a page has it: `<` is escaped. */
const LATER = '<!--later-->'

/** The place of a part that takes longer than the page above it, which is sent first, or of a long text. */
export function LaterPart(): HtmlEscapedString {
  return raw(LATER)
}

/** Caches rendered pages by their ETag. */
export class PageCache {
  readonly #kept: ResponseCache

  constructor(limit: number) {
    this.#kept = new ResponseCache(limit)
  }

  /**
   * The page with that ETag, rendered if it is not cached; 304 for a caller who has it. Who has none
   * and asks first gets what is above a later part at once.
   */
  answer(
    c: Context<RouteEnv>,
    { etag, immutable }: PageKeeping,
    make: () => Promise<RenderedPage>,
  ): Promise<Response> {
    const headers = { ...SECURITY, vary: PAGE_VARIES }
    const options = { type: TYPE, etag, immutable, headers }
    const mayStream = c.req.header('if-none-match') === undefined
    return new Promise((resolve, reject) => {
      const whole = this.#kept.take(`${etag} ${immutable}`, async () => {
        const parts = await partsOf(await make())
        const beginning = Buffer.from(parts.beginning)
        if (mayStream && parts.rest) resolve(streamedResponse(c, { beginning, whole, options }))
        const rest = Buffer.from(parts.rest ? await parts.rest() : '')
        return new CachedResponse(Buffer.concat([beginning, rest]), options)
      })
      Promise.resolve(whole).then((body) => resolve(body.answer(c)), reject)
    })
  }
}

/** A page up to the place of its later part, and from there on. */
async function partsOf({ page, later }: RenderedPage) {
  const html = await documentOf(page)
  const place = later ? html.indexOf(LATER) : -1
  if (!later || place === -1) return { beginning: html, rest: null }
  const end = html.slice(place + LATER.length)
  return {
    beginning: html.slice(0, place),
    rest: async () => `${(await later()).toString()}${end}`,
  }
}

async function documentOf(page: Html): Promise<string> {
  return `<!doctype html>${(await page).toString()}`
}

/** Renders the long parts of a page, with turns for others between them, and one before the page around them. */
export async function renderInTurns(parts: readonly (() => Html)[]): Promise<HtmlEscapedString[]> {
  const turns = new Turns()
  const rendered: HtmlEscapedString[] = []
  for (const render of parts) {
    rendered.push(raw((await render()).toString()))
    if (turns.isOver) await turns.next()
  }
  await turns.next()
  return rendered
}
