import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene, statusesOf } from '../../support/builds/build-service.ts'

const PAGES = [
  '/config',
  '/config/entity/pipeline/app',
  '/agents',
  '/agents/a1',
  '/pipelines',
  '/pipelines/app',
  '/stages/app/build',
  '/users',
  '/permissions',
  '/proposals',
]

async function answersTo(scene: BuildScene, offset: string): Promise<Record<string, number>> {
  const statuses = await statusesOf(PAGES, (path) => scene.get(`${path}?offset=${offset}`))
  return statuses
}

function all(status: number): Record<string, number> {
  return Object.fromEntries(PAGES.map((path) => [path, status]))
}

describe('the offset of a page', () => {
  it('may have any number of digits, as in calls: nothing is there', async () => {
    const scene = await BuildScene.open()
    await scene.schedule()
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work())

    for (const digits of [15, 16, 400])
      expect(await answersTo(scene, '9'.repeat(digits))).toEqual(all(200))
  })

  it('is that of the last page where a list has become shorter', async () => {
    const scene = await BuildScene.open()
    await ProtocolAgent.join(scene.service, 'a1')
    const rows = { '/pipelines': 'pipelines/app', '/agents': 'agents/a1', '/users': 'users/admin' }

    for (const [path, row] of Object.entries(rows)) {
      const page = await (await scene.get(`${path}?offset=100`)).text()
      expect(page).toContain(`href="/${row}"`)
    }
  })

  it('is refused as calls refuse it where it is no number', async () => {
    const scene = await BuildScene.open()

    for (const offset of ['x', '-1', '1e3', '1.0'])
      expect(await answersTo(scene, offset)).toEqual(all(400))
    expect(await (await scene.get('/pipelines/app?offset=x')).text()).toContain(
      'The offset x is not a whole number from 0 up',
    )
  })
})
