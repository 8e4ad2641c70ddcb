import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AgentEntry } from '../../../src/wire/agent-entry.ts'
import { aConfiguration } from '../../support/documents/a-configuration.ts'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { BuildScene, jsonOf, SECURED } from '../../support/builds/build-service.ts'
import { git } from '../../support/git/git.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { KEY, type Wishes, joined, html, post } from '../../support/pages/agents-page.ts'

async function serviceWith(...wishes: readonly Wishes[]) {
  const service = await startService(['--auto-register-key', KEY])
  const agents: CallingAgent[] = []
  for (const wish of wishes) agents.push(await joined(service, wish))
  return { service, agents }
}

function named(name: string, more: Partial<CallingAgent['facts']> = {}): Wishes {
  return { facts: { hostname: name, ...more } }
}

function namesIn(page: string): string[] {
  return Array.from(page.matchAll(/<tr[^>]* data-name="([^"]*)"/g), ([, name = '']) => name)
}

function rowOf(page: string, name: string): string {
  return new RegExp(`<tr[^>]* data-name="${name}".*?</tr>`, 's').exec(page)?.[0] ?? ''
}

/** Gives the configuration environments of these names. */
async function inEnvironments(service: TestService, names: readonly string[]): Promise<void> {
  const document = await (await service.fetch('/api/admin/config.xml')).text()
  const environments = names.map((name) => `<environment name="${name}" />`).join('')
  const place = document.includes('<agents') ? '<agents' : '</cruise>'
  await save(
    service,
    document.replace(place, `<environments>${environments}</environments>${place}`),
  )
}

/** Each agent with its resources and environments, as programs see them. */
async function agentsOf(service: TestService) {
  const body = z.array(AgentEntry).parse(await jsonOf(await service.fetch('/api/agents')))
  return body.map(({ agent_name, resources, environments }) => [
    agent_name,
    resources,
    environments,
  ])
}

