import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.ts'
import { documentWith } from '../support/documents/documents.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const ONE = documentWith('shop')
const TWO = ONE.replace('command="make"', 'command="ninja"')
const BOUNDARY = 'ninja'

interface Sent {
  readonly document?: Buffer
  readonly boundary?: string
  readonly header?: string
  readonly around?: string
  readonly of?: string
  readonly end?: string
}

/** Posts the form of the original as programs write it that make a text field of the document. */
async function post(service: CalledService, sent: Sent = {}): Promise<Response> {
  const { document = Buffer.from(TWO), boundary = BOUNDARY, header = '', around = '' } = sent
  const { of = 'form-data; name="xmlFile"', end = '--' } = sent
  const opening = `${around}--${boundary}\r\nContent-Disposition: ${of}${header}\r\n\r\n`
  const md5 = `--${boundary}\r\ncontent-disposition: form-data; name=md5\r\n\r\n${digestOf(Buffer.from(ONE))}`
  const closing = `\r\n${md5}\r\n--${boundary}${end}\r\n${around}`
  const body = Buffer.concat([Buffer.from(opening), document, Buffer.from(closing)])
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` }
  return service.fetch('/api/admin/config.xml', { method: 'POST', headers, body })
}

async function saved(): Promise<CalledService> {
  const service = await openService()
  expect((await save(service, ONE)).status).toBe(200)
  return service
}

async function current(service: CalledService): Promise<Buffer> {
  return Buffer.from(await (await service.fetch('/api/admin/config.xml')).arrayBuffer())
}

describe('a document in a text field of a multipart form', () => {
  it('is saved byte for byte, with its byte order mark', async () => {
    const service = await saved()
    const document = Buffer.from(`\uFEFF${TWO}`)

    const answer = await post(service, { document })

    expect(await answer.json()).toEqual({ result: 'File changed successfully.' })
    expect(await current(service)).toEqual(document)
  })

  it('is refused with the place of a byte that is not UTF-8', async () => {
    const service = await saved()
    const document = Buffer.from(TWO.replace('command="ninja"', 'command="nÿnja"'), 'latin1')

    const answer = await post(service, { document })

    expect(answer.status).toBe(409)
    const error = { message: 'the byte 0xFF is not valid UTF-8 here', line: 12, column: 31 }
    expect(await answer.json()).toMatchObject({ errors: [error] })
    expect(String(await current(service))).toBe(ONE)
  })

  it.each<[string, Sent]>([
    ['a boundary that the document has, too', {}],
    ['text before and after the parts', { around: 'This is a form.\r\n' }],
    ['a parameter in another case', { of: 'Form-Data;Name="xmlFile"' }],
    ['the name of a file in two forms', { header: `; filename=c.xml; filename*=UTF-8''c.xml` }],
    ['a type and an encoding', { header: '\r\nContent-Transfer-Encoding: 8bit\r\nX-Other: 1' }],
    ['a long boundary', { boundary: '='.repeat(20) + "a'()+_,-./:=? b" }],
  ])('is saved with %s', async (_, sent) => {
    const service = await saved()

    expect((await post(service, sent)).status).toBe(200)
    expect(String(await current(service))).toBe(TWO)
  })

  it.each<[string, Sent]>([
    ['a part without a name', { of: 'form-data' }],
    ['a part in base64', { header: '\r\nContent-Transfer-Encoding: base64' }],
    ['a part without an end of its headers', { header: 'x'.repeat(20_000) }],
    ['no end', { end: '-' }],
  ])('is refused with %s', async (_, sent) => {
    const service = await saved()

    expect((await post(service, sent)).status).toBe(400)
    expect(String(await current(service))).toBe(ONE)
  })
})
