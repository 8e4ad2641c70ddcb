import { describe, expect, it } from 'vitest'
import { PipelineHistoryBody } from '../../../src/wire/pipeline-run-body.ts'
import { BuildScene, jsonOf, SECURED } from '../../support/builds/build-service.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { pageOf } from '../../support/pages/page-forms.ts'

const MANUAL = [{ name: 'build', approval: element('approval', { type: 'manual' }) }]
const [APP, LIB] = ['app', 'lib'].map((name) => ({ name, stages: MANUAL }))

async function runsBy(scene: BuildScene, revision: string, offset = 0) {
  const path = `/api/config/revisions/${revision}/runs?offset=${offset}`
  const { pipelines, pagination } = PipelineHistoryBody.parse(await jsonOf(await scene.get(path)))
  return { runs: pipelines.map(({ name, counter }) => `${name}/${counter}`), ...pagination }
}

async function newestOf(scene: BuildScene): Promise<string> {
  const list: unknown = await jsonOf(await scene.get('/api/config/revisions?limit=1'))
  return /"commitSHA":"(\w+)"/.exec(JSON.stringify(list))?.[1] ?? ''
}

describe('the runs by a revision', () => {
  it('are those that it scheduled, of all pipelines, newest first, and its page leads to them', async () => {
    const scene = await BuildScene.open({ server: SECURED, pipelines: [APP ?? {}, LIB ?? {}] })
    const first = await newestOf(scene)
    await scene.schedule('app')
    await scene.schedule('lib')
    await scene.configure({ server: SECURED, pipelines: [LIB ?? {}, APP ?? {}] })
    const second = await newestOf(scene)
    for (let n = 0; n < 11; n += 1) await scene.schedule('app')
    const again = new URLSearchParams({ configuration: first })
    await scene.post('/api/pipelines/app/schedule', undefined, again)

    const pages = [await runsBy(scene, second), await runsBy(scene, second, 10)]
    const older = await runsBy(scene, first)

    expect(older).toMatchObject({ runs: ['app/13', 'lib/1', 'app/1'], total: 3 })
    expect(pages.map(({ total }) => total)).toEqual([11, 11])
    expect(pages.map(({ runs }) => runs.length)).toEqual([10, 1])
    expect(pages[0]?.runs[0]).toBe('app/12')
    expect(pages[1]?.runs).toEqual(['app/2'])

    const snapshot = await pageOf(scene.service, `/config/${first}`)
    const [, link = ''] = /href="(\/config\/r\d+\/runs)"/.exec(snapshot) ?? []
    const page = await pageOf(scene.service, link)
    const [, onward = ''] =
      /href="([^"]*runs\?offset=10)"/.exec(await pageOf(scene.service, `/config/${second}/runs`)) ??
      []
    expect(page).toContain('3 runs scheduled by this configuration.')
    expect(page).toContain('href="/pipelines/lib#run-1"')
    expect(page).toContain('href="/stages/app/build/13/1"')
    expect(page).not.toContain('#run-12"')
    expect(await pageOf(scene.service, onward)).toContain('#run-2"')
  })

  it('are none by one that scheduled none, and not there for one that is not', async () => {
    const scene = await BuildScene.open({ server: SECURED, pipelines: [APP ?? {}] })
    const none = await newestOf(scene)
    const paths = [`/api/config/revisions/${'0'.repeat(40)}/runs`, '/config/r99/runs']
    const answers = paths.map((path) => scene.get(path))
    const refused = [`/api/config/revisions/${none}/runs`, `/config/${none}/runs`]
    const denied = refused.map((path) => scene.get(path, 'vera'))

    expect(await runsBy(scene, none)).toMatchObject({ runs: [], total: 0 })
    expect(await pageOf(scene.service, `/config/${none}/runs`)).toContain('No runs by this')
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404])
    expect((await Promise.all(denied)).map(({ status }) => status)).toEqual([403, 403])
  })
})
