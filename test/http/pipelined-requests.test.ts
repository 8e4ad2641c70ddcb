import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.ts'
import { documentWith } from '../support/documents/documents.ts'
import { BASIC, RawConnection } from '../support/http/raw-http.ts'
import { startService } from '../support/service/service.ts'

const PATH = '/api/config/revisions?limit=1'
const CURRENT = '/api/admin/config.xml'
const DIGEST = /^x-service-config-md5: (\S+)/gim
const ID = /^x-request-id: (\S+)/gim
/** More than Node buffers of an unread body. */
const LARGE = 400_000

function requestOf(path: string, ...headers: string[]): string {
  return [`${path} HTTP/1.1`, 'Host: x', `Authorization: ${BASIC}`, ...headers, '', ''].join('\r\n')
}

/** A request with an id of its own, and its body. */
function request(id: string, headers: readonly string[] = [], body = ''): string {
  const named = ['Host: x', `Authorization: ${BASIC}`, `X-Request-Id: ${id}`, ...headers]
  return [`GET ${PATH} HTTP/1.1`, ...named, '', body].join('\r\n')
}

describe('a connection that several requests go over', () => {
  it('goes on after a request with a body, which is thrown away', { timeout: 15_000 }, async () => {
    const service = await startService()
    const list = await (await service.fetch(PATH)).text()
    const connection = new RawConnection(service.url)
    const body = 'x'.repeat(LARGE)
    const chunk = `${LARGE.toString(16)}\r\n${body}\r\n0\r\n\r\n`

    connection.say(request('plain'))
    connection.say(request('long', [`Content-Length: ${LARGE}`], body))
    connection.say(request('chunked', ['Transfer-Encoding: chunked'], chunk))
    connection.say(request('empty', ['Content-Length: 0']))
    connection.say(request('last', ['Connection: close']))

    const heard = await connection.heard()
    const ids = [...heard.matchAll(ID)].map(([, id]) => id)
    expect(ids).toEqual(['plain', 'long', 'chunked', 'empty', 'last'])
    expect(heard.split(list)).toHaveLength(ids.length + 1)
  })

  it('has the answers in the order of the requests that came at once', async () => {
    const service = await startService()
    const list = await (await service.fetch(PATH)).text()
    const connection = new RawConnection(service.url)
    const names = Array.from({ length: 200 }, (_, n) => `request-${n}`)

    const requests = names.map((name) => request(name))
    connection.say(`${requests.join('')}${request('last', ['Connection: close'])}`)

    const heard = await connection.heard()
    expect([...heard.matchAll(ID)].map(([, id]) => id)).toEqual([...names, 'last'])
    expect(heard.split(list)).toHaveLength(names.length + 2)
  })

  it('reads what was saved by the request before, whose answer it did not wait for', async () => {
    const service = await startService()
    const document = documentWith('saved')
    const connection = new RawConnection(service.url)
    const length = `Content-Length: ${Buffer.byteLength(document)}`
    const put = `${requestOf(`PUT ${CURRENT}`, 'If-Match: *', length)}${document}`
    const get = requestOf(`GET ${CURRENT}`)

    connection.say(`${get}${put}${get}${requestOf(`GET ${CURRENT}`, 'Connection: close')}`)

    const heard = await connection.heard()
    const digests = [...heard.matchAll(DIGEST)].map(([, digest]) => digest)
    const [before, ...after] = digests
    const saved = digestOf(Buffer.from(document))
    expect(before).not.toBe(saved)
    expect(after).toEqual([saved, saved, saved])
  })
})
