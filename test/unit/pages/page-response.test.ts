import { EventEmitter, once } from 'node:events'
import { Hono } from 'hono'
import { raw } from 'hono/html'
import { describe, expect, it } from 'vitest'
import { AddressList } from '../../../src/http/address-list.ts'
import { RequestContext, type RouteEnv } from '../../../src/http/request-context.ts'
import {
  LaterPart,
  PageCache,
  pageWithText,
  type RenderedPage,
} from '../../../src/pages/frame/page-response.ts'

const PAGE = raw(`<p>rows</p>${String(LaterPart())}<p>end</p>`)

/** A page at `/` of an app that makes it once. */
function appWith(make: () => Promise<RenderedPage>) {
  const kept = new PageCache(1_000_000)
  const app = new Hono<RouteEnv>().get('/', (c) =>
    kept.answer(c, { etag: 'one', immutable: false }, make),
  )
  return async (headers: Record<string, string> = {}) => {
    const request = new Request('http://localhost/', { headers })
    const context = new RequestContext(request, null, {
      basePath: '',
      proxies: new AddressList([]),
    })
    return app.fetch(request, context)
  }
}

/** A part of a page that comes when the test says so. */
function held() {
  const events = new EventEmitter()
  const part = once(events, 'come').then(([html]) => raw(String(html)))
  return {
    later: () => part,
    come: (html: string) => events.emit('come', html),
    fail: (error: Error) => events.emit('error', error),
  }
}

function readerOf(response: Response) {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  return async () => Buffer.from((await reader.read()).value ?? []).toString()
}

describe('a page with a later part', () => {
  it('is sent up to it before the part is there, and to its end afterwards', async () => {
    const { later, come } = held()
    const ask = appWith(async () => ({ page: PAGE, later }))

    const first = await ask()
    const read = readerOf(first)
    const beginning = await read()
    const second = ask()
    come('<p>summary</p>')

    expect(beginning).toBe('<!doctype html><p>rows</p>')
    expect(await read()).toBe('<p>summary</p><p>end</p>')
    expect(await read()).toBe('')
    const whole = await second
    expect(await whole.text()).toBe('<!doctype html><p>rows</p><p>summary</p><p>end</p>')
    expect([first, whole].map(({ headers }) => headers.get('content-length'))).toEqual([null, '50'])
  })

  it('is waited for by callers who ask whether theirs is still true', async () => {
    const { later, come } = held()
    const ask = appWith(async () => ({ page: PAGE, later }))

    const known = ask({ 'if-none-match': '"one"' })
    come('<p>summary</p>')

    expect((await known).status).toBe(304)
  })

  it('breaks off when the part fails, without saying why, and is made anew', async () => {
    const failing = held()
    const parts = [failing.later, async () => raw('<p>summary</p>')]
    const ask = appWith(async () => ({ page: PAGE, later: parts.shift() ?? failing.later }))

    const read = readerOf(await ask())
    await read()
    failing.fail(new Error('/a/path of the host'))

    await expect(read()).rejects.toThrow('The answer could not be completed')
    expect(await (await ask()).text()).toContain('<p>summary</p><p>end</p>')
  })
})

describe('a page with a long text', () => {
  it('has it whole, wherever it is cut into pieces', async () => {
    const text = `abc${'\u{1f600}&<'.repeat(300_000)}`

    const response = await pageWithText(PAGE, text, { status: 200, headers: {} })

    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    const html = await response.text()
    expect(html === `<!doctype html><p>rows</p>${escaped}<p>end</p>`).toBe(true)
  })
})
