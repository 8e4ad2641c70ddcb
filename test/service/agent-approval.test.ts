import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AGENTS } from '../../src/agents/agent-record.ts'
import { openSqliteState } from '../../src/state/open-sqlite.ts'
import { aConfiguration } from '../support/documents/a-configuration.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { html, KEY, post } from '../support/pages/agents-page.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const UUIDS = ['listed-1', 'listed-2', 'retired']
const ROUNDS = 3
/** Some of them share the commit of the agent. */
const SAVES = 20
const NO_WISHES = { key: KEY, resources: [], environments: [] }

/** A service that took over a repository: its configuration lists agents, its state knows none. */
async function adopted(): Promise<CalledService> {
  const service = await openService(['--auto-register-key', KEY])
  const agents = UUIDS.map((uuid) => ({ uuid, hostname: uuid, isDisabled: uuid === 'retired' }))
  const saved = await save(service, aConfiguration({ pipelines: [{ name: 'app' }], agents }))
  expect(saved.status).toBe(200)
  return service
}

function documentOf(name: string): string {
  return aConfiguration({ pipelines: [{ name }] })
}

async function entryOf(service: CalledService, uuid: string) {
  const agents = z
    .array(z.object({ uuid: z.string(), status: z.string() }).loose())
    .parse(await (await service.fetch('/api/agents')).json())
  return agents.find((agent) => agent.uuid === uuid)
}

function enable(service: CalledService, uuid: string): Promise<Response> {
  return service.fetch(`/api/agents/${uuid}/enable`, { method: 'POST' })
}

function revisionsOf({ repository }: CalledService): number {
  return Number(git(repository, 'rev-list', '--count', 'HEAD'))
}

describe('a new agent that needs no approval', () => {
  it('is not in the list before it is enabled', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const agent = new CallingAgent(service, 'new')
    const seen = new Set<string | undefined>()
    const registered = new AbortController()

    const registering = agent.register(NO_WISHES).finally(() => registered.abort())
    while (!registered.signal.aborted) {
      seen.add((await entryOf(service, 'new'))?.status)
      await nextTurn()
    }
    const { configStatus } = await registering

    expect(configStatus).toBe('Enabled')
    expect(seen).not.toContain('Pending')
    expect(await entryOf(service, 'new')).toMatchObject({ status: 'Idle' })
  })

  it('waits in the list while its commit is refused', async () => {
    const service = await openService(['--auto-register-key', KEY, '--maintenance'])
    const agent = new CallingAgent(service, 'new')

    const refused = await agent.tryRegister(NO_WISHES)

    expect(refused.status).toBe(503)
    expect(await entryOf(service, 'new')).toMatchObject({ status: 'Pending' })
  })
})

describe('a uuid that the configuration lists and this state never heard', () => {
  it('is Missing until an agent comes with it, who then waits for approval and gets no work', async () => {
    const service = await adopted()
    const agent = new CallingAgent(service, 'listed-1')
    expect(await entryOf(service, 'listed-1')).toMatchObject({ status: 'Missing' })

    const reply = await agent.register()

    expect(reply.configStatus).toBe('Pending')
    expect(await entryOf(service, 'listed-1')).toMatchObject({
      status: 'Pending',
      config_status: 'Pending',
    })
    expect((await agent.contact()).configStatus).toBe('Pending')
    expect((await agent.tryWork()).status).toBe(403)
  })

  it('is enabled by an administrator without a commit, and stays so with its token', async () => {
    const service = await adopted()
    const agent = new CallingAgent(service, 'listed-1')
    await agent.register()
    const before = revisionsOf(service)

    const response = await enable(service, 'listed-1')

    expect([response.status, await response.text()]).toEqual([
      200,
      '{"message":"The agent listed-1 is enabled"}',
    ])
    expect(revisionsOf(service)).toBe(before)
    expect((await agent.contact()).configStatus).toBe('Enabled')
    expect((await agent.register()).configStatus).toBe('Enabled')
    expect(await (await enable(service, 'listed-1')).text()).toContain('enabled already')
    const again = await restarted(service)
    expect((await again.same(agent).contact()).configStatus).toBe('Enabled')
  })

  it('is enabled by the key, also when somebody without it came first', async () => {
    const service = await adopted()
    const thief = new CallingAgent(service, 'listed-1')
    await thief.register()
    const agent = new CallingAgent(service, 'listed-1')
    const before = revisionsOf(service)

    expect((await agent.register(NO_WISHES)).configStatus).toBe('Enabled')

    expect(revisionsOf(service)).toBe(before)
    expect((await thief.tryContact()).status).toBe(401)
  })

  it('stays disabled where the configuration says so, whoever comes', async () => {
    const service = await adopted()
    const [plain, keyed] = [new CallingAgent(service, 'retired'), new CallingAgent(service, 'new')]

    expect((await plain.register()).configStatus).toBe('Disabled')
    expect((await keyed.register(NO_WISHES)).configStatus).toBe('Enabled')
  })

  it('waits as well when it was disabled and the document enables it', async () => {
    const service = await adopted()
    const agent = new CallingAgent(service, 'retired')
    await agent.register()

    const agents = [{ uuid: 'retired', hostname: 'retired' }]
    await save(service, aConfiguration({ pipelines: [{ name: 'app' }], agents }))

    expect((await agent.contact()).configStatus).toBe('Pending')
  })

  it('is not approved by a document that lists it while it waits', async () => {
    const service = await adopted()
    const agent = new CallingAgent(service, 'not-listed')
    await agent.register()

    const agents = [{ uuid: 'not-listed', hostname: 'somebody' }]
    await save(service, aConfiguration({ pipelines: [{ name: 'app' }], agents }))

    expect((await agent.contact()).configStatus).toBe('Pending')
  })

  it('changes nothing of what the configuration says of it before it is approved', async () => {
    const service = await adopted()
    const agent = new CallingAgent(service, 'listed-1')
    await agent.register()
    const before = revisionsOf(service)
    await agent.contact()
    expect(await entryOf(service, 'listed-1')).toMatchObject({ agent_name: agent.facts.hostname })

    await new CallingAgent(service, 'enrolled').register(NO_WISHES)

    expect(revisionsOf(service)).toBe(before + 1)
    expect(await (await service.fetch('/api/admin/config.xml')).text()).toContain(
      'hostname="listed-1"',
    )
  })
})

