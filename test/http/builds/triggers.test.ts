import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AnElement, dependency, element, git } from '../../support/a-configuration.ts'
import { BuildScene, jsonOf } from '../../support/build-service.ts'
import { ProtocolAgent } from '../../support/protocol-agent.ts'
import { untilPolledAgain } from '../../support/materials.ts'
import { gitLine } from '../../support/git.ts'
import { startService } from '../../support/service.ts'

const MANUAL = element('approval', { type: 'manual' })
const FAST = ['--material-interval', '120ms']
const EVERY_SECOND = '* * * * * ?'

const Pipelines = z.array(
  z.object({
    name: z.string(),
    latest: z.object({ counter: z.int(), approved_by: z.string() }).nullable(),
  }),
)
const Health = z.object({
  status: z.string(),
  problems: z.array(
    z.object({ subject: z.string(), errors: z.array(z.object({ message: z.string() })) }),
  ),
})

type Configured = NonNullable<Parameters<typeof BuildScene.open>[0]>

/** A scene whose materials are polled all the time, with an agent that passes every job it gets. */
async function open(configured: Configured, flags: readonly string[] = FAST) {
  const scene = await BuildScene.open(configured, flags)
  return { scene, agent: await ProtocolAgent.join(scene.service, 'a1') }
}

function commit(scene: BuildScene, file = 'file'): string {
  writeFileSync(join(scene.origin, file), `${Math.random()}`)
  gitLine(scene.origin, 'add', '.')
  gitLine(scene.origin, 'commit', '-q', '-m', `change ${file}`)
  return gitLine(scene.origin, 'rev-parse', 'HEAD')
}

function timer(cron: string, onlyOnChanges: boolean): AnElement {
  return element('timer', { onlyOnChanges }, [cron])
}

/** How many runs a pipeline has, and who wanted the newest. */
async function latest(scene: BuildScene, pipeline = 'app') {
  const listed = Pipelines.parse(await jsonOf(await scene.get('/api/pipelines')))
  const found = listed.find(({ name }) => name === pipeline)?.latest
  return found ? `${found.counter} by ${found.approved_by}` : null
}

function pollsPass(scene: BuildScene): Promise<void> {
  return untilPolledAgain(scene.service.folder, scene.origin)
}

