import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { html, joined, KEY, post } from '../support/pages/agents-page.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

async function problemsOf(service: TestService): Promise<string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems.map(({ subject }) => subject)
}

/** A service with an agent, and how to let time pass there. */
async function scene() {
  const time = { passed: 0 }
  const clock = () => Date.now() + time.passed
  const service = await startService(['--auto-register-key', KEY], tempDir(), { clock })
  return { time, service, agent: await joined(service) }
}

/** An agent that calls from an address. */
function agentAt(
  service: TestService,
  address: string,
  agent: { uuid?: string; hostname: string },
) {
  const fetch: TestService['fetch'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('x-forwarded-for', address)
    return service.fetch(path, { ...init, headers })
  }
  const calling = new CallingAgent({ fetch }, agent.uuid)
  calling.facts = { ...calling.facts, hostname: agent.hostname }
  return calling
}

/** An agent without a key whose uuid a squatter has registered first. */
async function squatted() {
  const time = { passed: 0 }
  const clock = () => Date.now() + time.passed
  const service = await startService(['--trusted-proxies', '127.0.0.1'], tempDir(), { clock })
  const squatter = agentAt(service, '203.0.113.9', { hostname: 'squatter' })
  await squatter.register()
  const honest = agentAt(service, '192.0.2.7', { uuid: squatter.uuid, hostname: 'builder' })
  const refused = await honest.tryRegister()
  return { time, service, squatter, honest, refused, page: `/agents/${honest.uuid}` }
}

/** The claims that the page of an agent has a button for, by host name and address. */
async function claimsOn(service: TestService, page: string): Promise<Map<string, string>> {
  const buttons = (await html(service, page)).matchAll(
    /<button name="claim" value="([^"]+)">Approve ([^<]+)</g,
  )
  return new Map(Array.from(buttons, ([, id = '', place = '']) => [place, id]))
}

describe('two machines that claim one uuid, neither of which is approved', () => {
  it('are both shown with address and time, and in the health', async () => {
    const { service, refused, page } = await squatted()

    expect(refused.status).toBe(409)
    for (const path of ['/agents', page]) {
      const shown = await html(service, path)
      expect(shown).toContain('2 machines wait for approval with this UUID')
      for (const place of ['squatter at 203.0.113.9', 'builder at 192.0.2.7'])
        expect(shown).toMatch(new RegExp(`<li>${place}, last heard <time datetime="[^"]+"`))
    }
    expect(await problemsOf(service)).toEqual([
      expect.stringMatching(/builder at 192\.0\.2\.7 is refused.*squatter at 203\.0\.113\.9 waits/),
    ])
  })

  it.each([
    ['builder at 192.0.2.7', 'honest', 'squatter'],
    ['squatter at 203.0.113.9', 'squatter', 'honest'],
  ] as const)('are told apart by approving %s', async (place, one, other) => {
    const { service, page, ...machines } = await squatted()
    const claim = (await claimsOn(service, page)).get(place) ?? ''

    const answer = await post(service, page, [['claim', claim]])

    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining(`${machines[one].facts.hostname} is enabled`),
    ])
    expect((await machines[one].register()).configStatus).toBe('Enabled')
    expect((await machines[one].contact()).configStatus).toBe('Enabled')
    expect((await machines[other].tryContact()).status).toBe(401)
    expect((await machines[other].tryRegister()).status).toBe(409)
    expect(await html(service, page)).not.toContain('machines wait for approval')
  })

  it('are not approved without saying which', async () => {
    const { service, squatter, honest, page } = await squatted()

    const call = await service.fetch(`/api/agents/${honest.uuid}/enable`, { method: 'POST' })
    const several = await post(service, '/agents', [
      ['agent', honest.uuid],
      ['action', 'enable'],
    ])
    const gone = await post(service, page, [['claim', '0123456789abcdef']])

    expect([call.status, await call.json()]).toEqual([
      409,
      {
        message: expect.stringMatching(/^Several machines claim the uuid .*: approve one of them/),
      },
    ])
    expect(await several.text()).toContain('Several machines claim the uuid')
    expect(gone.status).toBe(409)
    expect((await squatter.contact()).configStatus).toBe('Pending')
  })

  it('are one again when the other has stopped calling', async () => {
    const { time, service, squatter, page } = await squatted()
    time.passed += 61_000
    await squatter.register()

    expect(await claimsOn(service, page)).toEqual(new Map())
    expect((await post(service, page, [['action', 'enable']])).status).toBe(200)
    expect((await squatter.contact()).configStatus).toBe('Enabled')
  })

  it('are seen among any number of claims that one site makes up', async () => {
    const { service, honest, page } = await squatted()
    for (let n = 0; n < 30; n += 1) {
      const made = { uuid: honest.uuid, hostname: `made-up-${n}` }
      await agentAt(service, `2001:db8:1:${n}::1`, made).tryRegister()
    }

    const places = [...(await claimsOn(service, page)).keys()]

    expect(places).toHaveLength(11)
    expect(places).toContain('builder at 192.0.2.7')
  })
})

describe('a machine that uses the uuid of another', () => {
  it('is named in the health and on the pages while it calls, and not any more when it has stopped', async () => {
    const { time, service, agent } = await scene()
    const thief = new CallingAgent(service, agent.uuid)
    thief.facts = { ...thief.facts, hostname: 'the-copy' }
    expect(await problemsOf(service)).toEqual([])

    await thief.tryRegister()

    const [problem = '', ...more] = await problemsOf(service)
    expect(more).toEqual([])
    for (const fact of ['the-copy at 127.0.0.1', agent.uuid, agent.facts.hostname]) {
      expect(problem).toContain(fact)
    }
    for (const page of ['/agents', `/agents/${agent.uuid}`]) {
      expect(await html(service, page)).toContain(problem)
    }
    time.passed += 59_000
    expect(await problemsOf(service)).toHaveLength(1)
    time.passed += 2_000
    expect(await problemsOf(service)).toEqual([])
    expect(await html(service, '/agents')).not.toContain('the-copy')
  })

  it('is named too when it is a copy of the work folder, with its token', async () => {
    const { service, agent } = await scene()
    const copy = new CallingAgent(service, agent.uuid)
    copy.token = agent.token
    copy.facts = { ...copy.facts, hostname: 'the-copy' }

    for (let n = 0; n < 3; n += 1) await copy.tryContact()

    expect(await problemsOf(service)).toEqual([expect.stringContaining('the-copy at 127.0.0.1')])
  })
})