describe('an agent that comes with the key while somebody saves a document without it', () => {
  it('is listed, or registers again and is listed then', async () => {
    const service = await openService(['--auto-register-key', KEY])
    await save(service, documentOf('app'))

    for (let round = 0; round < ROUNDS; round += 1) {
      const agent = new CallingAgent(service, `agent-${round}`)
      const registered = agent.register(NO_WISHES)
      const saves: Promise<Response>[] = []
      for (let n = 0; n < SAVES; n += 1) {
        saves.push(save(service, documentOf(`app-${round}-${n}`)))
        await nextTurn()
      }
      await Promise.all([registered, ...saves])
      const { instruction } = await agent.contact()
      if (instruction.kind === 'register') await agent.register(NO_WISHES)

      expect((await agent.contact()).configStatus).toBe('Enabled')
      expect(await entryOf(service, agent.uuid)).toMatchObject({ config_status: 'Enabled' })
    }
  })
})

describe('an agent that is removed while the service is stopped', () => {
  it('registers again and is listed when it has the key', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const agent = new CallingAgent(service)
    await agent.register(NO_WISHES)

    const again = (await restarted(service, takeBackLastCommit)).same(agent)

    expect((await again.contact()).instruction.kind).toBe('register')
    expect((await again.register(NO_WISHES)).configStatus).toBe('Enabled')
    expect((await again.contact()).configStatus).toBe('Enabled')
  })

  it('registers again once and waits for approval when it has none', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const agent = new CallingAgent(service)
    await agent.register()
    await enable(service, agent.uuid)

    const again = (await restarted(service, takeBackLastCommit)).same(agent)

    expect((await again.contact()).instruction.kind).toBe('register')
    expect((await again.register()).configStatus).toBe('Pending')
    expect(await again.contact()).toMatchObject({
      configStatus: 'Pending',
      instruction: { kind: 'none' },
    })
  })
})

describe('the pages of agents', () => {
  it('say why such an agent waits, and enable all that are chosen', async () => {
    const service = await adopted()
    for (const uuid of ['listed-1', 'listed-2']) await new CallingAgent(service, uuid).register()

    for (const page of ['/agents', '/agents/listed-1']) {
      expect(await html(service, page)).toContain('This server has never heard from this agent')
    }
    const before = revisionsOf(service)
    const chosen = ['listed-1', 'listed-2'].map((uuid) => ['agent', uuid] as const)
    const answer = await post(service, '/agents', [['action', 'enable'], ...chosen])

    expect((await answer.text()).match(/is enabled\./g)).toHaveLength(2)
    expect(revisionsOf(service)).toBe(before)
    expect(await html(service, '/agents')).not.toContain(
      'This server has never heard from this agent',
    )
  })
})

describe('an agent that an earlier version has recorded', () => {
  it('is approved when the configuration lists it at the start, and waits when it does not', async () => {
    const service = await openService(['--auto-register-key', KEY])
    const [known, waiting] = [new CallingAgent(service), new CallingAgent(service)]
    await known.register(NO_WISHES)
    await waiting.register()
    await service.close()
    await forgetApprovals(service)

    const { same } = await restarted(service)

    expect((await same(known).contact()).configStatus).toBe('Enabled')
    expect((await same(waiting).contact()).configStatus).toBe('Pending')
  })
})

/** Makes the records of agents what they were before approvals were kept. */
async function forgetApprovals({ folder }: CalledService): Promise<void> {
  await using store = await openSqliteState(join(folder, 'state', 'state.sqlite'))
  const records = await store.list(AGENTS)
  await store.change(async (transaction) => {
    for (const { value } of records) {
      const { approved: _, ...earlier } = value
      await transaction.put(AGENTS, value.uuid, earlier)
    }
  })
}

/** Takes the commit back that has added the agent. */
function takeBackLastCommit({ repository }: CalledService): void {
  git(repository, 'reset', '--quiet', '--hard', 'HEAD~1')
}

async function restarted(
  service: CalledService,
  meanwhile: (service: CalledService) => void = () => undefined,
) {
  await service.close()
  meanwhile(service)
  const again = await openService(['--auto-register-key', KEY], service.folder)
  const same = ({ uuid, token, instance, facts, claim }: CallingAgent) =>
    Object.assign(new CallingAgent(again, uuid), { token, instance, facts, claim })
  return { same }
}