describe('the page of the agents', () => {
  it('says in words that an agent was not heard for too long', async () => {
    const times = { now: Date.parse('2015-06-01T12:00:00Z') }
    const flags = ['--auto-register-key', KEY]
    const service = await startService(flags, undefined, { clock: () => times.now })
    await joined(service, named('north'))

    times.now += 301_000

    const row = rowOf(await html(service, '/agents'), 'north')
    expect(row).toContain('Lost contact')
    expect(row).not.toContain('>LostContact<')
  })

  it('names the boxes of agents of one host apart', async () => {
    const { service, agents } = await serviceWith(named('twin'), named('twin'), named('alone'))

    const page = await html(service, '/agents')

    const labels = Array.from(
      page.matchAll(/aria-label="Select (?!all)([^"]*)"/g),
      ([, label = '']) => label,
    )
    const twins = agents.slice(0, 2).map(({ uuid }) => `twin, ${uuid.slice(-8)}`)
    expect(labels.toSorted()).toEqual(['alone', ...twins.toSorted()])
  })

  it('explains itself while there is none', async () => {
    const { service } = await serviceWith()

    const page = await html(service, '/agents')

    expect(page).toContain('No agents yet')
    expect(page).toContain(`cairn agent --server ${service.url} --work-dir cairn-agent`)
    expect(page).not.toContain('aria-label="Agents" action')
  })

  it('shows every column of an agent, with the revision that last changed it', async () => {
    const { service } = await serviceWith({ ...named('build-1'), resources: ['linux'] })

    const row = rowOf(await html(service, '/agents'), 'build-1')

    for (const text of ['Idle', '/var/lib/agent', 'Linux 6.1.0', '10.0.4.11', '12.3 GB', 'linux']) {
      expect(row).toContain(text)
    }
    expect(row).toContain('<a class="last-change" href="/config/compare/r1/r2">')
  })

  it('shows the job that an agent runs, and for how long', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await agent.work()

    const row = rowOf(await html(scene.service, '/agents'), 'host-a1')

    expect(row).toContain('Building')
    expect(row).toContain('<a href="/stages/app/build/1/1/unit">app / 1 / build / unit</a>')
    expect(row).toMatch(/data-since="\d+">\d\.\d s</)
  })

  it('says of little free space that it is low, not by colour alone', async () => {
    const { service } = await serviceWith(named('full', { freeSpace: 900_000_000 }))

    expect(rowOf(await html(service, '/agents'), 'full')).toMatch(/Low: <\/span>858\.3 MB/)
  })

  it('is filtered and sorted by its address, and refuses what it does not understand', async () => {
    const { service } = await serviceWith(
      { ...named('build-10', { ipAddress: '10.0.0.10', freeSpace: 1e9 }), resources: ['docker'] },
      { ...named('build-2', { ipAddress: '10.0.0.9', freeSpace: 9e9 }), resources: ['linux'] },
    )
    const box = new CallingAgent(service)
    const address = { ipAddress: '10.0.0.200', operatingSystem: 'Windows', freeSpace: 5e9 }
    box.facts = { ...box.facts, hostname: 'box', ...address }
    await box.register()
    const expected = {
      'q=status:idle': ['build-2', 'build-10'],
      'q=STATUS:Pending': ['box'],
      'q=resource:docker': ['build-10'],
      'q=os:windows+box': ['box'],
      'q=build+status:idle+resource:linux': ['build-2'],
      'q=nobody': [],
      '': ['box', 'build-2', 'build-10'],
      'sort=-name': ['build-10', 'build-2', 'box'],
      'sort=space': ['build-10', 'box', 'build-2'],
      'sort=ip': ['build-2', 'build-10', 'box'],
      'offset=2': ['build-10'],
    }

    const found: Record<string, string[]> = {}
    for (const query of Object.keys(expected)) {
      found[query] = namesIn(await html(service, `/agents?${query}`))
    }
    const refused = [
      await service.fetch('/agents?sort=colour'),
      await service.fetch('/agents?offset=-1'),
    ]

    expect(found).toEqual(expected)
    expect(refused.map(({ status }) => status)).toEqual([400, 400])
  })

  it('does the same to several agents and says of each what became of it', async () => {
    const { service, agents } = await serviceWith(named('one'), named('two'))
    const [one, two] = agents.map(({ uuid }) => uuid)
    const chosen = [one, two, 'nobody'].map((uuid) => ['agent', uuid ?? ''] as const)

    const disabled = await (
      await post(service, '/agents', [['action', 'disable'], ...chosen])
    ).text()
    const again = await post(service, '/agents', [['action', 'disable'], ...chosen])
    const deleted = await (await post(service, '/agents', [['action', 'delete'], ...chosen])).text()

    expect(disabled).toMatch(/one<\/a> is disabled\..*two<\/a> is disabled\./s)
    expect(disabled).toContain('nobody</a> no longer exists.')
    expect(await again.text()).toContain('one</a> was already disabled.')
    expect(deleted).toMatch(/<b>one<\/b> is deleted\..*<b>two<\/b> is deleted\./s)
    expect(namesIn(deleted)).toEqual([])
    expect(git(service.repository, 'log', '--format=%an', '-4').trim().split('\n')).toEqual(
      Array.from({ length: 4 }, () => 'admin'),
    )
  })

  it('says before and after why an agent is not deleted', async () => {
    const { service, agents } = await serviceWith(named('one'))
    const uuid = agents[0]?.uuid ?? ''

    const before = rowOf(await html(service, '/agents'), 'one')
    const page = await html(service, `/agents/${uuid}`)
    const after = await post(service, '/agents', [
      ['action', 'delete'],
      ['agent', uuid],
    ])

    expect(before).toContain('data-obstacle="is Enabled, not Disabled"')
    expect(page).toContain('Disable it and wait for its job before deleting it.')
    expect(page).not.toContain('value="delete"')
    expect(await after.text()).toContain('one</a> was not deleted: it is Enabled, not Disabled.')
  })

  it('adds and removes resources and environments of several agents, and says of each what came of it', async () => {
    const { service, agents } = await serviceWith(
      { ...named('one'), resources: ['linux'] },
      { ...named('two'), resources: ['linux', 'docker'] },
    )
    await inEnvironments(service, ['production', 'staging'])
    const chosen = agents.map(({ uuid }) => ['agent', uuid] as const)
    const names = [
      ['resources', 'Docker, java'],
      ['environments', 'production'],
    ] as const
    const commits = () => Number(git(service.repository, 'rev-list', '--count', 'HEAD'))
    const before = commits()

    const added = await (
      await post(service, '/agents', [['action', 'add'], ...chosen, ...names])
    ).text()
    const listed = await agentsOf(service)
    const taken = await (
      await post(service, '/agents', [['action', 'take'], ...chosen, ['resources', 'LINUX,docker']])
    ).text()

    expect(added).toMatch(
      /one<\/a> now has the resources Docker, java and the environment production\..*two<\/a> now has/s,
    )
    expect(listed).toEqual([
      ['one', ['Docker', 'java', 'linux'], ['production']],
      ['two', ['docker', 'java', 'linux'], ['production']],
    ])
    expect(taken).toContain('no longer has the resources LINUX, docker.')
    expect(await agentsOf(service)).toEqual([
      ['one', ['java'], ['production']],
      ['two', ['java'], ['production']],
    ])
    expect(commits() - before).toBe(4)
  })

  it('keeps the selection and what was typed when agents are refused, in a red card', async () => {
    const { service, agents } = await serviceWith(named('one'), named('two'))
    const chosen = agents.map(({ uuid }) => ['agent', uuid] as const)

    const nowhere = ['environments', 'nowhere'] as const
    const refused = await (
      await post(service, '/agents', [['action', 'add'], ['resources', 'gpu'], ...chosen, nowhere])
    ).text()
    const undeleted = await (
      await post(service, '/agents', [['action', 'delete'], ...chosen])
    ).text()
    const nameless = await post(service, '/agents', [['action', 'add'], ...chosen])
    const done = await (await post(service, '/agents', [['action', 'disable'], ...chosen])).text()

    expect(refused).toMatch(/card flash refused.*There is no environment &quot;nowhere&quot;/s)
    expect(refused).toMatch(/name="resources" value="gpu"/)
    for (const page of [refused, undeleted, await nameless.text()]) {
      expect(page.match(/name="agent"[^>]*checked/g)).toHaveLength(2)
      expect(page).toContain('flash refused')
    }
    expect(nameless.status).toBe(409)
    expect(done).toContain('card flash done')
    expect(done).not.toMatch(/name="agent"[^>]*checked/)
  })

  it('approves a pending agent with the resources that it is given', async () => {
    const service = await startService()
    const agent = new CallingAgent(service)
    await agent.register()
    await inEnvironments(service, ['production'])

    const page = await html(service, `/agents/${agent.uuid}`)
    const approved = await post(service, `/agents/${agent.uuid}`, [
      ['action', 'enable'],
      ['resources', 'linux'],
      ['environments', 'production'],
    ])

    expect(page).toMatch(/<button class="primary" name="action" value="enable">\s*Approve/)
    expect(approved.status).toBe(200)
    expect(await agentsOf(service)).toEqual([[agent.facts.hostname, ['linux'], ['production']]])
  })

  it('asks to choose an agent, and leads to the removal of one or several', async () => {
    const { service, agents } = await serviceWith(named('one'), named('two'))
    const chosen = agents.map(({ uuid }) => ['agent', uuid] as const)

    const none = await post(service, '/agents', [['action', 'enable']])
    const many = await post(service, '/agents', [['action', 'remove'], ...chosen])
    const single = await post(service, '/agents', [['action', 'remove'], ...chosen.slice(1)])

    expect([none.status, many.status, single.status]).toEqual([409, 303, 303])
    expect(await none.text()).toContain('No agents selected.')
    expect(many.headers.get('location')).toBe(
      `/agents/remove?agent=${agents[0]?.uuid}&agent=${agents[1]?.uuid}`,
    )
    expect(single.headers.get('location')).toBe(`/agents/${agents[1]?.uuid}/remove`)
  })

  it('offers no action to those who may not take it, and refuses what they send', async () => {
    const scene = await BuildScene.open({ server: SECURED })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    const as = 'vera:vera'

    const list = await (await scene.get('/agents', 'vera')).text()
    const one = await (await scene.get(`/agents/${agent.uuid}`, 'vera')).text()
    const sent = await Promise.all(
      ['enable', 'disable', 'delete'].map(async (action) => {
        const fields = [['action', action] as const]
        const all = await post(scene.service, '/agents', [...fields, ['agent', 'a1']], as)
        const single = await post(scene.service, '/agents/a1', fields, as)
        const removal = await post(scene.service, '/agents/a1/remove', [['step', action]], as)
        return [all.status, single.status, removal.status]
      }),
    )
    const steps = await scene.get('/agents/a1/remove', 'vera')

    expect(namesIn(list)).toEqual(['host-a1'])
    for (const page of [list, one]) expect(page).not.toMatch(/name="action"|last-change|remove/)
    expect(list).not.toContain('href="/config"')
    expect(sent).toEqual([
      [403, 403, 403],
      [403, 403, 403],
      [401, 401, 401],
    ])
    expect(steps.status).toBe(401)
    expect(await steps.text()).toContain('<h1>You do not have permission</h1>')
  })

  it('refuses a form of another site', async () => {
    const { service, agents } = await serviceWith(named('one'))

    const response = await service.fetch(`/agents/${agents[0]?.uuid}`, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ action: 'disable' }),
    })

    expect(response.status).toBe(403)
  })

  it('escapes what agents say about themselves', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    const { service, agents } = await serviceWith()
    const agent = new CallingAgent(service)
    agents.push(agent)
    agent.facts = { ...agent.facts, hostname: 'h', sandbox: hostile, operatingSystem: hostile }
    await agent.register()

    const pages = await Promise.all(
      ['/agents', `/agents/${agent.uuid}`, '/agents?q="><script>'].map((path) =>
        html(service, path),
      ),
    )

    for (const page of pages) expect(page).not.toMatch(/<img src=x|"><script>/)
    expect(pages[0]).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })

  it('stays small and quick with ten thousand agents', { tags: ['long'] }, async () => {
    const service = await startService()
    const agents = Array.from({ length: 10_000 }, (_, n) => ({
      uuid: `uuid-${n}`,
      hostname: `build-${n}`,
      ipaddress: `10.0.${Math.floor(n / 250)}.${n % 250}`,
      resources: ['linux', 'docker'],
    }))
    await save(service, aConfiguration({ agents }))
    await html(service, '/agents')
    const before = process.cpuUsage()

    const page = await html(service, '/agents?sort=ip&q=status:missing')

    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(400)
    expect(page.match(/<[a-z]/g)?.length).toBeLessThan(12_000)
    expect(page).toContain('1 to 100 of 10000')
  })
})
