// @module-tag long
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PIPELINE } from '../../../src/builds/engine/documents.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { element, exec } from '../../support/documents/a-configuration.ts'
import { BuildScene, SECURED, statusesOf } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'

/** An authorization with lists of users. */
function allowing(lists: Readonly<Record<string, readonly string[]>>) {
  const children = Object.entries(lists).map(([name, users]) =>
    element(
      name,
      {},
      users.map((user) => element('user', {}, [user])),
    ),
  )
  return element('authorization', {}, children)
}

const SHUT = allowing({ view: ['vera', 'ben'], operate: ['olga', 'ben'], admins: ['gina'] })
const WIDE = allowing({ view: ['pete', 'ben', 'olga'], operate: ['pete', 'ben'] })
const USERS = ['admin', 'gina', 'vera', 'olga', 'ben', 'pete']

/** The pipeline whose past is asked for. It says `OLD` in all that it has. */
const OLD = {
  name: 'app',
  variables: { KEY: 'OLD-VALUE' },
  stages: [{ jobs: [{ name: 'OLD-job', tasks: [exec('make', 'OLD-target')] }] }],
}
const NEW = { name: 'app', stages: [{ jobs: [{ name: 'fresh', tasks: [exec('ninja')] }] }] }
const RETAINED = { name: 'kept' }

type Pipelines = NonNullable<Parameters<BuildScene['configure']>[0]['pipelines']>

function configuration(shut: Pipelines, wide: Pipelines = []) {
  const both = [
    { group: 'shut', authorization: SHUT, pipelines: shut },
    { group: 'wide', authorization: WIDE, pipelines: [{ name: 'other' }, ...wide] },
  ]
  return { server: SECURED, groups: both }
}

/** A run of the old pipeline with a console and an artifact, and then what became of the pipeline. */
async function sceneAfter(then: ReturnType<typeof configuration> | null) {
  const scene = await BuildScene.open(configuration([RETAINED, OLD]))
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  await scene.schedule()
  const job = await agent.work()
  await agent.append(job.jobId, 0, 'OLD console\n')
  await agent.upload(job.jobId, 'dist/OLD.txt', 'OLD artifact')
  await agent.finish(job)
  if (then) await scene.configure(then)
  return scene
}

const JOB = 'app/1/build/1/OLD-job'
const ROADS = [
  '/api/stages/app/build/instance/1/1',
  '/api/stages/app/build/history',
  '/api/stages/app/build/history/0',
  '/api/agents/a1/job_run_history',
  `/files/${JOB}/cruise-output/console.log`,
  `/files/${JOB}/cruise-output/console.log?startLineNumber=0`,
  `/files/${JOB}`,
  `/files/${JOB}.json`,
  `/files/${JOB}/dist.json`,
  `/files/${JOB}/dist/OLD.txt`,
  `/files/${JOB}/dist.zip`,
  '/stages/app/build/1/1',
  '/stages/app/build/1/1/OLD-job',
  '/agents/a1',
  '/config/entity/pipeline/app',
  '/config/entity/stage/app%2Fbuild',
  '/config/entity/pipeline/app/compare/r1/r2',
  '/config/entity/pipeline/app/compare/r2/current',
]
/** Answers that say that there was a run, and nothing of it. */
const RUNS = ['/api/pipelines/app/instance/1']

async function sees(scene: BuildScene, path: string, user: string): Promise<boolean> {
  const response = await (user === 'admin' ? scene.get(path) : scene.get(path, user))
  const text = await response.text()
  return RUNS.includes(path) ? response.ok : response.ok && text.includes('OLD')
}

/** Finds the users who learn something of the old pipeline, by the road. */
async function whoSees(scene: BuildScene, roads: readonly string[]) {
  const seen: Record<string, string[]> = {}
  for (const road of roads) {
    seen[road] = []
    for (const user of USERS) if (await sees(scene, road, user)) seen[road].push(user)
  }
  return seen
}

function each(roads: readonly string[], users: readonly string[]) {
  return Object.fromEntries(roads.map((road) => [road, users]))
}

const HISTORY = ROADS.filter((road) => road.startsWith('/config/'))
const MADE = [...ROADS, ...RUNS].filter((road) => !HISTORY.includes(road))

