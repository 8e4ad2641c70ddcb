import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import { BuildScene, jsonOf, messageOf } from '../../support/builds/build-service.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { pageOf } from '../../support/pages/page-forms.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'

const Health = z.object({
  problems: z.array(
    z.object({ subject: z.string(), errors: z.array(z.object({ message: z.string() })) }),
  ),
})

const MINUTE_MS = 60_000
const PAGES = [
  '/pipelines',
  '/pipelines/app',
  '/stages/app/build/1/1',
  '/stages/app/build/1/1/unit',
]

/** A scheduled job that needs docker, an agent without it, and a clock that is set forward. */
async function needsDocker() {
  let ahead = 0
  const stages = [{ name: 'build', jobs: [{ name: 'unit', resources: ['docker'] }] }]
  const clock = () => Date.now() + ahead
  const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages }] }, [], clock)
  await ProtocolAgent.join(scene.service, 'a1')
  await scene.schedule()
  return { scene, pass: (time: number) => (ahead += time) }
}

async function problems(scene: BuildScene) {
  return Health.parse(await jsonOf(await scene.get('/health'))).problems
}

describe('a job that no agent can take', () => {
  it('says why on the pages where it is looked for, and is not called building', async () => {
    const { scene } = await needsDocker()

    for (const path of PAGES) {
      const page = await pageOf(scene.service, path)
      expect(page).toMatch(/(build waits|Waiting): no agent has the resource docker\./)
      expect(page).not.toContain('Building')
    }
    expect(await pageOf(scene.service, '/stages/app/build/1/1')).toMatch(
      /waiting"><span[^>]*><\/span>Waiting/,
    )
  })

  it('says why in the interface too, until an agent can take it', async () => {
    const { scene } = await needsDocker()
    const reasons = async () => {
      const run = await jsonOf(await scene.get('/api/pipelines/app/instance/1'))
      return PipelineRunBody.parse(run).stages.map(({ waiting }) => waiting)
    }

    const waiting = await reasons()
    const other = await ProtocolAgent.join(scene.service, 'a2', { resources: ['docker'] })
    await other.work()

    expect(waiting).toEqual([[{ job: 'unit', reason: 'no agent has the resource docker' }]])
    expect(await reasons()).toEqual([undefined])
  })

  it('stands in the health once it has waited for a while, until an agent can take it', async () => {
    const { scene, pass } = await needsDocker()
    const early = await problems(scene)

    pass(MINUTE_MS)

    expect(early).toEqual([])
    expect(await problems(scene)).toEqual([
      {
        subject: 'No agent can take the job app/1/build/1/unit',
        errors: [{ message: 'no agent has the resource docker' }],
      },
    ])
    await ProtocolAgent.join(scene.service, 'a2', { resources: ['docker'] })
    expect(await problems(scene)).toEqual([])
    for (const path of PAGES) {
      expect(await pageOf(scene.service, path)).not.toContain('no agent has the resource')
    }
  })

  it('is known after a restart too', async () => {
    const { scene } = await needsDocker()

    const again = await scene.restart()

    expect(await pageOf(again.service, '/pipelines/app')).toContain('build waits: ')
  })
})

describe('a job that waits for a busy agent', () => {
  it('says so beside the job and is no problem', async () => {
    let ahead = 0
    const clock = () => Date.now() + ahead
    const scene = await BuildScene.open({}, [], clock)
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    const { jobId } = await agent.work()
    await scene.schedule()
    ahead += 2 * MINUTE_MS
    await agent.contact({ jobId })

    const page = await pageOf(scene.service, '/stages/app/build/2/1')

    expect(page).toContain('Waiting: the one agent that could take it is busy.')
    expect(await problems(scene)).toEqual([])
    expect(await pageOf(scene.service, '/pipelines')).not.toContain('waits:')
  })
})

describe('a job whose resources only an agent in an environment has', () => {
  it('says so at every place', async () => {
    let ahead = 0
    const stages = [{ name: 'build', jobs: [{ name: 'unit', resources: ['docker'] }] }]
    const clock = () => Date.now() + ahead
    const configured = { pipelines: [{ name: 'app', stages }], environments: [{ name: 'uat' }] }
    const scene = await BuildScene.open(configured, [], clock)
    await ProtocolAgent.join(scene.service, 'a1')
    await ProtocolAgent.join(scene.service, 'a2', { resources: ['docker'], environments: ['uat'] })
    await scene.schedule()
    ahead += MINUTE_MS

    const reason =
      'the one agent that has the resource docker is in the environment uat, and the pipeline is in none'
    for (const path of PAGES) expect(await pageOf(scene.service, path)).toContain(`: ${reason}.`)
    expect(await problems(scene)).toMatchObject([{ errors: [{ message: reason }] }])
    expect(await pageOf(scene.service, '/problems')).toContain(reason)
  })
})

describe('a stage whose job runs on all agents, of which none fits', () => {
  const job = { name: 'j', attributes: { runOnAllAgents: true }, resources: ['rare'] }
  const stages = [{ name: 'build', jobs: [job] }]
  const manual = element('approval', { type: 'manual' })

  it('is a problem before anybody tries, on the pages of its pipeline, and in the words of a refusal', async () => {
    const scene = await BuildScene.open({
      pipelines: [
        { name: 'app', stages: [{ ...stages[0], approval: manual }] },
        { name: 'fine' },
        { name: 'later', stages: [{ name: 'first' }, { ...stages[0], name: 'last' }] },
      ],
    })
    await ProtocolAgent.join(scene.service, 'a1')
    const reason = 'no agent fits the job j, which runs on all: no agent has the resource rare'

    expect(await problems(scene)).toEqual([
      {
        subject: '2 stages cannot start, such as the stage build of the pipeline app',
        errors: [{ message: reason }],
      },
    ])
    const sentence = `The stage build of the pipeline app cannot start: ${reason}`
    expect(await pageOf(scene.service, '/pipelines/app')).toContain(`${sentence}.`)
    expect(await pageOf(scene.service, '/pipelines')).toContain(`${sentence}.`)
    expect(await pageOf(scene.service, '/pipelines/fine')).not.toContain('cannot start:')
    const refused = await scene.post('/api/pipelines/app/schedule')
    expect([refused.status, await messageOf(refused)]).toEqual([409, sentence])

    await ProtocolAgent.join(scene.service, 'a2', { resources: ['rare'] })
    expect(await problems(scene)).toEqual([])
    expect(await pageOf(scene.service, '/pipelines/app')).not.toContain('cannot start:')
  })

  it('waits a minute for agents that are only absent', async () => {
    let ahead = 0
    const clock = () => Date.now() + ahead
    const configured = [{ name: 'app', stages: [{ ...stages[0], approval: manual }] }]
    const scene = await BuildScene.open({ pipelines: configured }, [], clock)
    await ProtocolAgent.join(scene.service, 'a1', { resources: ['rare'] })
    await scene.service.fetch('/api/agents/a1/disable', { method: 'POST' })

    expect(await problems(scene)).toEqual([])
    ahead += 2 * MINUTE_MS
    expect(await problems(scene)).toMatchObject([
      {
        errors: [
          {
            message:
              'no agent fits the job j, which runs on all: the one agent that could take it is disabled',
          },
        ],
      },
    ])
  })
})
