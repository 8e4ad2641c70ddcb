import { describe, expect, it } from 'vitest'
import { PipelineBody } from '../../../src/wire/pipeline-body.ts'
import { StartedBody } from '../../../src/wire/stage-body.ts'
import { JobRunHistoryBody } from '../../../src/wire/job-body.ts'
import { element } from '../../support/a-configuration.ts'
import { BuildScene, jsonOf, messageOf, statusesOf } from '../../support/build-service.ts'
import { ProtocolAgent } from '../../support/protocol-agent.ts'

const MANUAL = element('approval', { type: 'manual' })

async function sceneWithAgent(...given: Parameters<typeof BuildScene.open>) {
  const scene = await BuildScene.open(...given)
  return { scene, agent: await ProtocolAgent.join(scene.service, 'a1') }
}

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
        { name: 'app', materials: [element('git', { url: '/nowhere/at/all', branch: 'main' })] },
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

describe('a stage', () => {
  it('ends with the result of its jobs and every transition', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    await agent.finish(await agent.work())

    const { result, jobs } = await scene.stage()

    expect(result).toBe('Passed')
    const [job] = jobs
    expect(job).toMatchObject({ agent_uuid: 'a1', result: 'Passed', original_job_id: null })
    expect(job?.job_state_transitions.map(({ state }) => state)).toEqual([
      'Scheduled',
      'Assigned',
      'Preparing',
      'Building',
      'Completing',
      'Completed',
    ])
    const ids = job?.job_state_transitions.map(({ id }) => id) ?? []
    expect(ids).toEqual(ids.toSorted((one, other) => one - other))
  })

  it('has exactly the fields of an instance', async () => {
    const scene = await BuildScene.open()
    await scene.schedule()

    const body = await jsonOf(await scene.get('/api/stages/app/build/instance/1/1'))

    expect(body).toEqual({
      name: 'build',
      approved_by: 'admin',
      jobs: [
        {
          agent_uuid: null,
          name: 'unit',
          job_state_transitions: [
            {
              state_change_time: expect.any(Number),
              id: expect.any(Number),
              state: 'Scheduled',
            },
          ],
          scheduled_date: expect.any(Number),
          original_job_id: null,
          rerun: false,
          result: 'Unknown',
          state: 'Scheduled',
          id: expect.any(Number),
        },
      ],
      pipeline_counter: 1,
      pipeline_name: 'app',
      approval_type: 'success',
      result: 'Unknown',
      id: expect.any(Number),
      counter: '1',
    })
  })

  it('is 404 for an unknown run, and 400 for a counter that is no number', async () => {
    const scene = await BuildScene.open()
    await scene.schedule()

    const statuses = await statusesOf(['9/1', '1/9', 'one/1'], (run) =>
      scene.get(`/api/stages/app/build/instance/${run}`),
    )

    expect(statuses).toEqual({ '9/1': 404, '1/9': 404, 'one/1': 400 })
  })

  it('starts the next by itself, and waits for a user where it is manual', async () => {
    const { scene, agent } = await sceneWithAgent({
      pipelines: [
        {
          name: 'app',
          stages: [{ name: 'build' }, { name: 'test' }, { name: 'ship', approval: MANUAL }],
        },
      ],
    })
    await scene.schedule()
    await agent.finish(await agent.work())
    await agent.finish(await agent.work())

    expect(await scene.stage('1/1', 'app/test')).toMatchObject({
      approved_by: 'changes',
      result: 'Passed',
    })
    expect((await scene.history('app/ship')).pagination.total).toBe(0)
    const response = await scene.post('/api/stages/app/ship/run/1')
    expect(response.status).toBe(202)
    expect(await scene.stage('1/1', 'app/ship')).toMatchObject({
      approved_by: 'admin',
      approval_type: 'manual',
    })
  })
})

describe('a stage that is run again', () => {
  it('has a new counter and all its jobs', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    await agent.finish(await agent.work())

    const response = await scene.post('/api/stages/app/build/run/1')

    expect(StartedBody.parse(await jsonOf(response)).stage_counter).toBe('2')
    expect((await scene.stage('1/2')).jobs).toMatchObject([{ state: 'Scheduled', rerun: false }])
  })

  it.each([
    ['a form', new URLSearchParams({ jobs: 'two' }), undefined],
    ['JSON', JSON.stringify({ jobs: ['two'] }), 'application/json'],
    ['the failed ones', new URLSearchParams({ rerun: 'failed' }), undefined],
  ])('runs the jobs that %s names, and carries the others over', async (_, body, type) => {
    const { scene, agent } = await sceneWithAgent({
      pipelines: [{ name: 'app', stages: [{ jobs: [{ name: 'one' }, { name: 'two' }] }] }],
    })
    await scene.schedule()
    await agent.finish(await agent.work())
    await agent.finish(await agent.work(), 'Failed')
    const [first] = (await scene.stage()).jobs

    const response = await scene.service.fetch('/api/stages/app/build/run/1', {
      method: 'POST',
      body,
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    })

    expect(response.status).toBe(202)
    expect((await scene.stage('1/2')).jobs).toMatchObject([
      { name: 'one', state: 'Completed', rerun: false, original_job_id: first?.id },
      { name: 'two', state: 'Scheduled', rerun: true, original_job_id: null },
    ])
  })

  it('is refused for what is unknown, still in progress or no number', async () => {
    const scene = await BuildScene.open()
    await scene.schedule()

    const expected = {
      'app/other/run/1': 404,
      'other/build/run/1': 404,
      'app/build/run/7': 404,
      'app/build/run/1': 409,
      'app/build/run/x': 400,
    }
    const paths = Object.keys(expected)

    expect(await statusesOf(paths, (path) => scene.post(`/api/stages/${path}`))).toEqual(expected)
  })

  it('passes over the empty body that real clients send', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    await agent.finish(await agent.work())

    const response = await scene.service.fetch('/api/stages/app/build/run/1', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })

    expect(response.status).toBe(202)
  })
})

