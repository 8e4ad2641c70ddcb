import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RunComparisonBody } from '../../../src/wire/run-comparison-body.ts'
import { PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene, GUARDED, jsonOf, SECURED } from '../../support/builds/build-service.ts'
import { element, exec } from '../../support/documents/a-configuration.ts'
import { git } from '../../support/git/git.ts'
import { pageOf } from '../../support/pages/page-forms.ts'

const MANUAL = element('approval', { type: 'manual' })
const AGENTS = ['a1', 'a2'].map((uuid) => ({ uuid, hostname: `host-${uuid}` }))

/** A pipeline that vera may view and olga operate, whose job runs a command with a variable. */
function configured(command: string) {
  const jobs = [{ variables: { WHO: '<all>' }, tasks: [exec(command)] }]
  const stages = [{ name: 'build', approval: MANUAL, jobs }]
  const groups = [{ group: 'shop', authorization: GUARDED, pipelines: [{ name: 'app', stages }] }]
  return { server: SECURED, groups, agents: AGENTS }
}

/** Two runs, of which the second failed after everything had changed. */
async function sceneWithFailure() {
  const scene = await BuildScene.open(configured('make'))
  const [first, second] = [
    await ProtocolAgent.join(scene.service, 'a1'),
    await ProtocolAgent.join(scene.service, 'a2'),
  ]
  await scene.schedule()
  await first.finish(await first.work())
  writeFileSync(join(scene.origin, 'hello.txt'), 'more\n')
  git(scene.origin, 'commit', '--quiet', '--all', '--message', 'Say <b>more</b>')
  await scene.configure(configured('make <test>'))
  const body = new URLSearchParams({ 'variables[WHO]': '<me>' })
  await scene.post('/api/pipelines/app/schedule', undefined, body)
  await second.finish(await second.work(), 'Failed')
  return { scene, agent: second }
}

const PAGE = '/pipelines/app/compare/1/2'

describe('the page of what changed between two runs', () => {
  it('is one click from a failed stage and job, and says all of it, without scripts', async () => {
    const { scene } = await sceneWithFailure()
    const link = '/pipelines/app/compare/last-passed/2?stage=build'

    const stage = await pageOf(scene.service, '/stages/app/build/2/1')
    const job = await pageOf(scene.service, '/stages/app/build/2/1/unit')
    const passed = await pageOf(scene.service, '/stages/app/build/1/1')
    const page = await pageOf(scene.service, link)

    for (const failed of [stage, job]) {
      expect(failed).toContain(`href="${link}"`)
      expect(failed).toContain('What changed since it last passed')
    }
    expect(passed).not.toContain('What changed since it last passed')
    expect(page).toContain('What changed since run 1')
    const causes = Array.from(page.matchAll(/<ol class="bullets">.*?<\/ol>/gs), ([list]) => list)
    expect(causes[0]).toMatch(
      /variable WHO.*task make → make &lt;test&gt;.*a commit since run 1.*host-a2/s,
    )
    expect(page).toContain('Say &lt;b&gt;more&lt;/b&gt;')
    expect(page).toContain('&lt;me&gt;')
    expect(page).not.toMatch(/<(?:b|me|test|all)>more|<me>|<test>|<all>/)
  })

  it('is where the links of the causes lead to, or they lead to pages that are there', async () => {
    const { scene } = await sceneWithFailure()
    const path = '/api/pipelines/app/compare/1/2'
    const { causes } = RunComparisonBody.parse(await jsonOf(await scene.get(path)))

    for (const { link } of causes) {
      const [address = '', anchor = 'content'] = (link ?? '').split('#')
      expect(await pageOf(scene.service, address)).toContain(`id="${anchor}"`)
    }
    expect(causes).toHaveLength(4)
  })

  it('runs again as it was configured then, for administrators of the group alone', async () => {
    const { scene, agent } = await sceneWithFailure()
    const { configuration } = PipelineRunBody.parse(
      await jsonOf(await scene.get('/api/pipelines/app/instance/1')),
    )
    const form = new URLSearchParams({ action: 'run-again' })
    const page = await pageOf(scene.service, PAGE)
    const viewer = await (await scene.get(PAGE, 'vera')).text()

    const refused = await scene.post(PAGE, 'olga', form)
    const other = await scene.post(PAGE, undefined, new URLSearchParams({ action: 'explode' }))
    const done = await scene.post(PAGE, undefined, form)
    const job = await agent.work()
    const run = PipelineRunBody.parse(
      await jsonOf(await scene.get('/api/pipelines/app/instance/3')),
    )
    const stage = await pageOf(scene.service, '/stages/app/build/3/1')

    expect(page).toContain('Run again as it was configured then')
    expect(viewer).not.toContain('Run again as it was configured then')
    // Viewers propose it.
    for (const html of [page, viewer]) {
      expect(html).toMatch(
        /href="\/config\/entity\/pipeline\/app\/undo\/r\d+"[^>]*>Undo this change/,
      )
    }
    expect([refused, other, done].map(({ status }) => status)).toEqual([403, 400, 303])
    expect(job.tasks).toMatchObject([{ run: { command: 'make' } }])
    expect(run.configuration).toEqual({ ...configuration, requested: true })
    expect(stage).toContain(', as requested')
  })
})
