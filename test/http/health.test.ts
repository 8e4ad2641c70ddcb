import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HealthBody, HealthSummaryBody } from '../../src/wire/health-body.ts'
import { element, git } from '../support/documents/a-configuration.ts'
import { BuildScene, GUARDED, jsonOf, messageOf, SECURED } from '../support/builds/build-service.ts'
import { pageOf } from '../support/pages/page-forms.ts'
import { until } from '../support/programs/until.ts'

const HealthProblems = HealthBody.pick({ problems: true })
const BROKEN = git('https://hidden.invalid/repo.git')

/** A service whose live file is not valid, and whose two pipelines have materials that cannot be read. */
async function troubledScene(): Promise<BuildScene> {
  const scene = await BuildScene.open(
    {
      server: SECURED,
      groups: [
        {
          group: 'open-to-vera',
          authorization: GUARDED,
          pipelines: [{ name: 'seen', materials: [git('/nowhere/seen')] }],
        },
        {
          group: 'shut',
          authorization: element('authorization', {}, [
            element('view', {}, [element('user', {}, ['admin'])]),
          ]),
          pipelines: [{ name: 'unseen', materials: [BROKEN] }],
        },
      ],
    },
    ['--material-interval', '1s', '--poll-interval', '50ms'],
  )
  writeFileSync(join(scene.service.folder, 'config-repo', 'config.xml'), '<secret-word')
  await until(async () => {
    const { problems } = HealthBody.parse(await jsonOf(await scene.get('/health')))
    return problems.length >= 3
  })
  return scene
}

describe('GET /health', { timeout: 60_000 }, () => {
  it('gives callers without credentials numbers and nothing else', async () => {
    const scene = await troubledScene()

    for (const as of [null, 'vera:wrong', 'nobody:x']) {
      const response = await scene.service.fetch('/health', { as })
      const body: unknown = await response.json()
      expect(response.status).toBe(200)
      expect(HealthSummaryBody.parse(body)).toMatchObject({ status: 'degraded', revisions: 2 })
      expect(Object.keys(Object(body)).toSorted()).toEqual([
        'mirror',
        'problemCount',
        'revisions',
        'status',
        'version',
      ])
    }
  })

  it('shows users the problems of the pipelines that they may view, on pages too', async () => {
    const scene = await troubledScene()
    const problemsFor = async (user: string) =>
      JSON.stringify(await jsonOf(await scene.get('/health', user)))

    const [vera, pete] = [await problemsFor('vera'), await problemsFor('pete')]
    const page = await pageOf(scene.service, '/problems', 'vera')

    expect(vera).toContain('seen')
    expect(page).toContain('The git material cannot be read')
    expect(page).toContain('<a href="/pipelines/seen">seen</a>')
    expect(await pageOf(scene.service, '/agents', 'vera')).toContain(': 1 unreadable material')
    for (const text of [vera, pete, page])
      expect(text).not.toMatch(/unseen|hidden\.invalid|secret-word|config\.xml/)
    expect(pete).toContain('"problems":[]')
    expect(await pageOf(scene.service, '/problems')).toContain('href="/pipelines/unseen"')
    expect(await pageOf(scene.service, '/agents')).toContain(', 2 unreadable materials')
  })

  it('says of a material what a start is refused with: addresses to administrators alone', async () => {
    const url = 'http://127.0.0.1:1/repo.git'
    const authorization = element(
      'authorization',
      {},
      ['view', 'operate'].map((right) => element(right, {}, [element('user', {}, ['olga'])])),
    )
    const pipelines = [{ name: 'app', materials: [git(url)] }]
    const scene = await BuildScene.open(
      { server: SECURED, groups: [{ group: 'g', authorization, pipelines }] },
      ['--material-interval', '1s'],
    )
    const toldTo = async (user?: string) => {
      const { problems } = HealthProblems.parse(await jsonOf(await scene.get('/health', user)))
      const refused = await scene.post('/api/pipelines/app/schedule', user)
      const [first] = problems.flatMap(({ errors }) => errors)
      return { health: first?.message ?? '', start: await messageOf(refused) }
    }
    await until(async () => (await toldTo()).health !== '')

    const [admin, olga] = [await toldTo(), await toldTo('olga')]

    expect(admin.health).toContain(`'${url}/'`)
    expect(olga.health).toContain("'…': Failed to connect to … ")
    // A time would make each try a problem of its own.
    expect(admin.health).not.toMatch(/after \d+ ms/)
    expect(olga.health).not.toContain('127.0.0.1')
    for (const { health, start } of [admin, olga]) {
      expect(start).toBe(`The pipeline app cannot start: a material cannot be read: ${health}`)
    }
  })
})