describe('what a pipeline was', { timeout: 60_000 }, () => {
  it('is for those who may view it while it is there', { tags: ['long'] }, async () => {
    const scene = await sceneAfter(null)
    const roads = [...ROADS, ...RUNS].filter((road) => !road.endsWith('/current'))

    expect(await whoSees(scene, roads)).toEqual(each(roads, ['admin', 'gina', 'vera', 'ben']))
  })

  it.each([
    ['was deleted', configuration([RETAINED])],
    ['has another name', configuration([RETAINED, { ...OLD, name: 'moved' }])],
    ['has another name in another group', configuration([RETAINED], [{ ...OLD, name: 'moved' }])],
  ])('is for administrators under its old name when it %s', { tags: ['long'] }, async (_, then) => {
    const scene = await sceneAfter(then)

    expect(await whoSees(scene, [...ROADS, ...RUNS])).toEqual(each([...ROADS, ...RUNS], ['admin']))
  })

  it('stays with the pipeline that has another name', async () => {
    const scene = await sceneAfter(configuration([RETAINED, { ...OLD, name: 'moved' }]))
    const roads = ['/config/entity/pipeline/moved', '/config/entity/pipeline/moved/compare/r1/r2']

    expect(await whoSees(scene, roads)).toEqual(each(roads, ['admin', 'gina', 'vera', 'ben']))
  })

  it(
    'is for those who may view the new group and the old one when it moves',
    { tags: ['long'] },
    async () => {
      const scene = await sceneAfter(configuration([RETAINED], [OLD]))
      const past = ['/config/entity/pipeline/app/compare/r1/r2', ...MADE]

      expect(await whoSees(scene, past)).toEqual(each(past, ['admin', 'ben']))
      const html = await (await scene.get('/config/entity/pipeline/app', 'pete')).text()
      expect(html).toContain('0 changes')
    },
  )

  it(
    'is for those who may view every group in which it ran, when it runs on in a new one',
    { tags: ['long'] },
    async () => {
      const scene = await sceneAfter(configuration([RETAINED], [OLD]))

      const again = await scene.post('/api/stages/app/build/run/1', 'ben')

      expect(again.status).toBe(202)
      expect(await whoSees(scene, MADE)).toEqual(each(MADE, ['admin', 'ben']))
    },
  )

  it.each([
    ['at once', [configuration([RETAINED], [NEW])]],
    ['later', [configuration([RETAINED]), configuration([RETAINED], [NEW])]],
    [
      'while the old one gets another',
      [configuration([RETAINED, { ...OLD, name: 'moved' }], [NEW])],
    ],
  ])('is not for those who may view another that takes its name %s', async (_, then) => {
    const scene = await sceneAfter(null)
    for (const configured of then) await scene.configure(configured)
    await scene.schedule()

    const history = await whoSees(scene, HISTORY)
    expect(await whoSees(scene, MADE)).toEqual(each(MADE, ['admin', 'ben']))
    for (const users of Object.values(history)) {
      expect(['admin', 'admin,ben']).toContain(users.join())
    }
    const page = await (await scene.get('/pipelines/app', 'pete')).text()
    expect(page).toContain('Run 2')
    expect(page).not.toMatch(/OLD|Run 1\b|shut|moved/)
  })

  it(
    'is not started again by those who may start another that takes its name',
    { tags: ['long'] },
    async () => {
      const scene = await sceneAfter(configuration([RETAINED], [NEW]))
      const post = (path: string, body?: URLSearchParams) => (user: string) =>
        scene.post(path, user, body)
      const users = ['vera', 'gina', 'olga', 'pete', 'ben']

      const cancel = post('/stages/app/build/1/1', new URLSearchParams({ action: 'cancel' }))
      const cancels = await statusesOf(users, cancel)
      const reruns = await statusesOf(users, post('/api/stages/app/build/run/1'))

      expect(cancels).toEqual({ vera: 401, gina: 401, olga: 401, pete: 401, ben: 303 })
      expect(reruns).toEqual({ vera: 403, gina: 403, olga: 403, pete: 403, ben: 202 })
    },
  )

  it('is judged by the configuration of its time when a run does not say where it ran', async () => {
    const scene = await sceneAfter(configuration([RETAINED], [OLD]))
    await scene.service.close()
    const store = await openSqliteState(join(scene.service.folder, 'state', 'state.sqlite'))
    await store.change(async (tx) => {
      const run = await tx.find(PIPELINE, 'app/1')
      if (run) await tx.put(PIPELINE, 'app/1', { ...run, groups: null })
    })
    await store[Symbol.asyncDispose]()

    const again = await scene.restart()

    expect(await whoSees(again, MADE)).toEqual(each(MADE, ['admin', 'ben']))
  })

  it('names no job on the lists of agents to those who may not view its pipeline', async () => {
    const scene = await BuildScene.open(configuration([RETAINED, OLD]))
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await agent.work()
    const roads = ['/api/agents', '/agents', '/agents/a1']

    expect(await whoSees(scene, roads)).toEqual(each(roads, ['admin', 'gina', 'vera', 'ben']))
  })
})
