import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentEntry } from '../../src/wire/agent-entry.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'

const KEY = 'let-me-in'

async function listOf(service: TestService): Promise<AgentEntry[]> {
  return z.array(AgentEntry).parse(await (await service.fetch('/api/agents')).json())
}

async function statusOf(service: TestService, { uuid }: CallingAgent): Promise<string | undefined> {
  return (await listOf(service)).find((agent) => agent.uuid === uuid)?.status
}

function act(service: TestService, { uuid }: { uuid: string }, action: string): Promise<Response> {
  return service.fetch(`/api/agents/${uuid}/${action}`, { method: 'POST' })
}

function commits(service: TestService): string[] {
  return git(service.repository, 'log', '--format=%an').trim().split('\n')
}

async function serviceWithAgent(flags: readonly string[] = []) {
  const service = await startService(flags)
  const agent = new CallingAgent(service)
  await agent.register()
  return { service, agent }
}

describe('an agent that registers', () => {
  it('is Pending and listed with everything it said', async () => {
    const { service, agent } = await serviceWithAgent()

    const [listed] = await listOf(service)

    expect(listed).toEqual({
      uuid: agent.uuid,
      buildLocator: '',
      agent_name: 'build-01.example.org',
      ipAddress: '10.0.4.11',
      status: 'Pending',
      sandbox: '/var/lib/agent',
      os: 'Linux 6.1.0',
      free_space: '12.3 GB',
      resources: [],
      environments: [],
      config_status: 'Pending',
      remote_address: '127.0.0.1',
    })
    expect(commits(service)).toEqual(['Upgrade'])
  })

  it('is listed under the names of the original too when asked to', async () => {
    const { service } = await serviceWithAgent(['--client-names', 'gocd'])

    expect((await listOf(service))[0]).toMatchObject({ ip_address: '10.0.4.11', build_locator: '' })
  })

  it('with the key is enabled by a commit of its own name', async () => {
    const service = await startService(['--auto-register-key', KEY])
    const agent = new CallingAgent(service)

    const reply = await agent.register({
      key: KEY,
      resources: ['linux', 'docker'],
      environments: [],
    })

    expect(reply.configStatus).toBe('Enabled')
    expect(commits(service)[0]).toBe(`agent_${agent.uuid}_10.0.4.11_build-01.example.org`)
    expect((await listOf(service))[0]).toMatchObject({
      status: 'Idle',
      resources: ['docker', 'linux'],
    })
  })

  it('with a key waits for approval where the server has none', async () => {
    const service = await startService()
    const agent = new CallingAgent(service)

    const reply = await agent.register({ key: 'guess', resources: [], environments: [] })

    expect(reply.configStatus).toBe('Pending')
  })

  it('under the uuid of another machine is refused', async () => {
    const { service, agent } = await serviceWithAgent()
    const thief = new CallingAgent(service, agent.uuid)

    const response = await thief.tryRegister()

    expect(response.status).toBe(409)
    expect((await agent.tryContact()).status).toBe(200)
  })

  it('from a copied folder is refused while the first is alive', async () => {
    const { service, agent } = await serviceWithAgent()
    const copy = new CallingAgent(service, agent.uuid)
    copy.token = agent.token
    copy.facts = { ...copy.facts, hostname: 'copy', ipAddress: '10.0.4.12' }

    expect((await copy.tryContact()).status).toBe(409)
  })

  it('needs its token for a contact', async () => {
    const { agent } = await serviceWithAgent()
    agent.token = 'forged-forged-forged'

    expect((await agent.tryContact()).status).toBe(401)
  })

  it.each([
    [[], 5_000],
    [['--agent-timeout', '15s'], 5_000],
    [['--agent-timeout', '3s'], 1_000],
  ])('is told when to make contact so that it is not lost: %j', async (flags, interval) => {
    const service = await startService(flags)
    const agent = new CallingAgent(service)

    const replies = [await agent.register(), await agent.contact()]

    expect(replies.map(({ contactIntervalMs }) => contactIntervalMs)).toEqual([interval, interval])
  })

  it('is told to register when nobody knows it', async () => {
    const service = await startService()

    const reply = await new CallingAgent(service).contact()

    expect(reply.instruction.kind).toBe('register')
  })

  it('is refused with a malformed call', async () => {
    const { service, agent } = await serviceWithAgent()

    const response = await service.fetch(`/api/agents-protocol/${agent.uuid}/contact`, {
      method: 'POST',
      as: null,
      headers: { authorization: `Bearer ${agent.token}` },
      body: '{"instance": 7',
    })

    expect(response.status).toBe(400)
  })
})

