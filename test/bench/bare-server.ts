// Answers every request with the bytes of one file and no checks at all: what a request costs at least.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { serve } from '@hono/node-server'

const [file = '', type = ''] = process.argv.slice(2)
const plain = readFileSync(file)
const packed = gzipSync(plain)

serve({ fetch: answer, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`bare ready http://127.0.0.1:${port}\n`)
})

function answer(request: Request): Response {
  const isPacked = request.headers.get('accept-encoding')?.includes('gzip') ?? false
  const body = isPacked ? packed : plain
  const headers = { 'content-type': type, 'content-length': String(body.length) }
  return new Response(body, {
    headers: isPacked ? { ...headers, 'content-encoding': 'gzip' } : headers,
  })
}
