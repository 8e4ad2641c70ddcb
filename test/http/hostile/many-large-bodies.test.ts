import { expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { begin } from '../../support/http/begun-request.ts'
import { BASIC } from '../../support/http/raw-http.ts'
import { save } from '../../support/service/saving.ts'
import { startService } from '../../support/service/service.ts'

const BODY = 32 * 2 ** 20
/** As many as there is room for. */
const HELD = 8
const REFUSED = 5

it('more large bodies than there is memory for are refused, and nothing else is', async () => {
  const service = await startService()
  const headers = { authorization: BASIC, 'if-match': '*', 'content-length': `${BODY}` }
  const options = { method: 'PUT', headers }
  const refused: (string | undefined)[] = []

  const begun = Array.from({ length: HELD + REFUSED }, () => {
    const { outgoing, answered } = begin(service, '/api/admin/config.xml', options)
    answered.then(
      ({ statusCode, headers: sent }) => refused.push(`${statusCode} ${sent['retry-after']}`),
      () => undefined,
    )
    return outgoing
  })
  await expect.poll(() => refused.length).toBe(REFUSED)
  const small = await save(service, documentWith('small'))
  const chunked = await service.fetch('/api/admin/config.xml', {
    method: 'PUT',
    headers: { 'if-match': '*' },
    body: new Blob(['x'.repeat(2 ** 20)]).stream(),
    duplex: 'half',
  })
  for (const outgoing of begun) outgoing.destroy()

  expect(new Set(refused)).toEqual(new Set(['503 5']))
  expect([small.status, chunked.status]).toEqual([200, 503])
  expect(await chunked.json()).toEqual({
    message: 'The service has no memory for another large request: try again in a few seconds',
  })
  const large = documentWith('large').replace('</cruise>', `${' '.repeat(2 ** 20)}</cruise>`)
  await expect.poll(async () => (await save(service, large)).status).toBe(200)
})