describe('the list of agents', () => {
  it('is sorted as programs sort texts, by name and uuid, and so are its lists', async () => {
    const service = await startService()
    const names = ['beta', 'alpha', 'Gamma', 'a_1', 'a-1', 'a.1', 'a10', 'a2', 'alpha', 'ä']
    const agents = names.map(
      (name, at) => `<agent hostname="${name}" ipaddress="10.0.0.1" uuid="u${9 - at}">
        <resources><resource>b</resource><resource>a</resource><resource>C</resource></resources></agent>`,
    )

    await save(
      service,
      documentWith('p').replace('</cruise>', `<agents>${agents.join('')}</agents></cruise>`),
    )

    const listed = await listOf(service)
    expect(listed.map(({ agent_name: name }) => name)).toEqual(names.toSorted())
    expect(listed.filter(({ agent_name: name }) => name === 'alpha')).toMatchObject([
      { uuid: 'u1', resources: ['C', 'a', 'b'] },
      { uuid: 'u8' },
    ])
  })
})

describe('an administrator', () => {
  it('enables and disables agents, each by one commit, and by none when nothing changes', async () => {
    const { service, agent } = await serviceWithAgent()

    const answers: [number, string | undefined][] = []
    for (const action of ['enable', 'enable', 'disable', 'disable', 'enable']) {
      const { status } = await act(service, agent, action)
      answers.push([status, await statusOf(service, agent)])
    }

    expect(answers).toEqual([
      [200, 'Idle'],
      [200, 'Idle'],
      [200, 'Disabled'],
      [200, 'Disabled'],
      [200, 'Idle'],
    ])
    expect(commits(service)).toEqual(['admin', 'admin', 'admin', 'Upgrade'])
  })

  it('disables a pending agent, which is registered disabled', async () => {
    const { service, agent } = await serviceWithAgent()

    await act(service, agent, 'disable')

    expect(await statusOf(service, agent)).toBe('Disabled')
    expect((await agent.contact()).configStatus).toBe('Disabled')
  })

  it('deletes an agent that is disabled and idle; it comes back as Pending when it still runs', async () => {
    const { service, agent } = await serviceWithAgent()
    await act(service, agent, 'disable')

    const response = await act(service, agent, 'delete')

    expect(response.status).toBe(200)
    expect(await listOf(service)).toEqual([])
    expect((await agent.contact()).instruction.kind).toBe('register')
    await agent.register()
    expect(await statusOf(service, agent)).toBe('Pending')
  })

  it('may not delete an agent that is not disabled, or still builds', async () => {
    const { service, agent } = await serviceWithAgent()
    const pending = await act(service, agent, 'delete')
    await act(service, agent, 'enable')
    const enabled = await act(service, agent, 'delete')
    await agent.contact('Building')
    await act(service, agent, 'disable')
    const building = await act(service, agent, 'delete')
    await agent.contact('Idle')
    const idle = await act(service, agent, 'delete')

    expect([pending, enabled, building, idle].map(({ status }) => status)).toEqual([
      406, 406, 406, 200,
    ])
    expect(await building.text()).toContain('building')
  })

  it.each(['enable', 'disable', 'delete'])(
    'gets 404 from %s for an agent that nobody knows',
    async (action) => {
      const service = await startService()

      expect((await act(service, { uuid: 'nobody' }, action)).status).toBe(404)
      expect(commits(service)).toEqual(['Upgrade'])
    },
  )
})

describe('an agent that moved', () => {
  it('is noted under its new address by a commit of its own name', async () => {
    const { service, agent } = await serviceWithAgent()
    await act(service, agent, 'enable')
    agent.facts = { ...agent.facts, ipAddress: '10.0.4.99' }

    await agent.contact()

    await expect.poll(async () => (await listOf(service))[0]?.ipAddress).toBe('10.0.4.99')
    expect(commits(service)[0]).toBe(`agent_${agent.uuid}_10.0.4.99_build-01.example.org`)
  })
})

describe('an agent after a restart of the server', () => {
  it('is Missing until it is heard, with the token it had', async () => {
    const { service, agent } = await serviceWithAgent()
    await act(service, agent, 'enable')
    await service.close()

    const again = await startService([], service.folder)
    const before = await statusOf(again, agent)
    const heir = new CallingAgent(again, agent.uuid)
    heir.token = agent.token
    await heir.contact()

    expect([before, await statusOf(again, agent)]).toEqual(['Missing', 'Idle'])
  })
})
