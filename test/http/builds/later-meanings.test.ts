import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene, jsonOf, messageOf } from '../../support/builds/build-service.ts'
import { commit, FAST, latest, open, pollsPass } from '../../support/builds/trigger-scene.ts'
import { element, exec, git } from '../../support/documents/a-configuration.ts'
import { commitFile, git as runGit } from '../../support/git/git.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { pageOf } from '../../support/pages/page-forms.ts'
import { untilPolledAgain } from '../../support/builds/materials.ts'

const LATER = { schemaVersion: 139 }
const REFERENCE = '{{SECRET:[vault][token]}}'

const Health = z.object({
  problems: z.array(
    z.object({ subject: z.string(), errors: z.array(z.object({ message: z.string() })) }),
  ),
})
const Plan = z.object({
  willNotRun: z.array(
    z.object({
      entity: z.string(),
      at: z.object({ line: z.int(), column: z.int() }),
      what: z.string(),
      because: z.string(),
    }),
  ),
})

async function problemsOf(scene: BuildScene) {
  return Health.parse(await jsonOf(await scene.get('/health'))).problems
}

async function currentOf(scene: BuildScene): Promise<string> {
  return (await scene.get('/api/admin/config.xml')).text()
}

function upstream(attributes: Record<string, string>) {
  return element('pipeline', { pipelineName: 'app', stageName: 'build', ...attributes })
}

describe('a material that is ignored for scheduling', () => {
  it(
    'starts nothing, and is at its newest run when something else does',
    { tags: ['long'] },
    async () => {
      const scene = await BuildScene.open({ pipelines: [] }, FAST)
      const source = git(scene.origin, { branch: 'main' })
      const other = join(scene.service.folder, 'other')
      runGit(scene.service.folder, 'clone', '--quiet', scene.origin, other)
      const own = git(other, { branch: 'main', dest: 'own' })
      await scene.configure({
        ...LATER,
        pipelines: [
          { name: 'app', materials: [source] },
          { name: 'down', materials: [own, upstream({ ignoreForScheduling: 'true' })] },
        ],
      })
      const agent = await ProtocolAgent.join(scene.service, 'a1')
      await agent.finish(await agent.work())
      await agent.finish(await agent.work())
      expect(await latest(scene, 'down')).toBe('1 by changes')

      commit(scene)
      await agent.finish(await agent.work())
      await pollsPass(scene)
      await untilPolledAgain(scene.service.folder, other)
      expect(await latest(scene, 'app')).toBe('2 by changes')
      expect(await latest(scene, 'down')).toBe('1 by changes')

      writeFileSync(join(other, 'own.txt'), 'own')
      commitFile(other, { name: 'own.txt', message: 'own' })
      expect(await agent.work()).toMatchObject({
        pipelineName: 'down',
        pipelineCounter: 2,
        materials: [{ type: 'git' }, { revision: 'app/2/build/1' }],
      })
    },
  )
})

describe('an inverted filter', () => {
  it('names the files that start the pipeline', { tags: ['long'] }, async () => {
    const scene = await BuildScene.open({ pipelines: [] }, FAST)
    const filter = element('filter', {}, [element('ignore', { pattern: 'code-*' })])
    const source = git(scene.origin, { branch: 'main', invertFilter: 'true' })
    await scene.configure({
      ...LATER,
      pipelines: [{ name: 'app', materials: [{ ...source, children: [filter] }] }],
    })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.finish(await agent.work())

    commit(scene, 'doc-1')
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')

    const revision = commit(scene, 'code-1')
    expect(await agent.work()).toMatchObject({ materials: [{ revision }] })
  })
})

describe('a job for elastic agents', () => {
  const jobs = [{ name: 'unit', attributes: { elasticProfileId: 'e' } }]
  const elastic = { ...LATER, pipelines: [{ name: 'app', stages: [{ name: 'build', jobs }] }] }

  it('runs on no other agent, and says why it waits', async () => {
    const { scene } = await open(elastic, [])
    await scene.schedule()

    expect(await pageOf(scene.service, '/pipelines/app')).toContain(
      'build waits: no agent has the resource profile:e.',
    )
    expect(await scene.stage()).toMatchObject({ jobs: [{ state: 'Scheduled' }] })
  })

  it('runs on an agent that has the profile as a resource', async () => {
    const { scene } = await open(elastic, [])
    const agent = await ProtocolAgent.join(scene.service, 'a2', { resources: ['profile:e'] })
    await scene.schedule()

    expect(await agent.work()).toMatchObject({ jobName: 'unit' })
    expect(await problemsOf(scene)).toEqual([])
  })
})

describe('a pipeline with a later label, lock and approval', () => {
  it('acts on them', async () => {
    const approval = element('approval', { type: 'manual', allowOnlyOnSuccess: 'true' })
    const { scene, agent } = await open(
      {
        ...LATER,
        pipelines: [
          {
            name: 'app',
            attributes: { labeltemplate: 'v${env:RELEASE}', lockBehavior: 'unlockWhenFinished' },
            variables: { RELEASE: '2.1' },
            stages: [{ name: 'build' }, { name: 'release', approval }],
          },
        ],
      },
      [],
    )
    await scene.schedule()
    const refused = await scene.post('/api/pipelines/app/schedule')
    await agent.finish(await agent.work(), 'Failed')
    const strict = await scene.post('/api/stages/app/release/run/1')
    const run = await scene.get('/api/pipelines/app/instance/1')

    expect(PipelineRunBody.parse(await jsonOf(run))).toMatchObject({ label: 'v2.1' })
    expect([refused.status, strict.status]).toEqual([409, 409])
    expect(await messageOf(strict)).toContain('the stage build before it has not passed')
    await scene.schedule()
    expect(await problemsOf(scene)).toEqual([])
  })
})

