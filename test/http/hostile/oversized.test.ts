import { describe, expect, it } from 'vitest'
import { BASIC, rawGet, rawRequest, statusOf } from '../../support/http/raw-http.ts'
import { startService } from '../../support/service/service.ts'

const CHUNKED = ['Host: x', `Authorization: ${BASIC}`, 'Transfer-Encoding: chunked']

function chunks(size: number, count: number): string {
  return `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(count)
}

describe('a request that is too large', () => {
  it('is refused with JSON when its address or its headers are', async () => {
    const service = await startService()
    const flood = Array.from({ length: 3_000 }, (_, n) => `X-${n}: ${n}`)

    const answers = [
      await rawGet(service.url, `/api/config/revisions?q=${'x'.repeat(20_000)}`),
      await rawRequest(service.url, [
        'GET /health HTTP/1.1',
        'Host: x',
        `X: ${'x'.repeat(20_000)}`,
      ]),
      await rawRequest(service.url, ['GET /health HTTP/1.1', 'Host: x', ...flood]),
    ]

    expect(answers.map(statusOf)).toEqual([431, 431, 431])
    for (const answer of answers) {
      expect(answer).toContain('application/json')
      expect(answer).toContain('{"message":"The headers are too large"}')
    }
  })

  it.each([
    ['a document', 'PUT /api/admin/config.xml', 'If-Match: *'],
    ['a form', 'POST /api/admin/config.xml', 'Content-Type: application/x-www-form-urlencoded'],
    [
      'a form in parts',
      'POST /api/admin/config.xml',
      'Content-Type: multipart/form-data; boundary=x',
    ],
    ['the form of a page', 'POST /config/edit', 'Content-Type: application/x-www-form-urlencoded'],
    ['a new pipeline', 'POST /tab/admin/pipelines/p.json', 'X: y'],
    [
      'a reason',
      'POST /api/config/revisions/' + '0'.repeat(40) + '/restore',
      'Content-Type: application/json',
    ],
    ['a choice of jobs', 'POST /api/stages/p/s/run/1', 'Content-Type: application/json'],
    ['the message of an agent', 'POST /api/agents-protocol/register', 'X: y'],
  ])('is refused when %s is, though its length is not announced', async (_, call, header) => {
    const service = await startService(['--max-body', '1MiB'])

    const answer = await rawRequest(
      service.url,
      [`${call} HTTP/1.1`, header, ...CHUNKED],
      chunks(65_536, 40),
    )

    expect(statusOf(answer)).toBe(413)
    expect((await service.fetch('/health')).status).toBe(200)
  })

  it('is refused at once when it announces too much', async () => {
    const service = await startService()
    const announced = ['Content-Length: 99999999999', `Authorization: ${BASIC}`, 'If-Match: *']

    const answer = await rawRequest(service.url, [
      'PUT /api/admin/config.xml HTTP/1.1',
      'Host: x',
      ...announced,
    ])

    expect(statusOf(answer)).toBe(413)
  })
})

describe('what is not HTTP', () => {
  it.each([
    ['garbage', '\x16\x03\x01\x02\x00\x01\x00'],
    ['two lengths', 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'a length and chunks',
      'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a header folded', 'GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n'],
    ['no host', 'GET /health HTTP/1.1\r\n\r\n'],
    ['a broken length', 'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1x\r\n\r\n'],
  ])('is refused: %s', async (_, text) => {
    const service = await startService()

    const answer = await rawRequest(service.url, [text])

    expect(statusOf(answer)).toBe(400)
    expect((await service.fetch('/health')).status).toBe(200)
  })
})
