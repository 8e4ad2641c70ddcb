// A bare Hono app: the minimum cost of an answer of a given size.
import { readFileSync } from 'node:fs'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
for (const [n, file] of process.argv.slice(2).entries()) {
  const body = readFileSync(file)
  const headers = { 'content-type': 'text/plain', 'content-length': String(body.length) }
  app.get(`/${n}`, () => new Response(body, { headers }))
}

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`bare ready http://127.0.0.1:${port}\n`)
})
