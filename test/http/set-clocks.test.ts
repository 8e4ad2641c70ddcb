import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { withKey } from '../support/agents/invitations.ts'
import { KEY, ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { BuildScene } from '../support/builds/build-service.ts'
import { listed } from '../support/builds/scene-with-agent.ts'
import { FAST, latest } from '../support/builds/trigger-scene.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { PostgresCluster } from '../support/programs/postgres-cluster.ts'
import { element } from '../support/documents/a-configuration.ts'
import { folderBeside, openOver } from '../support/service/database-server.ts'
import { startService } from '../support/service/service.ts'
import { addSomeone, SOMEONE } from '../support/service/someone-else.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const HALF_HOUR_MS = 30 * MINUTE_MS

/** A clock that a test sets, and the time that passes whatever the clock says. */
function aClock() {
  const ahead = { clock: 0, uptime: 0 }
  return {
    clock: () => Date.now() + ahead.clock,
    uptime: () => performance.now() + ahead.uptime,
    move: (milliseconds: number) => void (ahead.clock += milliseconds),
    pass: (milliseconds: number) => void (ahead.uptime += milliseconds),
  }
}

/** An agent that was heard, and a copy of it on another machine. */
async function heardAgent(service: BuildScene['service']) {
  const agent = new CallingAgent(service)
  await agent.register(withKey(KEY))
  await agent.contact()
  const copy = Object.assign(new CallingAgent(service, agent.uuid), {
    token: agent.token,
    facts: { ...agent.facts, hostname: 'elsewhere' },
  })
  return { agent, copy }
}

describe('a clock that is put back by a day', () => {
  it('locks nobody out who has mistyped a password before', async () => {
    const { clock, move } = aClock()
    const service = await startService([], tempDir(), { clock })
    await addSomeone(service)
    const [name = ''] = SOMEONE.split(':')
    const call = async (as: string) => (await service.fetch('/api/whoami', { as })).status
    expect(await call(`${name}:wrong`)).toBe(401)

    move(-DAY_MS)

    expect(await call(`${name}:wrong again`)).toBe(401)
    expect(await call(SOMEONE)).toBe(200)
  })

  it('leaves an agent lost that is gone, and its uuid to another machine', async () => {
    const { clock, uptime, move, pass } = aClock()
    const scene = await BuildScene.open(undefined, ['--agent-timeout', '10s'], clock, uptime)
    const { service } = scene
    const { agent, copy } = await heardAgent(service)
    const seen = async () => (await listed(scene, agent.uuid))?.status

    move(-DAY_MS)
    await service.fetch('/agents')
    expect([await seen(), (await copy.tryContact()).status]).toEqual(['Idle', 409])
    pass(MINUTE_MS)
    await service.fetch('/agents')

    expect([await seen(), (await copy.tryContact()).status]).toEqual(['LostContact', 200])
  })

  it('silences no timer for a day', async () => {
    const { clock, move } = aClock()
    const timer = element('timer', {}, ['0 0/30 * * * ?'])
    const stages = [{ name: 'build', approval: element('approval', { type: 'manual' }) }]
    const pipelines = [{ name: 'app', before: [timer], stages }]
    const scene = await BuildScene.open({ pipelines }, FAST, clock)
    const add = (name: string) => scene.configure({ pipelines: [...pipelines, { name, stages }] })
    move(HALF_HOUR_MS)
    await add('one')
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work())

    move(-DAY_MS)
    await add('two')
    move(HALF_HOUR_MS + 10 * MINUTE_MS)
    await add('three')

    await expect.poll(() => latest(scene)).toBe('2 by changes')
  })
})

describe('a clock that is put forward by a day', () => {
  it('loses no agent, and leaves its uuid to no other machine', async () => {
    const { clock, uptime, move } = aClock()
    const scene = await BuildScene.open(undefined, [], clock, uptime)
    const { agent, copy } = await heardAgent(scene.service)

    move(DAY_MS)
    await scene.service.fetch('/agents')

    expect((await listed(scene, agent.uuid))?.status).toBe('Idle')
    expect((await copy.tryContact()).status).toBe(409)
  })

  it('makes no job silent', async () => {
    const { clock, uptime, move, pass } = aClock()
    const scene = await BuildScene.open({}, [], clock, uptime)
    await scene.schedule()
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.report((await agent.work()).jobId, { state: 'Preparing' })
    const health = async () => (await scene.service.fetch('/health')).text()

    move(DAY_MS)
    expect(await health()).not.toContain('has written nothing')
    pass(6 * MINUTE_MS)

    expect(await health()).toContain('app/1/build/1/unit has written nothing for 6 minutes')
  })
})

function toldOf(place: string): string {
  return `The clock of this server is ${place} that of the database: its log-ins, tokens and times go by it`
}

describe('a clock that differs from that of the database', { tags: ['postgresql'] }, () => {
  it('is in the health of its server, and not in that of others', async () => {
    await using cluster = await PostgresCluster.start()
    const database = cluster.freshSchema()
    const first = await openOver(database)
    const { clock, move } = aClock()
    const flags = ['--state', database, '--port', '0']
    const second = await startService(flags, folderBeside(first), { clock })
    const problemsOf = async (service: typeof first) => {
      const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
      return problems.map(({ subject }) => subject)
    }

    const calm = await problemsOf(second)
    move(DAY_MS)
    const ahead = await problemsOf(second)
    move(-DAY_MS - HALF_HOUR_MS)
    const behind = await problemsOf(second)
    const others = await problemsOf(first)

    expect(calm).toEqual([])
    expect(ahead).toEqual([toldOf('1440 min ahead of')])
    expect(behind).toEqual([toldOf('30 min behind')])
    expect(others).toEqual([])
  })
})
