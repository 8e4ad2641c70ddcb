import { describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import { save } from '../support/service/saving.ts'
import { documentWith } from '../support/documents/documents.ts'
import { gitLine } from '../support/git/git.ts'
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
  ['GET', '/', 'admin'],
  ['GET', '/config/current', 'admin'],
  ['GET', '/config/feed.atom', 'admin'],
  ['GET', '/config/diff/r1/r1', 'admin'],
  ['GET', '/git/config.git/info/refs', 'admin'],
  ['GET', '/git/config.git/info/refs?service=git-upload-pack', 'admin'],
  ['GET', '/git/config.git/HEAD', 'admin'],
  ['GET', '/git/config.git/objects/info/packs', 'admin'],
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
  const reading = shared(() => startService())

  it.each(CALLS)(
    'is for its caller alone, taken by browsers for what it is, and runs nothing: %s %s',
    async (...call) => {
      const service = reading()
      const [, path, as] = call
      const isStranger = as === null && path !== '/health'

      const [first, second] = [await ask(service, call), await ask(service, call)]

      for (const { status, headers } of [first, second]) {
        expect(status === 401).toBe(isStranger)
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toContain("default-src 'none'")
        expect(headers.get('cache-control')).toMatch(/^private, |^no-store$/)
      }
    },
  )

  it('is for its caller alone where it is an object of git', async () => {
    const service = reading()
    const commit = gitLine(service.repository, 'rev-parse', 'HEAD')
    const path = `/git/config.git/objects/${commit.slice(0, 2)}/${commit.slice(2)}`

    const answers = [await service.fetch(path), await service.fetch(path, { method: 'HEAD' })]

    const told = answers.map(({ status, headers }) => [status, headers.get('cache-control')])
    expect(told).toEqual([
      [200, 'private, no-cache'],
      [200, 'private, no-cache'],
    ])
  })

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
