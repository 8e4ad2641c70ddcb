import { describe, expect, it } from 'vitest'
import { PipelineBody } from '../../../src/wire/pipeline-body.ts'
import { element } from '../../support/documents/a-configuration.ts'
import {
  BuildScene,
  GUARDED,
  jsonOf,
  SECURED,
  statusesOf,
} from '../../support/builds/build-service.ts'

const PETE_APPROVES = element('approval', { type: 'manual' }, [
  element('authorization', {}, [element('user', {}, ['admin'])]),
])

/** Olga may operate, vera may view, pete may nothing. */
function guardedScene(): Promise<BuildScene> {
  return BuildScene.open({
    server: SECURED,
    groups: [
      {
        group: 'guarded',
        authorization: GUARDED,
        pipelines: [
          { name: 'app', stages: [{ name: 'build' }, { name: 'ship', approval: PETE_APPROVES }] },
        ],
      },
    ],
  })
}

const ONLY_OLGA_VIEWS = element('authorization', {}, [
  element('view', {}, [element('user', {}, ['olga'])]),
])

const OLGA_DOES_ALL = element(
  'authorization',
  {},
  ['view', 'operate'].map((right) => element(right, {}, [element('user', {}, ['olga'])])),
)

type Expected = readonly [call: string, who: Readonly<Record<string, number>>]

/** In this order: what is refused comes first, so that what is allowed finds the same. */
const CALLS: readonly Expected[] = [
  ['POST /api/pipelines/app/schedule', { pete: 403, vera: 403, olga: 202 }],
  ['POST /api/pipelines/app/releaseLock', { pete: 403, vera: 403, olga: 200 }],
  ['GET /api/stages/app/build/instance/1/1', { pete: 403, olga: 403, vera: 200, admin: 200 }],
  ['GET /api/stages/app/build/history', { pete: 403, olga: 403, vera: 200, admin: 200 }],
  ['GET /api/stages/app/build/history/0', { pete: 403, olga: 403, vera: 200, admin: 200 }],
  ['POST /api/stages/app/build/cancel', { pete: 401, vera: 401, olga: 200, admin: 200 }],
  ['POST /api/stages/app/build/run/1', { pete: 403, vera: 403, olga: 202 }],
  ['POST /api/stages/app/ship/run/1', { pete: 403, vera: 403, olga: 403, admin: 409 }],
  ['POST /api/stages/app/ship/cancel', { pete: 401, vera: 401, olga: 401, admin: 200 }],
  ['GET /api/agents/nobody/job_run_history', { pete: 404, vera: 404, olga: 404, admin: 404 }],
]

describe('who may do what with builds', () => {
  it('follows from the configuration', async () => {
    const scene = await guardedScene()

    const answered: Expected[] = []
    for (const [call, expected] of CALLS) {
      const [method = '', path = ''] = call.split(' ')
      const statuses = await statusesOf([...Object.keys(expected), 'nobody'], (user) => {
        const known = user === 'admin' ? {} : { as: user === 'nobody' ? null : `${user}:${user}` }
        return scene.service.fetch(path, { method, ...known })
      })
      answered.push([call, statuses])
    }

    expect(answered).toEqual(CALLS.map(([call, expected]) => [call, { ...expected, nobody: 401 }]))
  })

  it('lets nobody trigger a pipeline whose first stage is for others', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        {
          group: 'guarded',
          authorization: OLGA_DOES_ALL,
          pipelines: [{ name: 'app', stages: [{ name: 'build', approval: PETE_APPROVES }] }],
        },
      ],
    })
    const path = '/api/pipelines/app/schedule'

    const refused = await scene.post(path, 'olga')

    expect(refused.status).toBe(403)
    expect(await jsonOf(refused)).toMatchObject({
      message: 'User olga may not trigger the pipeline app',
    })
    expect((await scene.get('/pipelines/app/trigger', 'olga')).status).toBe(403)
    expect(await (await scene.get('/pipelines', 'olga')).text()).not.toContain('Trigger app')
    expect((await scene.post('/api/pipelines/app/pause', 'olga')).status).toBe(200)
    expect((await scene.post('/api/pipelines/app/unpause', 'olga')).status).toBe(200)
    expect(await (await scene.get('/pipelines')).text()).toContain('Trigger app')
    expect((await scene.post(path)).status).toBe(202)
  })

  it('asks for no credentials again of a known user who may not', async () => {
    const scene = await guardedScene()

    const response = await scene.post('/api/stages/app/build/cancel', 'pete')

    expect(response.status).toBe(401)
    expect(await jsonOf(response)).toMatchObject({
      message: expect.stringContaining('pete may not cancel the stage build'),
    })
  })

  it('hides pipelines from those who may not view them', async () => {
    const scene = await guardedScene()

    expect(await namesFor(scene, 'vera')).toEqual(['app'])
    expect(await namesFor(scene, 'pete')).toEqual([])
  })

  it('changes with the configuration for a user who was answered before', async () => {
    const scene = await guardedScene()
    const before = await namesFor(scene, 'vera')

    const pipelines = [{ name: 'app' }]
    const groups = [{ group: 'guarded', authorization: ONLY_OLGA_VIEWS, pipelines }]
    await scene.configure({ server: SECURED, groups })

    expect(before).toEqual(['app'])
    expect(await namesFor(scene, 'vera')).toEqual([])
    expect((await scene.get('/api/pipelines/app/history', 'vera')).status).toBe(403)
  })
})

async function namesFor(scene: BuildScene, user: string): Promise<string[]> {
  const pipelines = PipelineBody.array().parse(
    await jsonOf(await scene.get('/api/pipelines', user)),
  )
  return pipelines.map(({ name }) => name)
}
