import { describe, expect, it } from 'vitest'
import { save } from '../support/service/saving.ts'
import { documentWith } from '../support/documents/documents.ts'
import { startService, type TestService } from '../support/service/service.ts'

/** Calls of every kind, the refused and the unknown among them. */
const CALLS: readonly (readonly [string, string, string | null])[] = [
  ['GET', '/api/admin/config.xml', 'admin'],
  ['GET', '/api/admin/config/current.xml', 'admin'],
  ['GET', '/api/config/revisions', 'admin'],
  ['GET', '/api/config/revisions?limit=1', 'admin'],
  ['GET', '/api/agents', 'admin'],
  ['GET', '/api/openapi.json', 'admin'],
  ['GET', '/api', 'admin'],
  ['GET', '/config', 'admin'],
  ['GET', '/metrics', 'admin'],
  ['GET', '/health', null],
  ['GET', '/api/agents', null],
  ['GET', '/api/nowhere', 'admin'],
  ['DELETE', '/api/agents', 'admin'],
  ['POST', '/api/agents/unknown/enable', 'admin'],
  ['PUT', '/api/admin/config.xml', 'admin'],
]

function ask(service: TestService, [method, path, as]: (typeof CALLS)[number]): Promise<Response> {
  return service.fetch(path, { method, ...(as === null ? { as } : {}) })
}

describe('every answer', () => {
  it.each(CALLS)(
    'is taken by browsers for what it is, and runs nothing: %s %s',
    async (...call) => {
      const service = await startService()

      const [first, second] = [await ask(service, call), await ask(service, call)]

      for (const { headers } of [first, second]) {
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      }
    },
  )

  it('that is a document keeps its style sheets from being loaded', async () => {
    const service = await startService()
    const sheet = '<?xml-stylesheet type="text/xsl" href="/files/evil.xsl"?>\n'
    const document = documentWith('styled').replace('<cruise', `${sheet}<cruise`)
    const saved = await save(service, document)
    const digest = saved.headers.get('x-service-config-md5')

    for (const path of ['/api/admin/config.xml', `/api/admin/config/${digest}.xml`]) {
      for (const each of [await service.fetch(path), await service.fetch(path)]) {
        expect(await each.text()).toContain(sheet)
        expect(each.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/)
      }
    }
  })
})
