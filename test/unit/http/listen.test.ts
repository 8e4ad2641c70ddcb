import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Connection, type Handler, Listening } from '../../../src/http/listen.ts'
import { readBody } from '../../../src/http/request-body.ts'
import type { LogEvent } from '../../../src/lib/log.ts'

/** The time that the server waits for the headers of a request, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000
const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n'

/** A server that takes a line for silent very soon, unless it is told otherwise. */
async function open(answer: Handler, idleTimeoutMs = 50): Promise<Listening> {
  const at = { host: '127.0.0.1', port: 0, idleTimeoutMs }
  const listening = await Listening.open(answer, at)
  onTestFinished(() => listening[Symbol.asyncDispose]())
  return listening
}

/** The answer to some bytes, until the server ends the connection. */
async function hear({ port }: Listening, said: string | Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(said)
  const heard: string[] = []
  socket.setEncoding('utf8').on('data', (text: string) => heard.push(text))
  await once(socket, 'close')
  return heard.join('')
}

async function silence({ incoming }: Connection): Promise<void> {
  await once(incoming.socket, 'timeout')
}

function fail(): Promise<Response> {
  return Promise.reject(new Error('a bug'))
}

const READ = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** Says something, closes the half of the client, and gives everything that comes back. */
async function hearAfterEnd({ port }: Listening, said: string | Uint8Array): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const heard: string[] = []
  socket.setEncoding('utf8').on('data', (text: string) => heard.push(text))
  socket.end(said)
  await once(socket, 'close')
  return heard.join('')
}

describe('a client that closes its half of the connection', () => {
  it.each([
    ['a read', READ, 'heard '],
    ['a body', `${HEAD}word`, 'heard word'],
    ['two requests', READ + READ, 'heard '],
  ])('gets the whole answer to %s, and then the end', async (_, said, answered) => {
    const listening = await open(async (request, { incoming }) => {
      const text = await request.text()
      if (!incoming.socket.readableEnded) await once(incoming.socket, 'end')
      return new Response(`heard ${text}`)
    }, HEADERS_TIMEOUT_MS)

    const heard = await hearAfterEnd(listening, said)

    expect(heard.split(answered)).toHaveLength(said.split('HTTP/1.1').length)
  })

  it('is not waited for with half a request', async () => {
    const listening = await open(async (request) => new Response(await request.text()))

    expect(await hearAfterEnd(listening, `${HEAD}wo`)).not.toContain('200 OK')
  })
})

describe('a connection that was silent', () => {
  it('is not ended by a busy server that has yet to see the next request', async () => {
    const listening = await open(async () => new Response('heard'))
    const socket = connect(listening.port, '127.0.0.1').setEncoding('utf8')
    let heard = ''
    socket.on('data', (text: string) => (heard += text))
    const ended = once(socket, 'close')
    socket.write(READ)
    while (!heard.includes('heard')) await once(socket, 'data')

    socket.write(READ)
    // Node gives a connection a second more than it tells the client.
    const busyUntil = performance.now() + 1_200
    while (performance.now() < busyUntil);
    await ended

    expect(heard.match(/heard/g)).toHaveLength(2)
  })
})

