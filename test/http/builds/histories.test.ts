import { describe, expect, it } from 'vitest'
import { JobRunHistoryBody } from '../../../src/wire/job-body.ts'
import { BuildScene, jsonOf, statusesOf } from '../../support/builds/build-service.ts'
import { sceneWithAgent } from '../../support/builds/scene-with-agent.ts'

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
    const largest = Number.MAX_SAFE_INTEGER
    for (const offset of ['9'.repeat(16), '9'.repeat(400)]) {
      expect(await scene.history('app/build', `/${offset}`)).toEqual({
        stages: [],
        pagination: { offset: largest, total: 1, page_size: 10 },
      })
    }
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
    const far = await jsonOf(await scene.get(`/api/agents/a1/job_run_history/${'9'.repeat(16)}`))
    expect(far).toMatchObject({ jobs: [], pagination: { total: 0 } })
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
