import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { RequestMetrics } from '../../../src/core/request-metrics.ts'
import { AllowedHosts } from '../../../src/http/allowed-hosts.ts'
import { Listening } from '../../../src/http/listen.ts'
import { ReadyBody } from '../../../src/http/ready-body.ts'
import { openReadyDoor } from '../../../src/http/ready-door.ts'
import { RawConnection } from '../../support/raw-http.ts'

/** More than the system takes from a server while the client reads nothing. */
const LARGE = 32_000_000

/** A server that has the same body ready for everybody. */
function serve(body: ReadyBody): Promise<Listening> {
  const answerReady = openReadyDoor({
    basePath: '',
    hosts: new AllowedHosts([]),
    credentials: { rememberedOn: () => ({ username: 'admin' }) },
    answers: { routeOf: () => 'GET /', find: () => body },
    metrics: new RequestMetrics(),
    trustedProxies: [],
    log: () => {},
  })
  return Listening.open({ answer: notReady, answerReady }, { host: '127.0.0.1', port: 0 })
}

function notReady(): Response {
  return new Response('not ready')
}

function ask({ port }: Listening): RawConnection {
  const connection = new RawConnection(`http://127.0.0.1:${port}`)
  const headers = ['Host: x', 'Authorization: Basic x', 'Connection: close']
  connection.say(['GET / HTTP/1.1', ...headers, '', ''].join('\r\n'))
  return connection
}

describe('a ready answer that somebody waits for', () => {
  it.each([10, LARGE])('has gone out once when that is told (%d bytes)', async (size) => {
    let told = 0
    const options = { type: 'text/plain', etag: 'x', immutable: false }
    const body = new ReadyBody(new Uint8Array(size), { ...options, whenSent: () => (told += 1) })
    await using listening = await serve(body)

    const connection = ask(listening)
    const heard = await connection.heard()

    expect(heard.length).toBeGreaterThan(size)
    expect(told).toBe(1)
  })

  it('has not gone out while the client takes only its beginning', async () => {
    let told = 0
    const options = { type: 'text/plain', etag: 'x', immutable: false }
    const body = new ReadyBody(new Uint8Array(LARGE), { ...options, whenSent: () => (told += 1) })
    await using listening = await serve(body)

    const connection = ask(listening)
    while (connection.socket.bytesRead === 0) await turn()
    connection.socket.pause()
    for (let n = 0; n < 100; n += 1) await turn()

    expect(told).toBe(0)
    connection.socket.destroy()
  })
})
