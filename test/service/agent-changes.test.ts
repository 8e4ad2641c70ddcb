import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentEntry } from '../../src/wire/agent-entry.ts'
import { ErrorBody } from '../../src/wire/error-body.ts'
import { aConfiguration } from '../support/documents/a-configuration.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { KEY } from '../support/pages/agents-page.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const CONFIGURED = aConfiguration({
  pipelines: [{ name: 'app' }],
  environments: [{ name: 'UAT', agents: ['one'] }, { name: 'Live' }],
  agents: [{ uuid: 'one', hostname: 'one' }],
}).replace('<agents>', '<!-- ours -->\n  <agents>')

async function configured(): Promise<CalledService> {
  const service = await openService(['--auto-register-key', KEY])
  expect((await save(service, CONFIGURED)).status).toBe(200)
  return service
}

function change(service: CalledService, body: unknown, uuid = 'one'): Promise<Response> {
  const init = { method: 'PATCH', headers: JSON_TYPE, body: JSON.stringify(body) }
  return service.fetch(`/api/agents/${uuid}`, init)
}

async function entryOf(service: CalledService): Promise<AgentEntry | undefined> {
  const list = z.array(AgentEntry).parse(await (await service.fetch('/api/agents')).json())
  return list.find(({ uuid }) => uuid === 'one')
}

function commits(service: CalledService): string[] {
  return git(service.repository, 'log', '--format=%an').trim().split('\n')
}

describe('PATCH /api/agents/[uuid]', () => {
  it('changes what is listed of an agent, in one commit of the caller', async () => {
    const service = await configured()
    const before = commits(service).length

    const response = await change(service, {
      resources: ['linux', 'docker'],
      environments: ['live'],
      hostname: 'uno',
    })

    expect(response.status).toBe(200)
    expect(await entryOf(service)).toMatchObject({
      agent_name: 'uno',
      resources: ['docker', 'linux'],
      environments: ['Live'],
    })
    expect([commits(service).length, commits(service)[0]]).toEqual([before + 1, 'admin'])
    const document = await (await service.fetch('/api/admin/config.xml')).text()
    expect(document).toContain('<!-- ours -->')
  })

  it('takes a form, and leaves alone what it does not name', async () => {
    const service = await configured()
    await change(service, { resources: ['linux'] })
    const body = new URLSearchParams([
      ['resources', 'a, b'],
      ['resources', 'c'],
    ])

    const response = await service.fetch('/api/agents/one', { method: 'PATCH', body })

    expect(response.status).toBe(200)
    expect(await entryOf(service)).toMatchObject({
      resources: ['a', 'b', 'c'],
      environments: ['UAT'],
    })
    await change(service, { resources: [], environments: '' })
    expect(await entryOf(service)).toMatchObject({ resources: [], environments: [] })
  })

  it('makes no commit when all is so already', async () => {
    const service = await configured()
    const before = commits(service).length

    const response = await change(service, { hostname: 'one', environments: ['uat'] })

    expect([response.status, await response.json()]).toEqual([
      200,
      { message: 'The agent one is as asked for already' },
    ])
    expect(commits(service)).toHaveLength(before)
  })

  it.each([
    ['a field that it does not know', { resource: ['x'], hostname: 'h' }, 400, /resource/],
    ['nothing', {}, 400, /resources, environments and hostname/],
    ['a resource of another form', { resources: ['a/b'] }, 400, /a\/b/],
    ['a resource with a blank of another script', { resources: ['a\u00a0b'] }, 400, /resource/],
    ['an environment that is not there', { environments: ['Live', 'nowhere'] }, 400, /nowhere/],
    ['a host name that none can see', { hostname: '\u0000' }, 400, /host name/],
    ['a number', { resources: 7 }, 400, /resources/],
  ])('refuses %s by its name', async (_, body, status, named) => {
    const service = await configured()
    const before = commits(service).length

    const response = await change(service, body)

    expect(response.status).toBe(status)
    const { message, errors = [] } = ErrorBody.parse(await response.json())
    expect([message, ...errors.map((error) => error.message)].join('\n')).toMatch(named)
    expect(commits(service)).toHaveLength(before)
  })

  it('is 404 for nobody, 409 for an agent that is not listed yet, and 400 for what is not JSON', async () => {
    const service = await configured()
    const waiting = new CallingAgent(service)
    await waiting.register()

    expect((await change(service, { hostname: 'x' }, 'nobody')).status).toBe(404)
    expect((await change(service, { hostname: 'x' }, waiting.uuid)).status).toBe(409)
    const init = { method: 'PATCH', headers: JSON_TYPE, body: '{' }
    expect((await service.fetch('/api/agents/one', init)).status).toBe(400)
  })

  it('gives a name that stays when the agent calls, until the agent has another one', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const agent = new CallingAgent(service, 'one')
    await agent.register({ key: KEY, resources: [], environments: [] })
    await change(service, { hostname: 'renamed' })

    agent.facts = { ...agent.facts, ipAddress: '10.0.4.99' }
    await agent.contact()
    await expect.poll(async () => (await entryOf(service))?.ipAddress).toBe('10.0.4.99')
    expect(await entryOf(service)).toMatchObject({ agent_name: 'renamed' })

    agent.facts = { ...agent.facts, hostname: 'new-host' }
    await agent.register()
    await expect.poll(async () => (await entryOf(service))?.agent_name).toBe('new-host')
  })
})
