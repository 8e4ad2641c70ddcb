import { once } from 'node:events'
import { expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { begin } from '../../support/http/begun-request.ts'
import { BASIC } from '../../support/http/raw-http.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'

const BODY = 32 * 2 ** 20
const ALMOST_ALL = Buffer.alloc(BODY - 1, ' ')
/** As many as there is room for. */
const HELD = 8
const REFUSED = 5
const LARGE_DOCUMENT = documentWith('large').replace('</cruise>', `${' '.repeat(2 ** 20)}</cruise>`)

it('more large bodies than there is memory for are refused, and nothing else is', async () => {
  const service = await startService()
  const headers = { authorization: BASIC, 'if-match': '*', 'content-length': `${BODY}` }
  const options = { method: 'PUT', headers }
  const refused: (string | undefined)[] = []

  const send = () => {
    const { outgoing, answered } = begin(service, '/api/admin/config.xml', options)
    answered.then(
      ({ statusCode, headers: sent }) => refused.push(`${statusCode} ${sent['retry-after']}`),
      () => undefined,
    )
    outgoing.write(ALMOST_ALL)
    return outgoing
  }
  const begun = Array.from({ length: HELD + REFUSED }, send)
  await expect.poll(() => refused.length).toBe(REFUSED)
  const small = await save(service, documentWith('small'))
  const sendChunked = async () => {
    // Some of what is held may still be on its way, and this may take its room.
    begun.push(send())
    const chunked = await service.fetch('/api/admin/config.xml', {
      method: 'PUT',
      headers: { 'if-match': '*' },
      body: new Blob(['x'.repeat(2 ** 20)]).stream(),
      duplex: 'half',
    })
    return [chunked.status, await chunked.json()]
  }

  expect(small.status).toBe(200)
  await expect.poll(sendChunked).toEqual([
    503,
    {
      message: 'The service has no memory for another large request: try again in a few seconds',
    },
  ])
  for (const outgoing of begun) outgoing.destroy()
  expect(new Set(refused)).toEqual(new Set(['503 5']))
  await expect.poll(async () => (await save(service, LARGE_DOCUMENT)).status).toBe(200)
})

it('large bodies that are announced and do not come leave room for others', async () => {
  const service = await startService()
  const headers = { authorization: BASIC, 'if-match': '*', 'content-length': `${BODY}` }
  const options = { method: 'PUT', headers: { ...headers, expect: '100-continue' } }

  const begun = Array.from({ length: HELD + REFUSED }, () =>
    begin(service, '/api/admin/config.xml', options),
  )
  await Promise.all(begun.map(({ outgoing }) => once(outgoing, 'continue')))
  const saved = await save(service, LARGE_DOCUMENT)
  for (const { outgoing } of begun) outgoing.destroy()

  expect(saved.status).toBe(200)
})
