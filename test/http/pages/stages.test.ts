import { describe, expect, it } from 'vitest'
import { type aConfiguration, element, git } from '../../support/documents/a-configuration.ts'
import { PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import { BuildScene, GUARDED, jsonOf, SECURED } from '../../support/builds/build-service.ts'
import { git as runGit } from '../../support/git/git.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'

const TWO_JOBS = {
  name: 'app',
  stages: [{ name: 'build', jobs: [{ name: 'unit' }, { name: 'e2e' }] }],
}

type Pipeline = NonNullable<NonNullable<Parameters<typeof aConfiguration>[0]>['pipelines']>[number]

async function scheduled(configured: Pipeline = TWO_JOBS) {
  const scene = await BuildScene.open({ pipelines: [configured] })
  await scene.schedule()
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  return { scene, agent }
}

/** A run of both jobs, the second of which failed. */
async function failedOnce() {
  const { scene, agent } = await scheduled()
  await agent.finish(await agent.work())
  await agent.finish(await agent.work(), 'Failed')
  return { scene, agent }
}

function jobsIn(page: string): string[] {
  return Array.from(page.matchAll(/<li class="job">.*?<\/li>/gs), ([job]) => job)
}

function runsIn(page: string): number[] {
  return Array.from(page.matchAll(/<a class="run-name"[^>]*><b>(\d+)/g), ([, counter]) =>
    Number(counter),
  )
}

async function followed(scene: BuildScene, response: Response): Promise<string> {
  expect(response.status).toBe(303)
  return pageOf(scene.service, response.headers.get('location') ?? '')
}

describe('the page of a run of a stage', () => {
  it('shows how it came about, what it ran under and what its jobs did, in bars and in words', async () => {
    const { scene } = await failedOnce()

    const page = await pageOf(scene.service, '/stages/app/build/1/1')

    expect(page).toMatch(/Run 1 \(attempt 1\).*Failed/s)
    expect(page).toMatch(/Started by<\/dt><dd>admin/)
    expect(page).toContain('>1 run, with configuration changes. ')
    expect(page).not.toContain('per page')
    expect(page).toMatch(/<a href="\/config\/r2">r2<\/a>/)
    expect(page).toContain('The first run of this pipeline.')
    const [unit = '', e2e = ''] = jobsIn(page)
    expect(unit).toMatch(/waited [\d.]+ s, prepared [\d.]+ s, built [\d.]+ s/)
    expect(unit).toMatch(/<rect class="waiting".*<rect class="preparing".*<rect class="passed"/s)
    expect(e2e).toMatch(/<rect class="failed".*Failed/s)
  })

  it('says what changed about the pipeline since the run before', async () => {
    const { scene } = await failedOnce()
    await scene.configure({ pipelines: [{ ...TWO_JOBS, variables: { REGION: 'eu' } }] })
    await scene.schedule()

    const page = await pageOf(scene.service, '/stages/app/build/2/1')

    expect(page).toMatch(/r4<\/a>, first run under it/)
    expect(page).toContain(
      '<a href="/config/entity/pipeline/app/compare/r2/r4">What changed since run 1</a>',
    )
    expect(page).toMatch(/Configuration change.*variable REGION/s)
  })

  it('compares a rerun with the attempt before it, and the next run with the run before', async () => {
    const scene = await BuildScene.open({ pipelines: [] })
    const materials = [git(scene.origin, { branch: 'main', autoUpdate: false })]
    await scene.configure({ pipelines: [{ name: 'app', materials }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await agent.finish(await agent.work())
    runGit(scene.origin, 'commit', '--quiet', '--allow-empty', '--message', 'Second')
    await scene.schedule()
    await agent.finish(await agent.work())
    await scene.configure({ pipelines: [{ name: 'app', materials, variables: { REGION: 'eu' } }] })
    await sendForm(scene.service, '/stages/app/build/1/1', { action: 'rerun' })
    const other = await ProtocolAgent.join(scene.service, 'a2')
    await other.finish(await other.work())
    await scene.schedule()

    const [second, rerun, third] = await Promise.all(
      ['2/1', '1/2', '3/1'].map((run) => pageOf(scene.service, `/stages/app/build/${run}`)),
    )

    expect(second).toContain('Configuration unchanged since run 1.')
    expect(second).toContain(' → ')
    expect(rerun).toContain('>What changed since attempt 1</a>')
    expect(rerun).not.toContain(' → ')
    expect(third).toContain('>What changed since run 2</a>')
  })

  it('cancels its run after a question, and says when it was not active', async () => {
    const { scene } = await scheduled()
    const path = '/stages/app/build/1/1'
    const cancel = { action: 'cancel' }

    const before = await pageOf(scene.service, path)
    const question = await pageOf(scene.service, `${path}?ask=cancel`)
    const cancelled = await followed(scene, await sendForm(scene.service, path, cancel))
    const again = await followed(scene, await sendForm(scene.service, path, cancel))
    const unknown = await sendForm(scene.service, '/stages/app/build/9/1', cancel)

    expect(before).toMatch(/Cancel the run….*/)
    expect(before).not.toContain('value="cancel"')
    expect(question).toMatch(/Cancel this run\?.*value="cancel"/s)
    expect(cancelled).toContain('Run 1 cancelled.')
    expect(again).toContain('was not active. Nothing changed.')
    expect(unknown.status).toBe(404)
    expect((await scene.stage()).result).toBe('Cancelled')
  })

  it('cancels the run that it shows, and not a newer one', async () => {
    const { scene } = await scheduled()
    await scene.schedule()

    await sendForm(scene.service, '/stages/app/build/1/1', { action: 'cancel' })

    expect((await scene.stage('1/1')).result).toBe('Cancelled')
    expect((await scene.stage('2/1')).result).toBe('Unknown')
  })

  it('runs the failed jobs, the chosen jobs or the whole stage again', async () => {
    const { scene, agent } = await failedOnce()
    const path = '/stages/app/build/1/1'
    const none = await sendForm(scene.service, path, { action: 'chosen' })

    const failed = await followed(scene, await sendForm(scene.service, path, { action: 'failed' }))
    const busy = await sendForm(scene.service, path, { action: 'rerun' })
    await agent.finish(await agent.work())
    const chosen = { action: 'chosen', jobs: 'unit' }
    await sendForm(scene.service, '/stages/app/build/1/2', chosen)
    await agent.finish(await agent.work())
    await sendForm(scene.service, '/stages/app/build/1/3', { action: 'rerun' })

    expect(none.status).toBe(400)
    expect(failed).toContain('Run 1 (attempt 2)')
    expect(failed).toContain('(rerun of 1 job of attempt 1)')
    expect(jobsIn(failed)[0]).toContain('carried over from an earlier run')
    expect(busy.status).toBe(409)
    expect(await busy.text()).toContain('still in progress')
    const reruns = await Promise.all(['1/2', '1/3', '1/4'].map((run) => scene.stage(run)))
    expect(reruns.map(({ jobs }) => jobs.map(({ name, rerun }) => `${name} ${rerun}`))).toEqual([
      ['unit false', 'e2e true'],
      ['unit true', 'e2e false'],
      ['unit false', 'e2e false'],
    ])
    expect(await pageOf(scene.service, path)).not.toContain('Rerun')
  })

  it('starts the stage after it when that waits for somebody', async () => {
    const ship = { name: 'ship', approval: element('approval', { type: 'manual' }) }
    const { scene, agent } = await scheduled({ ...TWO_JOBS, stages: [{ name: 'build' }, ship] })
    await agent.finish(await agent.work())

    const page = await pageOf(scene.service, '/stages/app/build/1/1')
    const run = { action: 'run', next: 'ship' }
    const started = await sendForm(scene.service, '/stages/app/build/1/1', run)

    expect(page).toContain('Run stage ship')
    expect(await followed(scene, started)).toContain('<h1>app / ship</h1>')
  })

  it('offers a rerun first after a failure, and the next stage only after a question', async () => {
    const ship = { name: 'ship', approval: element('approval', { type: 'manual' }) }
    const { scene, agent } = await scheduled({ ...TWO_JOBS, stages: [{ name: 'build' }, ship] })
    await agent.finish(await agent.work(), 'Failed')
    const path = '/stages/app/build/1/1'

    const page = await pageOf(scene.service, path)
    const overview = await pageOf(scene.service, '/pipelines/app')
    const question = await pageOf(scene.service, `${path}?ask=run`)
    const started = await sendForm(scene.service, path, { action: 'run', next: 'ship' })

    expect(page).toMatch(/<button class="primary" name="action" value="rerun">\s*Rerun stage/)
    for (const shown of [page, overview]) {
      expect(shown).not.toContain('value="run"')
      expect(shown).toMatch(/href="\/stages\/app\/build\/1\/1\?ask=run"[^>]*>\s*Run stage ship…/)
    }
    expect(overview).toContain('aria-label="Rerun stage build of run 1"')
    expect(overview).toContain('aria-label="Run stage ship… of run 1"')
    expect(question).toMatch(/Run ship although build failed\?.*value="run"/s)
    expect(await followed(scene, started)).toContain('<h1>app / ship</h1>')
  })

  it('says by whom a run was cancelled, and does not call its job failed', async () => {
    const { scene, agent } = await scheduled()
    await agent.finish(await agent.work())
    const cancel = { action: 'cancel' }
    await sendForm(scene.service, '/stages/app/build/1/1', cancel)
    await scene.schedule()
    await scene.post('/api/stages/app/build/cancel')

    const page = await pageOf(scene.service, '/stages/app/build/1/1')
    const bodies = await Promise.all(
      [1, 2].map(async (run) => {
        const body = await jsonOf(await scene.get(`/api/pipelines/app/instance/${run}`))
        return PipelineRunBody.parse(body).stages.map((stage) => stage.cancelled_by)
      }),
    )

    expect(page).toMatch(/Cancelled by<\/dt><dd>admin/)
    expect(page).toContain('Rerun the cancelled job')
    expect(page).not.toContain('failed job')
    expect(bodies).toEqual([['admin'], ['admin']])
    expect(await pageOf(scene.service, '/pipelines/app')).toContain('Rerun stage build')
  })

  it('leads to the other stages of the same run', async () => {
    const { scene, agent } = await scheduled({
      ...TWO_JOBS,
      stages: [{ name: 'build' }, { name: 'check' }, { name: 'ship' }],
    })
    await agent.finish(await agent.work())

    const page = await pageOf(scene.service, '/stages/app/check/1/1')
    const siblings = /<nav class="siblings".*?<\/nav>/s.exec(page)?.[0] ?? ''

    expect(siblings).toMatch(/href="\/stages\/app\/build\/1\/1"(?! aria-current)/)
    expect(siblings).toMatch(/href="\/stages\/app\/check\/1\/1" aria-current="true"/)
    expect(siblings).toMatch(/ship<\/span> <span class="muted">not run/)
    expect(page).toMatch(/Started by<\/dt><dd>stage build, automatically/)
  })

  it('offers and does only what the caller may', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [{ group: 'guarded', authorization: GUARDED, pipelines: [TWO_JOBS] }],
    })
    await scene.schedule()
    const path = '/stages/app/build/1/1'

    const vera = await pageOf(scene.service, path, 'vera')
    const pete = await scene.get(path, 'pete')
    const cancelled = await sendForm(scene.service, path, { action: 'cancel' }, 'vera')
    const rerun = await sendForm(scene.service, path, { action: 'rerun' }, 'vera')

    expect(vera).toContain('Run 1 (attempt 1)')
    expect(vera).not.toMatch(/Cancel the|Rerun|href="\/config\/r/)
    expect([pete.status, cancelled.status, rerun.status]).toEqual([403, 401, 403])
    expect((await scene.stage()).result).toBe('Unknown')
  })
})

describe('the history of a stage', () => {
  it(
    'has ten runs a page, with the page that holds the run that is asked for',
    { tags: ['long'] },
    async () => {
      const { scene, agent } = await scheduled({ name: 'app', stages: [{ name: 'build' }] })
      await agent.finish(await agent.work())
      for (let run = 2; run <= 32; run += 1) {
        await scene.schedule()
        await agent.finish(await agent.work())
      }

      const newest = await pageOf(scene.service, '/stages/app/build')
      const older = await pageOf(scene.service, '/stages/app/build?offset=10')
      const deep = await Promise.all(
        [22, 21, 13, 12, 3, 2, 1].map(async (run) => {
          const page = await pageOf(scene.service, `/stages/app/build/${run}/1`)
          return runsIn(page).includes(run)
        }),
      )

      expect(runsIn(newest)).toEqual([32, 31, 30, 29, 28, 27, 26, 25, 24, 23])
      expect(newest).toContain('1 to 10 of 32')
      expect(runsIn(older)[0]).toBe(22)
      expect(older).toContain('Run 22 (attempt 1)')
      expect(deep).toEqual([true, true, true, true, true, true, true])
    },
  )

  it('shows a stage that never ran, and knows none that is nowhere', async () => {
    const scene = await BuildScene.open({ pipelines: [TWO_JOBS] })

    expect(await pageOf(scene.service, '/stages/app/build')).toContain('Not run yet')
    const pipeline = await pageOf(scene.service, '/pipelines/app')
    expect(pipeline).toContain('No runs yet')
    expect(pipeline).not.toContain('Not run yet')
    expect((await scene.get('/stages/app/nothing')).status).toBe(404)
    expect((await scene.get('/stages/app/build/x/1')).status).toBe(400)
    expect((await scene.get('/stages/app/build?offset=x')).status).toBe(400)
  })
})
