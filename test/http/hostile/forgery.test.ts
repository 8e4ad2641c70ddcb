import { describe, expect, it } from 'vitest'
import { CONTACT_BODY } from '../../support/agents/contact-body.ts'
import { DescribedApi } from '../../support/service/described-api.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { startService, type TestService } from '../../support/service/service.ts'

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
  it('is refused by every call and every form, whatever its type', async () => {
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
