import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askFor } from '../../../src/pages/kit/client/ask.ts'

/** The address of a server that answers so. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
}

describe('what a page asks for', () => {
  it('is an answer of any status', async () => {
    const address = await answering((_, response) => response.writeHead(503).end('Not now'))

    expect(await askFor(address)).toMatchObject({ ok: false, status: 503, text: 'Not now' })
  })

  it('is nothing when the line is cut in the middle of an answer', async () => {
    const address = await answering((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => response.destroy())
    })

    expect(await askFor(address)).toBeNull()
  })
})
