import { describe, expect, it } from 'vitest'
import { PipelineBody } from '../../../src/wire/pipeline-body.ts'
import { StartedBody } from '../../../src/wire/stage-body.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, jsonOf, messageOf } from '../../support/builds/build-service.ts'
import { sceneWithAgent } from '../../support/builds/scene-with-agent.ts'

const MANUAL = element('approval', { type: 'manual' })

describe('a pipeline that is scheduled', () => {
  it('answers 202 with its counter, and has a stage in progress', async () => {
    const scene = await BuildScene.open()

    const response = await scene.post('/api/pipelines/APP/schedule')

    expect(response.status).toBe(202)
    expect(StartedBody.parse(await jsonOf(response))).toMatchObject({
      pipeline_name: 'app',
      pipeline_counter: 1,
      stage_name: 'build',
      stage_counter: '1',
    })
    expect(await scene.stage()).toMatchObject({
      name: 'build',
      approved_by: 'admin',
      approval_type: 'success',
      pipeline_name: 'app',
      pipeline_counter: 1,
      counter: '1',
      result: 'Unknown',
      jobs: [
        { name: 'unit', state: 'Scheduled', result: 'Unknown', agent_uuid: null, rerun: false },
      ],
    })
  })

  it('is 404 when there is none', async () => {
    const scene = await BuildScene.open()

    expect((await scene.post('/api/pipelines/other/schedule')).status).toBe(404)
  })

  it('is 409 while another run holds its lock', async () => {
    const { scene, agent } = await sceneWithAgent({
      pipelines: [{ name: 'app', attributes: { isLocked: true } }],
    })
    await scene.schedule()

    expect((await scene.post('/api/pipelines/app/schedule')).status).toBe(409)

    await agent.finish(await agent.work())
    expect((await scene.post('/api/pipelines/app/schedule')).status).toBe(202)
  })

  it('is unlocked by hand once nothing of the run that holds the lock is in progress', async () => {
    const stages = [
      { name: 'build' },
      { name: 'ship', approval: element('approval', { type: 'manual' }) },
    ]
    const { scene, agent } = await sceneWithAgent({
      pipelines: [{ name: 'app', attributes: { isLocked: true }, stages }],
    })
    await scene.schedule()
    const unlock = () => scene.post('/api/pipelines/APP/releaseLock')
    expect((await unlock()).status).toBe(409)
    await agent.finish(await agent.work(), 'Failed')
    expect((await scene.post('/api/pipelines/app/schedule')).status).toBe(409)

    expect(await messageOf(await unlock())).toContain('no longer locked by its run 1')

    expect((await scene.post('/api/pipelines/app/schedule')).status).toBe(202)
    await agent.finish(await agent.work(), 'Failed')
    await unlock()
    expect(await messageOf(await unlock())).toContain('is not locked')
    expect((await scene.post('/api/pipelines/none/releaseLock')).status).toBe(404)
  })

  it('is 409 with the reason when its material cannot be read', async () => {
    const scene = await BuildScene.open({
      pipelines: [
        {
          name: 'app',
          materials: [element('git', { url: 'git://127.0.0.1:1/nothing', branch: 'main' })],
        },
      ],
    })

    const response = await scene.post('/api/pipelines/app/schedule')

    expect(response.status).toBe(409)
    expect(await messageOf(response)).toContain('git')
  })

  it('is listed with its newest run', async () => {
    const { scene, agent } = await sceneWithAgent({
      pipelines: [
        { name: 'app', stages: [{ name: 'build' }, { name: 'ship' }] },
        { name: 'idle', stages: [{ name: 'build', approval: MANUAL }] },
      ],
    })
    await scene.schedule()
    await agent.finish(await agent.work(), 'Failed')

    const body = PipelineBody.array().parse(await jsonOf(await scene.get('/api/pipelines')))

    expect(body).toMatchObject([
      {
        name: 'app',
        group: 'defaultGroup',
        stages: ['build', 'ship'],
        latest: { counter: 1, stages: [{ name: 'build', counter: '1', result: 'Failed' }] },
      },
      { name: 'idle', latest: null },
    ])
  })
})
