import { describe, expect, it } from 'vitest'
import { Hono } from 'hono'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { ROUTES } from '../../../src/api/resources.ts'
import { PathRouter } from '../../../src/server/routes.ts'

function app(): Hono {
  return new Hono({ router: new PathRouter() })
    .get('/config/new', (c) => c.text('new'))
    .get('/config/:name', (c) => c.text(`one ${c.req.param('name')}`))
    .post('/config/new', (c) => c.text('made'))
    .get('/files/:path{.+}', (c) => c.text(`file ${c.req.param('path')}`))
    .get('/partly/:group/:index{[^/]+\\.xml}', (c) => c.text(`at ${c.req.param('index')}`))
    .get('/partly/:group/:name', (c) => c.text(`named ${c.req.param('name')}`))
}

describe('the router of paths', () => {
  it('tells fixed paths from patterns that fit them too, by method', async () => {
    const texts = [
      await app().request('/config/new'),
      await app().request('/config/new', { method: 'POST' }),
      await app().request('/config/other'),
      await app().request('/files/a/b.txt'),
    ].map((response) => response.text())

    expect(await Promise.all(texts)).toEqual(['new', 'made', 'one other', 'file a/b.txt'])
    expect((await app().request('/nothing')).status).toBe(404)
  })

  it('takes patterns that the quick router cannot tell apart', async () => {
    const texts = [await app().request('/partly/a/1.xml'), await app().request('/partly/a/b')].map(
      (response) => response.text(),
    )

    expect(await Promise.all(texts)).toEqual(['at 1.xml', 'named b'])
    expect((await app().request('/partly/a')).status).toBe(404)
  })

  // A pattern that it cannot tell from the others would slow down every cached answer below /api.
  it('has the calls below /api looked up by the quick router', () => {
    const quick = new RegExpRouter<string>()
    for (const { method, path } of ROUTES)
      if (path.startsWith('/api/') && path.includes(':')) quick.add(method, path, path)

    expect(quick.match('GET', '/api/config/diff/a/b')[0]).toHaveLength(1)
  })
})
