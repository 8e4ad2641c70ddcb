import { describe, expect, it } from 'vitest'
import { CONTACT_BODY } from '../../support/agents/contact-body.ts'
import { DescribedApi } from '../../support/service/described-api.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { rawRequest, statusOf } from '../../support/http/raw-http.ts'
import { ADMIN_PASSWORD, startService, type TestService } from '../../support/service/service.ts'

const FROM_ELSEWHERE: readonly Readonly<Record<string, string>>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
]

/** Every call that may change something and takes the credentials of a browser. */
async function changingCalls(service: Pick<TestService, 'fetch'>) {
  const { operations } = await DescribedApi.read(service)
  return operations
    .filter(({ method, security }) => method !== 'get' && security.some((kind) => 'user' in kind))
    .map(({ method, path }) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, '1'),
    }))
}

describe('a request that another site has a browser send', () => {
  it('is refused by every call and every form, whatever its type', { tags: ['long'] }, async () => {
    const service = await startService()
    const calls = await changingCalls(service)

    const accepted: string[] = []
    for (const { method, path } of calls) {
      for (const headers of FROM_ELSEWHERE) {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json',
        ]) {
          const init = { method, headers: { ...headers, 'content-type': type }, body: 'a=b' }
          const { status } = await service.fetch(path, init)
          if (status !== 403) accepted.push(`${method} ${path} ${status}`)
        }
      }
    }

    expect(calls.length).toBeGreaterThan(12)
    expect(accepted).toEqual([])
    expect(await (await service.fetch('/api/config/revisions')).json()).toHaveLength(1)
  })

  it('is distinguished from one of the same site and from a program', async () => {
    const service = await startService()
    const calls = await changingCalls(service)

    const refused: string[] = []
    for (const { method, path } of calls) {
      for (const headers of [{ 'sec-fetch-site': 'same-origin', origin: service.url }, {}]) {
        const response = await service.fetch(path, { method, headers })
        if ((await response.text()).includes('another site')) refused.push(`${method} ${path}`)
      }
    }

    expect(refused).toEqual([])
  })
})

/** The status of a form that a session alone sends. */
async function statusWith(
  flags: readonly string[],
  host: string,
  headers: readonly string[],
): Promise<number> {
  const { url } = await startService(flags)
  const at = [`Host: ${host}`, 'Content-Type: application/x-www-form-urlencoded']
  const given = `username=admin&password=${encodeURIComponent(ADMIN_PASSWORD)}`
  const logIn = await rawRequest(
    url,
    ['POST /login HTTP/1.1', ...at, `Content-Length: ${given.length}`],
    given,
  )
  const cookie = /^set-cookie: ([^;]+)/im.exec(logIn)?.[1] ?? ''
  const request = [
    'POST /log-out HTTP/1.1',
    ...at,
    `Cookie: ${cookie}`,
    'Content-Length: 0',
    ...headers,
  ]
  return statusOf(await rawRequest(url, request))
}

describe('a request with the session of a browser', () => {
  const HTTPS = ['--public-url', 'https://ci.example.org', '--allowed-hosts', 'x.example.org']

  it.each([
    ['says nothing of where it comes from', [], 403],
    ['comes from a page of another site', ['Referer: https://evil.example/'], 403],
    ['comes from no page', ['Referer: about:blank'], 403],
    ['comes from a page of this site', ['Referer: http://localhost/tokens'], 303],
    ['has the origin of this site', ['Origin: http://localhost'], 303],
    ['has the origin of this site behind TLS', ['Origin: https://localhost'], 303],
    [
      'has an origin without TLS where people have TLS',
      ['Origin: http://localhost', 'X-Forwarded-Proto: https'],
      403,
    ],
  ])('that %s', async (_, headers, status) => {
    expect(await statusWith([], 'localhost', headers)).toBe(status)
  })

  it.each([
    ['https://ci.example.org', 303],
    ['http://ci.example.org', 403],
  ])('has the origin %s where the address of the service has TLS', async (origin, status) => {
    expect(await statusWith(HTTPS, 'ci.example.org', [`Origin: ${origin}`])).toBe(status)
  })
})

describe('a program that shows a password', () => {
  it('says nothing of where it comes from, and is refused when a browser says it for a page of another site', async () => {
    const service = await startService()
    const pause = (headers: Record<string, string>) =>
      service.fetch('/api/agents/a1/enable', { method: 'POST', headers })

    expect((await pause({})).status).toBe(404)
    expect((await pause({ referer: 'https://evil.example/' })).status).toBe(403)
  })
})

describe('a call that pretends to come from an agent', () => {
  it('is refused by every call of the protocol', async () => {
    const scene = await BuildScene.open()
    const victim = await ProtocolAgent.join(scene.service, 'victim')
    const other = await ProtocolAgent.join(scene.service, 'other')
    await scene.schedule()
    const { jobId } = await victim.work()
    const calls = [
      ['POST', '/api/agents-protocol/victim/contact', CONTACT_BODY],
      ['POST', '/api/agents-protocol/victim/work', '{"instance":"i"}'],
      ['POST', `/api/agents-protocol/victim/jobs/${jobId}/report`, '{"state":"Preparing"}'],
      ['PUT', `/api/agents-protocol/victim/jobs/${jobId}/console?offset=0`, 'forged'],
      ['PUT', `/api/agents-protocol/victim/jobs/${jobId}/artifacts/x?kind=artifact`, 'forged'],
      ['GET', '/api/agents-protocol/victim/artifacts?job=app/1/build/1/unit', null],
    ] as const

    for (const authorization of ['', 'Bearer', 'Bearer x', `Bearer ${other.token}`, 'Basic YTpi']) {
      for (const [method, path, body] of calls) {
        const init = { method, body, as: null, headers: { authorization } }
        const { status } = await scene.service.fetch(path, init)
        expect([authorization.slice(0, 8), path, status]).toEqual([
          authorization.slice(0, 8),
          path,
          401,
        ])
      }
    }
    expect((await scene.get('/files/app/1/build/1/unit/x')).status).toBe(404)
  })

  it('covers every call of the protocol that there is', async () => {
    const { operations } = await DescribedApi.read(await startService())

    const calls = operations.filter(({ security }) => security.some((kind) => 'agent' in kind))

    expect(calls.filter(({ path }) => path.startsWith('/api/agents-protocol/'))).toHaveLength(6)
  })
})