describe('what nobody here acts on', () => {
  const tasks = [exec('true'), element('gradle', { target: 't' })]
  const doing = {
    ...LATER,
    pipelines: [{ name: 'app', stages: [{ name: 'build', jobs: [{ tasks }] }] }, { name: 'sound' }],
  }
  const WHAT = 'the element gradle of tasks'
  const BECAUSE = 'no schema knows it, and the job fails without it'
  const SENTENCE = 'The element gradle of tasks: no schema knows it, and the job fails without it'

  it('is named by the plan of a save, with its place', async () => {
    const { scene } = await open(doing, [])
    const document = await currentOf(scene)
    const init = { method: 'POST', body: document }

    const plan = Plan.parse(await jsonOf(await scene.service.fetch('/api/config/plan', init)))

    const [at] = document.split('\n').flatMap((text, n) => {
      const column = text.indexOf('<gradle')
      return column < 0 ? [] : [{ line: n + 1, column: column + 1 }]
    })
    expect(plan.willNotRun).toEqual([{ entity: 'pipeline/app', at, what: WHAT, because: BECAUSE }])
  })

  it('is a problem in the health, and on the page of the pipeline', async () => {
    const { scene } = await open(doing, [])

    expect(await problemsOf(scene)).toEqual([
      {
        subject: 'The pipeline app has parts that nobody here acts on',
        errors: [{ message: SENTENCE }],
      },
    ])
    expect(await pageOf(scene.service, '/pipelines/app')).toContain(`${SENTENCE}.`)
    expect(await pageOf(scene.service, '/pipelines/sound')).not.toContain('Will not run here')
    await scene.configure({ ...LATER, pipelines: [{ name: 'sound' }] })
    expect(await problemsOf(scene)).toEqual([])
  })

  it('never starts a pipeline whose material is of no known kind', async () => {
    const scene = await BuildScene.open({ pipelines: [] }, FAST)
    const materials = [git(scene.origin, { branch: 'main' }), element('fossil', { url: 'u' })]
    await scene.configure({ ...LATER, pipelines: [{ name: 'app', materials }] })
    await untilPolledAgain(scene.service.folder, scene.origin)

    const refused = await scene.post('/api/pipelines/app/schedule')

    expect(refused.status).toBe(409)
    expect(await messageOf(refused)).toContain('it has a material that is of no known kind')
    expect(await latest(scene)).toBeNull()
  })

  it('has its secrets from the folder of secrets, which nothing keeps and no plan tells', async () => {
    const secrets = tempDir()
    mkdirSync(join(secrets, 'vault'))
    writeFileSync(join(secrets, 'vault/token'), 'tok-7f3a9\n')
    const scene = await BuildScene.open({ pipelines: [] }, ['--secrets-dir', secrets])
    const stages = [{ name: 'build', jobs: [{ name: 'unit', tasks: [exec('login', REFERENCE)] }] }]
    const variables = { TOKEN: REFERENCE }
    await scene.configure({ ...LATER, pipelines: [{ name: 'app', variables, stages }] })
    await scene.schedule()
    const agent = await ProtocolAgent.join(scene.service, 'a1')

    const job = await agent.work()
    const plan = await scene.service.fetch('/api/config/plan', {
      method: 'POST',
      body: (await currentOf(scene)).replace('login', 'log-in'),
    })
    await agent.finish(job)

    expect(JSON.stringify(job.tasks)).toContain('tok-7f3a9')
    expect(job.environmentVariables).toContainEqual({
      name: 'TOKEN',
      value: 'tok-7f3a9',
      secure: true,
    })
    expect(await plan.json()).toMatchObject({ valid: true, willNotRun: [] })
    expect(await (await scene.get('/api/config/will-not-run')).json()).toEqual([])
    const kept = spawnSync('grep', ['-rlaF', 'tok-7f3a9', scene.service.folder])
    expect([kept.status, String(kept.stdout)]).toEqual([1, ''])
  })

  it('does not send the reference to a secret to a repository', async () => {
    const scene = await BuildScene.open({ pipelines: [] }, [])
    const url = 'http://127.0.0.1:9/app.git'
    const materials = [git(url, { username: 'n', password: REFERENCE })]
    await scene.configure({ ...LATER, pipelines: [{ name: 'app', materials }] })

    const refused = await scene.post('/api/pipelines/app/schedule')

    expect(await messageOf(refused)).toContain(
      'Its password is the secret token of vault, and there is nothing to read it from',
    )
    expect(await problemsOf(scene)).toContainEqual({
      subject: 'The pipeline app has parts that nobody here acts on',
      errors: [
        {
          message:
            'The password of the git material: it is the secret token of vault, and there is nothing to read it from',
        },
      ],
    })
  })
})
