import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { HttpCaller } from '../../../src/agent/server/http-call.ts'

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

/** A server that begins an answer and never ends it. */
async function halfAnswering(): Promise<Server> {
  const server = createServer((_, answer) => {
    answer.writeHead(200, { 'content-length': '100' }).write('{"begun":')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

it('gives an answer up in time that begins and does not go on, also when memory was cleared meanwhile', async () => {
  const address = (await halfAnswering()).address()
  const port = typeof address === 'object' ? address?.port : null
  const { signal } = new AbortController()
  const call = { method: 'POST', path: '/', body: {}, timeoutMs: 500, signal } as const
  const errors: unknown[] = []

  new HttpCaller([`http://127.0.0.1:${port}`], () => null)
    .read(call, z.unknown())
    .catch((error: unknown) => errors.push(error))

  await expect
    .poll(() => {
      collectGarbage()
      return errors
    })
    .toEqual([expect.objectContaining({ name: 'ServerAbsent' })])
})
