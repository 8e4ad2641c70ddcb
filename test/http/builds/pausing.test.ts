import { describe, expect, it } from 'vitest'
import { PipelineBody, PipelineStatusBody } from '../../../src/wire/pipeline-body.ts'
import { dependency, element, git } from '../../support/documents/a-configuration.ts'
import {
  BuildScene,
  GUARDED,
  jsonOf,
  messageOf,
  SECURED,
} from '../../support/builds/build-service.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { sceneWithAgent } from '../../support/builds/scene-with-agent.ts'
import { commit, latest, open, pollsPass } from '../../support/builds/trigger-scene.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

const MANUAL = element('approval', { type: 'manual' })
const BY_HAND = { name: 'app', stages: [{ name: 'build', approval: MANUAL }] }

function pause(scene: BuildScene, cause = 'release', pipeline = 'app') {
  const body = new URLSearchParams({ pauseCause: cause })
  return scene.post(`/api/pipelines/${pipeline}/pause`, undefined, body)
}

function unpause(scene: BuildScene, pipeline = 'app') {
  return scene.post(`/api/pipelines/${pipeline}/unpause`)
}

async function statusOf(scene: BuildScene, pipeline = 'app'): Promise<PipelineStatusBody> {
  return PipelineStatusBody.parse(
    await jsonOf(await scene.get(`/api/pipelines/${pipeline}/status`)),
  )
}

describe('a pipeline that is paused', () => {
  it('says so, by whom and why, until it is unpaused', async () => {
    const scene = await BuildScene.open({ pipelines: [BY_HAND] })
    expect(await statusOf(scene, 'APP')).toEqual({
      paused: false,
      pausedCause: '',
      pausedBy: '',
      locked: false,
      schedulable: true,
    })

    expect(await messageOf(await pause(scene, ' the <release> '))).toContain('app is paused')

    expect(await statusOf(scene)).toEqual({
      paused: true,
      pausedCause: 'the <release>',
      pausedBy: 'admin',
      locked: false,
      schedulable: false,
    })
    const [listed] = PipelineBody.array().parse(await jsonOf(await scene.get('/api/pipelines')))
    expect(listed?.paused).toEqual({ by: 'admin', cause: 'the <release>' })
    expect(await messageOf(await unpause(scene))).toContain('is no longer paused')
    expect(await messageOf(await unpause(scene))).toContain('is not paused')
    expect(await statusOf(scene)).toMatchObject({ paused: false, schedulable: true })
    expect((await pause(scene, '', 'none')).status).toBe(404)
    expect((await unpause(scene, 'none')).status).toBe(404)
    expect((await scene.get('/api/pipelines/none/status')).status).toBe(404)
  })

  it('is locked and not schedulable while a run holds its lock', async () => {
    const { scene, agent } = await sceneWithAgent({
      pipelines: [{ ...BY_HAND, attributes: { isLocked: true } }],
    })
    await scene.schedule()
    expect(await statusOf(scene)).toMatchObject({ locked: true, schedulable: false })

    await agent.finish(await agent.work())

    expect(await statusOf(scene)).toMatchObject({ locked: false, schedulable: true })
  })

  it('starts nothing by hand, and lets what runs go on', async () => {
    const stages = [
      { name: 'build', approval: MANUAL },
      { name: 'test' },
      { name: 'ship', approval: MANUAL },
    ]
    const { scene, agent } = await sceneWithAgent({ pipelines: [{ name: 'app', stages }] })
    await scene.schedule()
    await pause(scene)

    const refused = await scene.post('/api/pipelines/app/schedule')
    expect(refused.status).toBe(409)
    expect(await messageOf(refused)).toBe('The pipeline app is paused by admin: release')
    await agent.finish(await agent.work())
    const test = await agent.work()
    expect(test.stageName).toBe('test')
    await agent.finish(test)
    expect((await scene.post('/api/stages/app/ship/run/1')).status).toBe(409)
    expect((await scene.post('/api/stages/app/build/run/1')).status).toBe(409)

    await unpause(scene)
    expect((await scene.post('/api/stages/app/ship/run/1')).status).toBe(202)
  })

  it('is what a start is refused for, whatever its material says', async () => {
    const materials = [element('git', { url: 'git://127.0.0.1:1/nothing' })]
    const scene = await BuildScene.open({ pipelines: [{ ...BY_HAND, materials }] })
    await pause(scene)

    const refused = await scene.post('/api/pipelines/app/schedule')

    expect(refused.status).toBe(409)
    expect(await messageOf(refused)).toBe('The pipeline app is paused by admin: release')
  })

  it(
    'builds what changed meanwhile in one run when it is unpaused, with the newest',
    { tags: ['long'] },
    async () => {
      const { scene, agent } = await open({})
      await agent.finish(await agent.work())
      await pause(scene)
      commit(scene)
      await pollsPass(scene)
      const revision = commit(scene)
      await pollsPass(scene)
      expect(await latest(scene)).toBe('1 by changes')

      await unpause(scene)

      const job = await agent.work()
      expect(job).toMatchObject({ pipelineCounter: 2, materials: [{ revision }] })
      await agent.finish(job)
      await pollsPass(scene)
      expect(await latest(scene)).toBe('2 by changes')
    },
  )

  it('is not started by its timer, which is not made up for', { tags: ['long'] }, async () => {
    const { scene, agent } = await open({
      pipelines: [
        { ...BY_HAND, timer: '* * * * * ?' },
        { name: 'other', timer: '* * * * * ?' },
      ],
    })
    await pause(scene)
    const before = await latest(scene)
    for (let run = 0; run < 4; run += 1) {
      const job = await agent.work()
      await agent.finish(job)
    }

    expect(await latest(scene)).toBe(before)
  })

  it('is not started by the stages that it depends on, before it is unpaused', async () => {
    const { scene, agent } = await open({
      pipelines: [{ name: 'app' }, { name: 'down', materials: [dependency('app')] }],
    })
    await pause(scene, '', 'down')
    await agent.finish(await agent.work())
    await pollsPass(scene)
    expect(await latest(scene, 'down')).toBe(null)

    await unpause(scene, 'down')

    expect(await agent.work()).toMatchObject({ pipelineName: 'down' })
  })

  it('stays so over a restart, and under another name it is not', async () => {
    const scene = await BuildScene.open({ pipelines: [BY_HAND, { ...BY_HAND, name: 'other' }] })
    await pause(scene)
    await pause(scene, 'too', 'other')
    const again = await scene.restart()
    expect(await statusOf(again)).toMatchObject({ paused: true, pausedCause: 'release' })

    await again.configure({
      pipelines: [
        { ...BY_HAND, name: 'renamed' },
        { ...BY_HAND, name: 'other' },
      ],
    })
    expect(await statusOf(again, 'renamed')).toMatchObject({ paused: false })
    await again.configure({ pipelines: [BY_HAND, { ...BY_HAND, name: 'other' }] })

    await expect.poll(() => statusOf(again)).toMatchObject({ paused: false })
    expect(await statusOf(again, 'other')).toMatchObject({ paused: true })
  })

  it('is paused by those who operate it, seen by those who view it, and both is noted', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [{ authorization: GUARDED, pipelines: [BY_HAND] }],
    })
    const as = async (user: string, path: string, method = 'POST') =>
      (await scene.service.fetch(`/api/pipelines/app/${path}`, { method, as: `${user}:${user}` }))
        .status

    expect([await as('vera', 'pause'), await as('pete', 'pause')]).toEqual([403, 403])
    expect(await as('olga', 'pause')).toBe(200)
    expect([await as('vera', 'status', 'GET'), await as('olga', 'status', 'GET')]).toEqual([
      200, 403,
    ])
    expect([await as('vera', 'unpause'), await as('olga', 'unpause')]).toEqual([403, 200])

    const { entries } = AuditBody.parse(await jsonOf(await scene.get('/api/audit?limit=10')))
    const noted = entries
      .filter(({ outcome }) => outcome === 'done')
      .map(({ user, action }) => [user, action])
    expect(noted).toContainEqual(['olga', 'pause-pipeline'])
    expect(noted).toContainEqual(['olga', 'unpause-pipeline'])
  })
})

