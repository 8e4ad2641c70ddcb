import { describe, expect, it } from 'vitest'
import { Hono } from 'hono'
import { PathRouter } from '../../../src/server/routes.ts'

function app(): Hono {
  return new Hono({ router: new PathRouter() })
    .get('/config/new', (c) => c.text('new'))
    .get('/config/:name', (c) => c.text(`one ${c.req.param('name')}`))
    .post('/config/new', (c) => c.text('made'))
    .get('/files/:path{.+}', (c) => c.text(`file ${c.req.param('path')}`))
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
})
