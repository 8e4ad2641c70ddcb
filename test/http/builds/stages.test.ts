import { describe, expect, it } from 'vitest'
import { StartedBody } from '../../../src/wire/stage-body.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, jsonOf, messageOf, statusesOf } from '../../support/builds/build-service.ts'
import { sceneWithAgent } from '../../support/builds/scene-with-agent.ts'

const MANUAL = element('approval', { type: 'manual' })

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
    ['a form without its type', 'rerun=failed', 'text/plain'],
    ['JSON without its type', '{"jobs":"two"}', 'text/plain'],
    ['the address', null, undefined, '?rerun=failed'],
  ])(
    'runs the jobs that %s names, and carries the others over',
    async (_, body, type, query = '') => {
      const { scene, agent } = await sceneWithAgent({
        pipelines: [{ name: 'app', stages: [{ jobs: [{ name: 'one' }, { name: 'two' }] }] }],
      })
      await scene.schedule()
      await agent.finish(await agent.work())
      await agent.finish(await agent.work(), 'Failed')
      const [first] = (await scene.stage()).jobs

      const response = await scene.service.fetch(`/api/stages/app/build/run/1${query}`, {
        method: 'POST',
        body,
        ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      })

      expect(response.status).toBe(202)
      expect((await scene.stage('1/2')).jobs).toMatchObject([
        { name: 'one', state: 'Completed', rerun: false, original_job_id: first?.id },
        { name: 'two', state: 'Scheduled', rerun: true, original_job_id: null },
      ])
    },
  )

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

  it.each([
    'jobs=',
    '{"jobs":[]}',
    'jobs=,&rerun=failed',
    'rerun=all',
    'configuration=r1',
    'job=two',
  ])('is refused for %s, and runs nothing', async (body) => {
    const { scene, agent } = await sceneWithAgent()
    await scene.schedule()
    await agent.finish(await agent.work())

    const response = await scene.post('/api/stages/app/build/run/1', undefined, body)

    expect(response.status).toBe(400)
    expect((await scene.history()).pagination.total).toBe(1)
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