describe('a pipeline', () => {
  it('starts on the first poll of its material, by changes, and not again without one', async () => {
    const { scene, agent } = await open({})

    await expect.poll(() => latest(scene)).toBe('1 by changes')
    await agent.finish(await agent.work())
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')
  })

  it('starts with the revision of every new change', async () => {
    const { scene, agent } = await open({})
    await agent.finish(await agent.work())

    const revision = commit(scene)

    const job = await agent.work()
    expect(job.materials).toMatchObject([{ type: 'git', revision }])
    expect(await latest(scene)).toBe('2 by changes')
  })

  it('waits while its first stage is in progress, and then takes all changes at once', async () => {
    const { scene, agent } = await open({})
    const first = await agent.work()
    commit(scene)
    await pollsPass(scene)
    const revision = commit(scene)
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')

    await agent.finish(first)

    expect(await agent.work()).toMatchObject({ materials: [{ revision }] })
    expect(await latest(scene)).toBe('2 by changes')
  })

  it('does not start by itself when its first stage is manual, but by hand', async () => {
    const { scene } = await open({
      pipelines: [
        { name: 'app', stages: [{ name: 'build', approval: MANUAL }] },
        { name: 'other' },
      ],
    })
    await expect.poll(() => latest(scene, 'other')).toBe('1 by changes')
    expect(await latest(scene)).toBe(null)

    await scene.schedule()

    expect(await latest(scene)).toBe('1 by admin')
  })

  it('is started by hand with what is newest at that moment, and only once', async () => {
    const { scene, agent } = await open({})
    await agent.finish(await agent.work())
    const revision = commit(scene)

    await scene.schedule()

    const job = await agent.work()
    expect(job).toMatchObject({ materials: [{ revision }] })
    await agent.finish(job)
    await pollsPass(scene)
    expect(await latest(scene)).toMatch(/^[23] by /)
    const history = await scene.history()
    const seen = history.stages.filter(({ approved_by }) => approved_by === 'admin')
    expect(seen).toHaveLength(1)
  })

  it('is not started by changes of files that it ignores, until another file changes', async () => {
    const filter = element('filter', {}, [element('ignore', { pattern: 'doc-*' })])
    const scene = await BuildScene.open({ pipelines: [] }, FAST)
    await scene.configure({
      pipelines: [
        {
          name: 'app',
          materials: [{ ...git(scene.origin, { branch: 'main' }), children: [filter] }],
        },
      ],
    })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work())

    commit(scene, 'doc-1')
    commit(scene, 'doc-2')
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')

    const revision = commit(scene, 'code')
    expect(await agent.work()).toMatchObject({ materials: [{ revision }] })
  })

  it('is started by the passing of a stage that it depends on, and by nothing else', async () => {
    const { scene, agent } = await open({
      pipelines: [{ name: 'app' }, { name: 'down', materials: [dependency('app')] }],
    })
    await agent.finish(await agent.work(), 'Failed')
    await pollsPass(scene)
    expect(await latest(scene, 'down')).toBe(null)
    commit(scene)

    await agent.finish(await agent.work())

    const job = await agent.work()
    expect(job).toMatchObject({
      pipelineName: 'down',
      materials: [{ type: 'pipeline', revision: 'app/2/build/1' }],
    })
    await agent.finish(job)
    await pollsPass(scene)
    expect(await latest(scene, 'down')).toBe('1 by changes')
  })

  it('that joins two branches starts once for each run that went through both', async () => {
    const scene = await BuildScene.open({ pipelines: [] }, FAST)
    const source = git(scene.origin, { branch: 'main' })
    const slowly = [{ name: 'build', jobs: [{ resources: ['slow'] }] }]
    await scene.configure({
      pipelines: [
        { name: 'app' },
        { name: 'left', materials: [dependency('app')] },
        { name: 'right', materials: [dependency('app')], stages: slowly },
        { name: 'down', materials: [dependency('left'), source, dependency('right')] },
      ],
    })
    const revision = gitLine(scene.origin, 'rev-parse', 'HEAD')
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    const slow = await ProtocolAgent.join(scene.service, 'a2', { resources: ['slow'] })
    const build = async () => {
      const job = await agent.work()
      await agent.finish(job)
      return `${job.pipelineName}/${job.pipelineCounter}`
    }
    expect([await build(), await build()]).toEqual(['app/1', 'left/1'])
    const late = await slow.work()
    commit(scene)
    expect([await build(), await build()]).toEqual(['app/2', 'left/2'])
    await pollsPass(scene)
    expect(await latest(scene, 'down')).toBe(null)

    await slow.finish(late)

    const joined = await agent.work()
    expect(joined).toMatchObject({
      pipelineName: 'down',
      materials: [{ revision: 'left/1/build/1' }, { revision }, { revision: 'right/1/build/1' }],
    })
    await agent.finish(joined)
    await pollsPass(scene)
    expect(await latest(scene, 'down')).toBe('1 by changes')
    await slow.finish(await slow.work())
    expect(await build()).toBe('down/2')
  })

  it('that is locked starts when it is unlocked', async () => {
    const { scene, agent } = await open({
      pipelines: [
        {
          name: 'app',
          attributes: { isLocked: true },
          stages: [{ name: 'build' }, { name: 'ship', approval: MANUAL }],
        },
      ],
    })
    await agent.finish(await agent.work())
    const revision = commit(scene)
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')

    const shipping = await scene.post('/api/stages/app/ship/run/1')
    expect(shipping.status).toBe(202)
    await agent.finish(await agent.work())

    expect(await agent.work()).toMatchObject({ stageName: 'build', materials: [{ revision }] })
  })

  it('is started by its timer though nothing has changed', async () => {
    const { scene, agent } = await open({
      pipelines: [
        {
          name: 'app',
          before: [timer(EVERY_SECOND, false)],
          stages: [{ name: 'build', approval: MANUAL }],
        },
      ],
    })

    await agent.finish(await agent.work())
    await agent.finish(await agent.work())

    expect(await latest(scene)).toBe('2 by changes')
  })

  it('is started by a timer for changes only when there are some', async () => {
    const { scene, agent } = await open({
      pipelines: [
        {
          name: 'app',
          before: [timer(EVERY_SECOND, true)],
          stages: [{ name: 'build', approval: MANUAL }],
        },
      ],
    })
    await agent.finish(await agent.work())
    await pollsPass(scene)
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')

    const revision = commit(scene)

    expect(await agent.work()).toMatchObject({ materials: [{ revision }] })
  })

  it('takes up after a restart what was changed meanwhile, once', async () => {
    const { scene, agent } = await open({})
    await agent.finish(await agent.work())
    await scene.service.close()
    commit(scene)
    const users = ['--users-file', join(scene.service.folder, 'users')]

    const service = await startService([...FAST, ...users], scene.service.folder)
    const history = async () => {
      const body = await jsonOf(await service.fetch('/api/stages/app/build/history'))
      return z.object({ stages: z.array(z.object({ pipeline_counter: z.int() })) }).parse(body)
    }

    await expect.poll(async () => (await history()).stages.length).toBe(2)
    expect((await history()).stages.map((stage) => stage.pipeline_counter)).toEqual([2, 1])
    await pollsPass(scene)
    expect((await history()).stages).toHaveLength(2)
  })
})

describe('a material that cannot be read', () => {
  it('shows in the health of the service with its pipelines, and stops nobody else', async () => {
    const { scene } = await open({
      pipelines: [{ name: 'bad', materials: [git('/nowhere/at/all')] }, { name: 'app' }],
    })
    const health = async () => Health.parse(await jsonOf(await scene.get('/health')))

    await expect.poll(() => latest(scene)).toBe('1 by changes')
    await expect
      .poll(async () => (await health()).problems)
      .toEqual([
        {
          subject: 'The git material of the pipeline bad cannot be read',
          errors: [{ message: expect.stringContaining('git: ') }],
        },
      ])
    rmSync(scene.origin, { recursive: true })
    await expect.poll(async () => (await health()).problems.length).toBe(2)
    expect((await health()).status).toBe('degraded')
    expect(JSON.stringify(await health())).not.toContain('/nowhere')
  })
})