describe('a stage that is cancelled', () => {
  it('is Cancelled with all its unfinished jobs', async () => {
    const { scene, agent } = await sceneWithAgent({
      pipelines: [{ name: 'app', stages: [{ jobs: [{ name: 'one' }, { name: 'two' }] }] }],
    })
    await scene.schedule()
    await agent.finish(await agent.work())

    const response = await scene.post('/api/stages/app/build/cancel')

    expect(response.status).toBe(200)
    expect(await messageOf(response)).toContain('is cancelled')
    expect(await scene.stage()).toMatchObject({
      result: 'Cancelled',
      jobs: [{ result: 'Passed' }, { state: 'Completed', result: 'Cancelled' }],
    })
  })

  it('answers 200 and says so when it is not active', async () => {
    const scene = await BuildScene.open()

    const response = await scene.post('/api/stages/app/build/cancel')

    expect(response.status).toBe(200)
    expect(await messageOf(response)).toContain('is not active')
  })

  it('is 404 when neither the configuration nor the past has it', async () => {
    const scene = await BuildScene.open()

    expect((await scene.post('/api/stages/app/other/cancel')).status).toBe(404)
    expect((await scene.post('/api/stages/other/build/cancel')).status).toBe(404)
  })

  it('is still known when the configuration has it no longer', async () => {
    const scene = await BuildScene.open()
    await scene.schedule()
    await scene.configure({ pipelines: [{ name: 'other' }] })

    expect((await scene.post('/api/stages/app/build/cancel')).status).toBe(200)
    expect((await scene.history()).pagination.total).toBe(1)
  })
})

describe('the history of a stage', () => {
  it('is paged by ten, newest first, with short jobs', async () => {
    const { scene, agent } = await sceneWithAgent()
    for (let run = 0; run < 12; run++) {
      await scene.schedule()
      await agent.finish(await agent.work())
    }

    const newest = await scene.history()
    const oldest = await scene.history('app/build', '/10')

    expect(newest.stages.map((stage) => stage.pipeline_counter)).toEqual([
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    ])
    expect(oldest.stages.map((stage) => stage.pipeline_counter)).toEqual([2, 1])
    expect(oldest.pagination).toEqual({ offset: 10, total: 12, page_size: 10 })
    const body = await jsonOf(await scene.get('/api/stages/app/build/history/11'))
    expect(body).toMatchObject({
      stages: [
        {
          counter: '1',
          jobs: [
            {
              name: 'unit',
              result: 'Passed',
              state: 'Completed',
              id: expect.any(Number),
              scheduled_date: expect.any(Number),
            },
          ],
        },
      ],
    })
    const [stage] = (await scene.history('app/build', '/11')).stages
    expect(Object.keys(stage?.jobs[0] ?? {}).toSorted()).toEqual([
      'id',
      'name',
      'result',
      'scheduled_date',
      'state',
    ])
  })

  it('is empty beyond the end and for a stage that never ran', async () => {
    const scene = await BuildScene.open()

    expect(await scene.history()).toEqual({
      stages: [],
      pagination: { offset: 0, total: 0, page_size: 10 },
    })
    await scene.schedule()
    expect(await scene.history('app/build', '/99')).toEqual({
      stages: [],
      pagination: { offset: 99, total: 1, page_size: 10 },
    })
  })

  it('is 404 for an unknown stage, and 400 for what is no offset', async () => {
    const scene = await BuildScene.open()

    const expected = {
      'app/other/history': 404,
      'app/build/history/-1': 400,
      'app/build/history/1.5': 400,
      'app/build/history/x': 400,
    }
    const paths = Object.keys(expected)

    expect(await statusesOf(paths, (path) => scene.get(`/api/stages/${path}`))).toEqual(expected)
  })
})

describe('the jobs that an agent ran', () => {
  it('are listed newest first, with exactly the fields of a job instance', async () => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    await agent.finish(await agent.work())
    await scene.schedule()
    await agent.finish(await agent.work(), 'Failed')

    const body = await jsonOf(await scene.get('/api/agents/a1/job_run_history'))

    expect(body).toMatchObject({
      jobs: [{ pipeline_counter: 2 }, { pipeline_counter: 1 }],
      pagination: { offset: 0, total: 2, page_size: 10 },
    })
    expect(JobRunHistoryBody.parse(body).jobs[0]).toEqual({
      agent_uuid: 'a1',
      name: 'unit',
      job_state_transitions: expect.any(Array),
      scheduled_date: expect.any(Number),
      pipeline_counter: 2,
      rerun: false,
      pipeline_name: 'app',
      result: 'Failed',
      state: 'Completed',
      id: expect.any(Number),
      stage_counter: '1',
      stage_name: 'build',
    })
  })

  it('are none beyond the end, with the true total', async () => {
    const { scene } = await sceneWithAgent()

    expect(await jsonOf(await scene.get('/api/agents/a1/job_run_history/30'))).toEqual({
      jobs: [],
      pagination: { offset: 30, total: 0, page_size: 10 },
    })
  })

  it('are 404 for an unknown agent, and 400 for what is no offset', async () => {
    const { scene } = await sceneWithAgent()

    const expected = {
      'nobody/job_run_history/0': 404,
      'a1/job_run_history/-1': 400,
      'a1/job_run_history/x': 400,
    }
    const paths = Object.keys(expected)

    expect(await statusesOf(paths, (path) => scene.get(`/api/agents/${path}`))).toEqual(expected)
  })
})
