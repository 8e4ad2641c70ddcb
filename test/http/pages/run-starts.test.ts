import { describe, expect, it } from 'vitest'
import { dependency, element } from '../../support/documents/a-configuration.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { latest, open } from '../../support/builds/trigger-scene.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { pageOf } from '../../support/pages/page-forms.ts'
import { until } from '../../support/programs/until.ts'

const MANUAL = element('approval', { type: 'manual' })

/** The text about the start of each run of a stage, newest first. */
async function startsOn(scene: BuildScene, stage: string): Promise<string[]> {
  const page = await pageOf(scene.service, `/stages/${stage}`)
  const [, history = ''] = /data-part="history"(.*)/s.exec(page) ?? []
  return Array.from(history.matchAll(/<span class="muted">([^<]*) · </g), ([, text = '']) => text)
}

async function factsOn(scene: BuildScene, stage: string): Promise<string> {
  const page = await pageOf(scene.service, `/stages/${stage}`)
  return /<dl class="facts"(.*?)<\/dl>/s.exec(page)?.[1] ?? ''
}

describe('what started a run', () => {
  it('is a person, or the stage before, and who approved or reran a stage', async () => {
    const stages = [{ name: 'build' }, { name: 'check' }, { name: 'ship', approval: MANUAL }]
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await agent.finish(await agent.work())
    await agent.finish(await agent.work())
    await scene.post('/api/stages/app/ship/run/1', 'olga')
    await agent.finish(await agent.work())
    await scene.post('/api/stages/app/build/run/1', 'pete')

    expect(await startsOn(scene, 'app/build')).toEqual(['rerun by pete', 'triggered by admin'])
    expect(await startsOn(scene, 'app/check')).toEqual(['started after build'])
    expect(await startsOn(scene, 'app/ship')).toEqual(['approved by olga'])
    expect(await factsOn(scene, 'app/check')).toContain('triggered by admin')
  })

  it('is changes of a repository, or the pipeline that a run depends on', async () => {
    const { scene, agent } = await open({
      pipelines: [{ name: 'app' }, { name: 'down', materials: [dependency('app')] }],
    })
    await agent.finish(await agent.work())
    await agent.finish(await agent.work())

    expect(await startsOn(scene, 'app/build')).toEqual(['triggered by a commit'])
    expect(await startsOn(scene, 'down/build')).toEqual(['triggered by the pipeline app'])
    expect(await factsOn(scene, 'down/build')).toMatch(/Started by<\/dt><dd>the pipeline app</)
    expect(await pageOf(scene.service, '/pipelines')).toContain(' triggered by the pipeline app, ')
    expect(await pageOf(scene.service, '/pipelines/down')).toContain(
      'triggered by the pipeline app ·',
    )
  })

  it('is the timer of a pipeline, with changes and without', { tags: ['long'] }, async () => {
    const { scene, agent } = await open({
      pipelines: [
        {
          name: 'app',
          before: [element('timer', {}, ['* * * * * ?'])],
          stages: [{ name: 'build', approval: MANUAL }],
        },
      ],
    })
    await agent.finish(await agent.work())
    await until(async () => (await latest(scene))?.startsWith('2 ') ?? false)

    expect((await startsOn(scene, 'app/build')).slice(-2)).toEqual([
      'triggered by its timer',
      'triggered by its timer',
    ])
    expect(await factsOn(scene, 'app/build')).toMatch(/Started by<\/dt><dd>its timer</)
  })
})