describe('a large body', () => {
  const LARGE = Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => n % 251))
  const LARGE_HEAD = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE.length}\r\n\r\n`

  /** A server that reads bodies, and what came of each. */
  async function openReader() {
    const outcomes: Promise<Uint8Array<ArrayBuffer>>[] = []
    const listening = await open(async (request) => {
      const body = readBody(request, LARGE.length)
      outcomes.push(body)
      return new Response(String((await body).length))
    })
    return { listening, outcomes }
  }

  it('is read into one buffer of its size, and the next request after it', async () => {
    const { listening, outcomes } = await openReader()
    const small = LARGE.subarray(0, 5)
    const next = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\n'

    const heard = await hear(
      listening,
      Buffer.concat([Buffer.from(LARGE_HEAD), LARGE, Buffer.from(next), small]),
    )

    const [first, second] = await Promise.all(outcomes)
    expect(heard.match(/HTTP.*/g)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'])
    expect(LARGE.equals(first ?? LARGE.subarray(1))).toBe(true)
    expect(first?.buffer.byteLength).toBe(LARGE.length)
    expect(second).toEqual(new Uint8Array(small))
  })

  it('is refused where the client is gone before its end', async () => {
    const { listening, outcomes } = await openReader()

    const heard = await hearAfterEnd(
      listening,
      Buffer.concat([Buffer.from(LARGE_HEAD), LARGE.subarray(1)]),
    )

    expect(heard).not.toContain('200 OK')
    await expect(outcomes[0]).rejects.toThrow('aborted')
  })
})

describe('a request of HTTP/1.0', () => {
  it('needs no host', async () => {
    const listening = await open(async ({ url }) => new Response(new URL(url).pathname))

    const heard = await hear(listening, 'GET /health/live HTTP/1.0\r\n\r\n')

    expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\/health\/live$/)
  })
})

describe('a request of HTTP/1.1', () => {
  it.each([
    ['without a host', 'GET / HTTP/1.1\r\n\r\n', '400 Bad Request', 'Host'],
    [
      'with a body, without a host',
      'PUT / HTTP/1.1\r\nContent-Length: 4\r\n\r\nword',
      '400',
      'Host',
    ],
    [
      'that expects what nobody knows',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n',
      '417',
      'Expect',
    ],
    ['for a tunnel', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', '400', 'HTTP'],
  ])('%s is refused with an error in JSON', async (_, said, status, word) => {
    const listening = await open(async () => new Response('answered'))

    const heard = await hear(listening, said)

    const [head = '', body = ''] = heard.split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status}`)
    expect(head.toLowerCase()).toContain('content-type: application/json; charset=utf-8')
    expect(body).toContain('{"message":"')
    expect(body).toContain(word)
    expect(heard).not.toContain('answered')
  })
})

describe('a line that is silent for too long', () => {
  it.each([
    ['one with a body', `${HEAD}word`, 'heard word'],
    ['a read', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 'heard '],
  ])('is kept while the client waits for the answer to %s', async (_, said, answered) => {
    const listening = await open(async (request, connection) => {
      const text = await request.text()
      await silence(connection)
      return new Response(`heard ${text}`)
    })

    expect(await hear(listening, said)).toContain(answered)
  })

  it('is ended while the server waits for the client', async () => {
    const listening = await open(async (request) => new Response(await request.text()))

    expect(await hear(listening, `${HEAD}wo`)).not.toContain('200 OK')
  })

  it.each([
    ['', ''],
    [', though there is another request', READ],
  ])('is ended when nobody reads the rest of an answer%s', async (_, more) => {
    const listening = await open((request) => {
      if (request.method === 'GET') return new Promise(() => {})
      return new Response(new ReadableStream({ start: (body) => body.enqueue(Buffer.from('one')) }))
    })

    expect(await hear(listening, `${HEAD}word${more}`)).toContain('one')
  })
})

describe('a server that closes', () => {
  it('waits for no connection on which nothing was said', async () => {
    const at = { host: '127.0.0.1', port: 0 }
    const listening = await Listening.open(() => new Response(), at)
    const socket = connect(listening.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    // Connections are taken in their order, so that the server has this one when it answers another.
    await hear(listening, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const began = performance.now()

    await listening[Symbol.asyncDispose]()

    expect(performance.now() - began).toBeLessThan(HEADERS_TIMEOUT_MS)
  })
})

describe('an answer that fails', () => {
  it('is a fault of the server, and is logged', async () => {
    const logged: LogEvent[] = []
    const at = { host: '127.0.0.1', port: 0, log: (event: LogEvent) => logged.push(event) }
    await using listening = await Listening.open(fail, at)

    const { status } = await fetch(`http://127.0.0.1:${listening.port}/`)

    expect(status).toBe(500)
    expect(logged).toMatchObject([{ level: 'error', facts: { error: new Error('a bug') } }])
  })
})
