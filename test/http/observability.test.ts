import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BuildScene } from '../support/builds/build-service.ts'
import { documentWith } from '../support/documents/documents.ts'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { save } from '../support/service/saving.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { startService, type TestService } from '../support/service/service.ts'

/** The value of one sample, by its name with its labels. */
async function valueOf(
  service: Pick<TestService, 'fetch'>,
  sample: string,
): Promise<number | null> {
  const text = await (await service.fetch('/metrics')).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${sample} `))
  return line === undefined ? null : Number(line.slice(sample.length + 1))
}

describe('/metrics', () => {
  it('is compressed for who takes it', async () => {
    const service = await startService()
    const ask = (encoding: string) =>
      service.fetch('/metrics', { headers: { 'accept-encoding': encoding } })

    const [plain, packed] = [await ask('identity'), await ask('gzip')]

    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('content-type')).toBe(plain.headers.get('content-type'))
    expect(await packed.text()).toContain('# TYPE cairn_problems gauge')
  })

  it('is text that Prometheus reads: every sample belongs to a metric with a type', async () => {
    const service = await startService()
    await service.fetch('/nothing')

    const response = await service.fetch('/metrics')
    const lines = (await response.text()).split('\n')

    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const types = new Set(lines.flatMap((line) => /^# TYPE (\w+) /.exec(line)?.[1] ?? []))
    const samples = lines.filter((line) => line !== '' && !line.startsWith('#'))
    const sound = /^(\w+?)(_bucket|_sum|_count)?(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[\d.e+-]+$/
    expect(samples.filter((line) => !types.has(sound.exec(line)?.[1] ?? ''))).toEqual([])
    expect(samples.length).toBeGreaterThan(30)
  })

  it('counts answers by route and status, and how long they took', async () => {
    const service = await startService()
    await service.fetch('/api/agents')
    await service.fetch('/api/agents')
    await service.fetch('/api/config/revisions/x')

    const name = 'cairn_http_request_duration_seconds'
    const agents = '{route="GET /api/agents",status="200"}'

    expect(await valueOf(service, `${name}_count${agents}`)).toBe(2)
    expect(await valueOf(service, `${name}_sum${agents}`)).toBeGreaterThan(0)
    expect(
      await valueOf(service, `${name}_bucket{route="GET /api/agents",status="200",le="+Inf"}`),
    ).toBe(2)
    expect(
      await valueOf(
        service,
        `${name}_count{route="GET /api/config/revisions/:offset",status="400"}`,
      ),
    ).toBe(1)
  })

  it('counts revisions, look-ups of digests and changes that waited', async () => {
    const service = await startService()
    const saved = await save(service, documentWith('one'))
    await service.fetch(`/api/admin/config/${saved.headers.get('x-service-config-md5')}.xml`)
    await service.fetch(`/api/admin/config/${'0'.repeat(32)}.xml`)

    expect(await valueOf(service, 'cairn_revisions_saved_total')).toBe(1)
    expect(await valueOf(service, 'cairn_revisions')).toBe(2)
    expect(await valueOf(service, 'cairn_digest_lookups_total{result="found"}')).toBe(1)
    expect(await valueOf(service, 'cairn_digest_lookups_total{result="unknown"}')).toBe(1)
    expect(await valueOf(service, 'cairn_writer_wait_seconds_count')).toBeGreaterThan(0)
    await expect.poll(() => valueOf(service, 'cairn_writer_queue_length')).toBe(0)
  })

  it('counts agents by status and jobs by what they wait for', async () => {
    const scene = await BuildScene.open()
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()

    expect(await valueOf(scene.service, 'cairn_agents{status="Idle"}')).toBe(1)
    expect(await valueOf(scene.service, 'cairn_jobs{state="waiting"}')).toBe(1)
    await agent.work()
    expect(await valueOf(scene.service, 'cairn_jobs{state="waiting"}')).toBe(0)
    expect(await valueOf(scene.service, 'cairn_jobs{state="running"}')).toBe(1)
  })

  it('is for users only', async () => {
    const service = await startService()

    expect((await service.fetch('/metrics', { as: null })).status).toBe(401)
  })
})

describe('a request', () => {
  it('keeps the id that its caller gave it, in the answer and in the log', async () => {
    const service = await startService()
    const headers = { 'x-request-id': 'trace-1/a' }

    const response = await service.fetch('/api/agents/x/enable', { method: 'POST', headers })

    expect(response.headers.get('x-request-id')).toBe('trace-1/a')
    const told = service.logged.filter(({ message }) => message === 'A request was answered')
    expect(told.map(({ facts }) => facts)).toMatchObject([
      {
        request: 'trace-1/a',
        method: 'POST',
        path: '/api/agents/x/enable',
        status: 404,
        user: 'admin',
        reason: 'agent-not-found',
      },
    ])
  })

  it.each(['', 'a b', 'x'.repeat(200), '"}'])('gets one of its own instead of "%s"', async (id) => {
    const service = await startService()

    const response = await service.fetch('/health', { as: null, headers: { 'x-request-id': id } })
    const other = await service.fetch('/health', { as: null })

    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
    expect(response.headers.get('x-request-id')).not.toBe(other.headers.get('x-request-id'))
  })

  it('of an agent has an id in its answer, too, and each another', async () => {
    const agent = new CallingAgent(await startService())
    await agent.register()

    const answers = [await agent.tryContact(), await agent.tryContact()]

    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(ids).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)])
    expect(new Set(ids).size).toBe(2)
  })

  it('that repeats what a stranger was refused is told in the log once', async () => {
    const service = await startService()
    const call = { method: 'POST', body: '{}', as: null }

    for (let time = 0; time < 5; time += 1) {
      const { status } = await service.fetch('/api/agents-protocol/register', call)
      expect(status).toBe(400)
    }

    const told = service.logged.filter(({ message }) => message === 'A request was answered')
    expect(told.map(({ facts }) => facts)).toMatchObject([{ status: 400, user: '' }])
  })

  it('that only reads is not told in the log', async () => {
    const service = await startService()
    await service.fetch('/api/agents')

    expect(service.logged.filter(({ message }) => message === 'A request was answered')).toEqual([])
  })
})

describe('a probe', () => {
  it('hears that the service lives and is ready, without credentials', async () => {
    const service = await startService()

    const live = await service.fetch('/health/live', { as: null })
    const ready = await service.fetch('/health/ready', { as: null })

    expect(await live.json()).toEqual({ status: 'ok' })
    expect(await ready.json()).toEqual({ status: 'ok', reasons: [] })
  })

  it('hears why it is not ready, also when it was before', async () => {
    const service = await startService()
    const before = await service.fetch('/health/ready', { as: null })

    rmSync(`${service.repository}/.git/objects`, { recursive: true })

    const ready = await service.fetch('/health/ready', { as: null })

    expect(before.status).toBe(200)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain('The current configuration cannot be read')
    expect((await service.fetch('/health/live', { as: null })).status).toBe(200)
  })
})