describe('the pages of a pipeline that is paused', () => {
  it('say so, and have the buttons for those who may', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        {
          authorization: element('authorization', {}, [
            element('view', {}, [element('user', {}, ['vera']), element('user', {}, ['olga'])]),
            element('operate', {}, [element('user', {}, ['olga'])]),
          ]),
          pipelines: [{ ...BY_HAND, materials: [git('https://example.com/x')] }],
        },
      ],
    })
    const fields = { action: 'pause', pipeline: 'app', pauseCause: 'freeze' }

    const paused = await sendForm(scene.service, '/pipelines', fields, 'olga')
    expect(await pageOf(scene.service, paused.headers.get('location') ?? '', 'olga')).toContain(
      'Paused pipeline app.',
    )
    for (const path of ['/pipelines', '/pipelines/app']) {
      const olga = await pageOf(scene.service, path, 'olga')
      const vera = await pageOf(scene.service, path, 'vera')
      expect(olga.replaceAll(/<[^>]*>/g, '')).toContain('Paused by olga: freeze')
      expect(olga).toContain('aria-label="Unpause app"')
      expect(olga).not.toMatch(/"Trigger app"|>Trigger a run</)
      expect(vera.replaceAll(/<[^>]*>/g, '')).toContain('Paused by olga: freeze')
      expect(vera).not.toContain('aria-label="Unpause app"')
    }
    expect((await sendForm(scene.service, '/pipelines/app', fields, 'vera')).status).toBe(403)

    await sendForm(scene.service, '/pipelines/app', { action: 'unpause' }, 'olga')
    expect(await statusOf(scene)).toMatchObject({ paused: false })
    const page = await pageOf(scene.service, '/pipelines/app', 'olga')
    expect(page).toContain('aria-label="Pause app"')
    expect(page).toMatch(/value="trigger"/)
    const { entries } = AuditBody.parse(await jsonOf(await scene.get('/api/audit?limit=10')))
    expect(entries.map(({ action, target }) => `${action} ${target}`)).toEqual(
      expect.arrayContaining([
        'pause-pipeline /api/pipelines/app/pause',
        'unpause-pipeline /api/pipelines/app/unpause',
      ]),
    )
  })
})
