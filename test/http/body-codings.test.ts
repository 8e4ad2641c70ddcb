import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../support/documents/documents.ts'
import { messageOf } from '../support/builds/build-service.ts'
import { shared } from '../support/programs/at-end.ts'
import { openService, type CalledService } from '../support/service/service.ts'

function put(service: CalledService, coding: string, body: Uint8Array<ArrayBuffer>) {
  const headers = { 'content-encoding': coding, 'if-match': '*' }
  return service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body })
}

async function current(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

/** A call with a body of a type, in gzip. */
function packed(type: string, body: string): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-encoding': 'gzip', 'content-type': type },
    body: new Uint8Array(gzipSync(body)),
  }
}

describe('a body in a content coding', () => {
  const open = shared(() => openService())

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('is unpacked: %s', async (coding, pack) => {
    const service = open()
    const document = documentWith(`${coding}-by-${pack.name}`)

    const saved = await put(service, coding, new Uint8Array(pack(document)))

    expect(saved.status).toBe(200)
    expect(await current(service)).toBe(document)
  })

  it('is unpacked in a form, and in JSON', async () => {
    const service = await openService()
    const user = packed('application/json', '{"name":"kim","password":"a long password"}')
    const digest = (await service.fetch('/api/admin/config.xml')).headers.get('etag') ?? ''
    const fields = { xmlFile: documentWith('a'), md5: digest.replaceAll('"', '') }
    const form = packed('application/x-www-form-urlencoded', String(new URLSearchParams(fields)))

    expect((await service.fetch('/api/users', user)).status).toBe(200)
    expect((await service.fetch('/api/admin/config.xml', form)).status).toBe(200)
  })

  it('may have as many bytes as one that is in none', async () => {
    const service = await openService(['--max-body', '100000'])

    const bomb = await put(service, 'gzip', new Uint8Array(gzipSync(Buffer.alloc(50_000_000, 32))))

    expect(bomb.status).toBe(413)
    expect(await messageOf(bomb)).toContain('100000')
  })

  it.each(['zstd', 'compress', 'gzip, gzip', 'aes128gcm'])('is refused: %s', async (coding) => {
    const service = open()
    const before = await current(service)

    const refused = await put(service, coding, new Uint8Array(gzipSync(documentWith('a'))))

    expect(refused.status).toBe(415)
    expect(await messageOf(refused)).toContain(`"${coding}"`)
    expect(await current(service)).toBe(before)
  })

  it.each([
    ['gzip', Buffer.from('<cruise/>')],
    ['br', Buffer.from('<cruise/> is no brotli')],
    ['deflate', deflateSync(documentWith('cut')).subarray(0, -9)],
    ['gzip', gzipSync(documentWith('cut')).subarray(0, -9)],
  ])('that it is not in is refused: %s', async (coding, bytes) => {
    const refused = await put(open(), coding, new Uint8Array(bytes))

    expect(refused.status).toBe(400)
    expect(await messageOf(refused)).toContain(coding)
  })

  it('is ignored where a call takes no body', async () => {
    const service = open()
    const init = { method: 'POST', headers: { 'content-encoding': 'zstd' }, body: 'x' }

    expect((await service.fetch('/api/agents/nobody/enable', init)).status).toBe(404)
  })
})
