import { describe, expect, it } from 'vitest'
import { BASIC, rawRequest, statusOf } from '../../support/http/raw-http.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const PATHS = [
  '/api/admin/config.xml',
  '/api/config/revisions',
  '/api/agents',
  '/config',
  '/assets/page.css',
  '/log-out',
]

async function statusesAs(host: string, { url }: TestService): Promise<number[]> {
  const answers = PATHS.map((path) =>
    rawRequest(url, [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: ${BASIC}`]),
  )
  return (await Promise.all(answers)).map(statusOf)
}

describe('a request to a host that another site may have pointed at this machine', () => {
  const FOREIGN = [
    'evil.example',
    'evil.example:8153',
    'EVIL.example.',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'ci.example.org.evil.example',
  ]

  it.each(FOREIGN)('is not answered: %s', async (host) => {
    const service = await startService(['--public-url', 'https://ci.example.org'])
    await statusesAs('localhost', service)

    expect(new Set(await statusesAs(host, service))).toEqual(new Set([421]))
  })

  it('changes nothing', async () => {
    const service = await startService()
    const body = 'hostname=h&uuid=u'

    const answer = await rawRequest(
      service.url,
      [
        'POST /api/agents/a1/enable HTTP/1.1',
        'Host: evil.example',
        `Authorization: ${BASIC}`,
        'Content-Type: application/x-www-form-urlencoded',
        `Content-Length: ${body.length}`,
      ],
      body,
    )

    expect(statusOf(answer)).toBe(421)
    expect(await (await service.fetch('/api/agents')).json()).toEqual([])
  })

  it('is not answered once the same answer is kept for others either', async () => {
    const service = await startService()
    await service.fetch('/api/admin/config.xml')
    await service.fetch('/api/admin/config.xml')

    expect(await statusesAs('evil.example', service)).not.toContain(200)
  })
})

describe('a request to a host that is known', () => {
  it.each([
    'localhost',
    'LOCALHOST:8153',
    'cairn.localhost',
    '127.0.0.1',
    '10.1.2.3:80',
    '[::1]:8153',
    'cairn',
    'ci.example.org',
    'CI.example.org.:443',
    'cairn.internal.example',
  ])('is answered: %s', async (host) => {
    const flags = ['--public-url', 'https://ci.example.org/go/']
    const service = await startService([...flags, '--allowed-hosts', 'cairn.internal.example'])

    expect(await statusesAs(host, service)).not.toContain(421)
  })

  it('is answered for probes whatever they call it', async () => {
    const { url } = await startService()
    const probes = ['/health', '/health/live', '/health/ready'].map((path) =>
      rawRequest(url, [`GET ${path} HTTP/1.1`, 'Host: pool-7.example.net']),
    )

    expect((await Promise.all(probes)).map(statusOf)).toEqual([200, 200, 200])
  })
})
