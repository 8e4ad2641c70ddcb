import { describe, expect, it } from 'vitest'
import { StartedBody } from '../../../src/wire/stage-body.ts'
import { BuildScene, jsonOf } from '../../support/builds/build-service.ts'
import { pollsOf } from '../../support/builds/materials.ts'
import { commit } from '../../support/builds/trigger-scene.ts'
import { element, git } from '../../support/documents/a-configuration.ts'

const STAGES = [{ name: 'build', approval: element('approval', { type: 'manual' }) }]
const STARTS = 20
/** The look of the first start, that of all that asked after it had begun, and a few for those that are late. */
const MAX_LOOKS = 5

async function open(): Promise<BuildScene> {
  const scene = await BuildScene.open()
  const materials = [git(scene.origin, { branch: 'main', autoUpdate: false })]
  await scene.configure({ pipelines: [{ name: 'app', stages: STAGES, materials }] })
  return scene
}

describe('starts of one pipeline', () => {
  it('share a look at its material when they come at once, and have the newest revision', async () => {
    const scene = await open()
    const { folder } = scene.service
    const before = pollsOf(folder, scene.origin)

    const started = await Promise.all(
      Array.from({ length: STARTS }, () => scene.post('/api/pipelines/app/schedule')),
    )

    expect(started.map(({ status }) => status)).toEqual(started.map(() => 202))
    const counters = await Promise.all(
      started.map(async (each) => StartedBody.parse(await jsonOf(each)).pipeline_counter),
    )
    expect(new Set(counters).size).toBe(STARTS)
    expect(pollsOf(folder, scene.origin) - before).toBeLessThanOrEqual(MAX_LOOKS)
  })

  it('have what was committed before they were asked for', async () => {
    const scene = await open()
    await scene.schedule()
    const revision = commit(scene)

    await scene.schedule()

    const run = await (await scene.get('/api/pipelines/app/instance/2')).text()
    expect(run).toContain(revision)
  })
})
