// @module-tag long
import { describe, expect, it } from 'vitest'
import { dependency, git } from '../../support/documents/a-configuration.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { gitLine } from '../../support/git/git.ts'
import { FAST, open, commit, latest, pollsPass } from '../../support/builds/trigger-scene.ts'

describe('a pipeline that depends on a stage', () => {
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
})
