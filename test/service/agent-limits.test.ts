import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentEntry } from '../../src/wire/agent-entry.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { html, KEY } from '../support/pages/agents-page.ts'
import { openService, startService, type CalledService } from '../support/service/service.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

function withKey(key: string) {
  return { key, resources: [], environments: [] }
}

async function listOf(service: CalledService): Promise<AgentEntry[]> {
  return z.array(AgentEntry).parse(await (await service.fetch('/api/agents')).json())
}

async function registrationsIn(service: CalledService) {
  const response = await service.fetch('/api/audit?action=register-agent&limit=1000')
  return AuditBody.parse(await response.json()).entries
}

describe('a wrong key', () => {
  it('is refused, and leaves no agent', async () => {
    const service = await openService(['--auto-register-key', KEY])

    const response = await new CallingAgent(service).tryRegister(withKey('guess'))

    expect([response.status, await response.json()]).toEqual([
      403,
      { message: 'The key to register with is wrong' },
    ])
    expect(await listOf(service)).toEqual([])
  })

  it('is slowed down when many are tried, and not when one is said again', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const tryKey = (key: string) => new CallingAgent(service).tryRegister(withKey(key))
    for (let n = 0; n < 20; n += 1) expect((await tryKey('an old key')).status).toBe(403)
    const statuses: number[] = []
    for (let n = 0; n < 12; n += 1) statuses.push((await tryKey(`guess ${n}`)).status)

    expect(statuses).toEqual([...Array<number>(9).fill(403), 429, 429, 429])
    const refused = await tryKey(KEY)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await tryKey('an old key')).status).toBe(403)
  })

  it('does not keep out an agent that is known, whatever was tried from its address', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const agent = new CallingAgent(service)
    await agent.register(withKey(KEY))
    for (let n = 0; n < 12; n += 1) await new CallingAgent(service).tryRegister(withKey(`k${n}`))

    expect((await agent.register(withKey('an old key'))).configStatus).toBe('Enabled')
  })
})

describe('agents that somebody invents', () => {
  it('have a uuid that an address can name', async () => {
    const service = await openService(['--auto-register-key', KEY])

    for (const uuid of ['.', '..', '']) {
      expect((await new CallingAgent(service, uuid).tryRegister(withKey(KEY))).status).toBe(400)
    }
    expect((await new CallingAgent(service, '...').tryRegister(withKey(KEY))).status).toBe(200)
    expect((await service.fetch('/api/agents/.../disable', { method: 'POST' })).status).toBe(200)
  })

  it('are few from one address, and keep out nobody who has the key', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const invented = Array.from({ length: 110 }, (_, n) => new CallingAgent(service, `x-${n}`))
    const statuses: number[] = []
    for (const agent of invented) statuses.push((await agent.tryRegister()).status)

    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
    expect(statuses.slice(100).every((status) => status === 429)).toBe(true)
    expect(await listOf(service)).toHaveLength(100)
    const honest = new CallingAgent(service)
    expect((await honest.register(withKey(KEY))).configStatus).toBe('Enabled')
    const entries = await registrationsIn(service)
    expect(entries.length).toBeLessThan(5)
  }, 30_000)

  it('are few from one site, whatever its networks, and keep out no agent of another', async () => {
    const service = await startService(['--trusted-proxies', '127.0.0.1'])
    const registerFrom = async (address: string) => {
      const fetch: CalledService['fetch'] = (path, init = {}) => {
        const headers = new Headers(init.headers)
        headers.set('x-forwarded-for', address)
        return service.fetch(path, { ...init, headers })
      }
      return (await new CallingAgent({ fetch }).tryRegister()).status
    }
    const statuses: number[] = []
    for (let n = 0; n < 103; n += 1) statuses.push(await registerFrom(`2001:db8:1:${n}::1`))

    expect(statuses).toEqual([...Array<number>(100).fill(200), 429, 429, 429])
    expect(await registerFrom('2001:db8:2::1')).toBe(200)
  }, 30_000)

  it('say little of themselves', async () => {
    const service = await openService()
    const agent = new CallingAgent(service)
    agent.facts = { ...agent.facts, sandbox: `/${'x'.repeat(1_024)}` }
    expect((await agent.tryRegister()).status).toBe(400)

    const body = `{"uuid":"a","hostname":"${'x'.repeat(66_000)}"}`
    const path = '/api/agents-protocol/register'
    expect((await service.fetch(path, { method: 'POST', as: null, body })).status).toBe(413)
  })
})

describe('the audit log', () => {
  it('notes an agent once, however often it registers', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const agent = new CallingAgent(service)
    await agent.register(withKey(KEY))
    for (let n = 0; n < 5; n += 1) await agent.register()
    await service.close()

    const again = await openService(['--auto-register-key', KEY], service.folder)

    expect(await registrationsIn(again)).toMatchObject([{ outcome: 'done' }])
    expect(await html(again, '/agents')).toContain('Missing')
  })
})
