import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { withKey } from '../support/agents/invitations.ts'
import { KEY, ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { BuildScene } from '../support/builds/build-service.ts'
import { listed } from '../support/builds/scene-with-agent.ts'
import { FAST, latest } from '../support/builds/trigger-scene.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { element } from '../support/documents/a-configuration.ts'
import { startService } from '../support/service/service.ts'
import { addSomeone, SOMEONE } from '../support/service/someone-else.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const HALF_HOUR_MS = 30 * MINUTE_MS

/** A clock that a test sets. */
function aClock() {
  const ahead = { by: 0 }
  return {
    clock: () => Date.now() + ahead.by,
    move: (milliseconds: number) => void (ahead.by += milliseconds),
  }
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
    const { clock, move } = aClock()
    const scene = await BuildScene.open(undefined, ['--agent-timeout', '10s'], clock)
    const { service } = scene
    const agent = new CallingAgent(service)
    await agent.register(withKey(KEY))
    await agent.contact()
    const copy = Object.assign(new CallingAgent(service, agent.uuid), {
      token: agent.token,
      facts: { ...agent.facts, hostname: 'elsewhere' },
    })
    const seen = async () => (await listed(scene, agent.uuid))?.status

    move(-DAY_MS)
    await service.fetch('/agents')
    expect([await seen(), (await copy.tryContact()).status]).toEqual(['Idle', 409])
    move(MINUTE_MS)
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
