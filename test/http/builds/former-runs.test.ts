import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import {
  BuildScene,
  GUARDED,
  jsonOf,
  messageOf,
  SECURED,
} from '../../support/builds/build-service.ts'
import { element, exec, git } from '../../support/documents/a-configuration.ts'
import { git as runGit } from '../../support/git/git.ts'

const MANUAL = element('approval', { type: 'manual' })

/** Agents that stay when a test saves another configuration. */
const AGENTS = [{ uuid: 'a1', hostname: 'host-a1' }]

type Configured = Parameters<BuildScene['configure']>[0]
type Pipeline = NonNullable<Configured['pipelines']>[number]

/** A pipeline of two stages, of which the second follows the first, whose jobs run a command. */
function running(command: string, more: Pipeline = {}): Pipeline {
  const job = { variables: { COMMAND: command }, tasks: [exec(command)] }
  const artifacts = [element('artifact', { src: command })]
  const stages = [
    { name: 'build', approval: MANUAL, jobs: [{ ...job, artifacts }] },
    { name: 'ship', jobs: [job] },
  ]
  return { name: 'app', attributes: { labeltemplate: `${command}-\${COUNT}` }, stages, ...more }
}

function secret(name: string, value: string) {
  const variable = element('variable', { name, secure: true }, [element('value', {}, [value])])
  return [element('environmentvariables', {}, [variable])]
}

function schedule(scene: BuildScene, configuration: string, as?: string): Promise<Response> {
  const body = new URLSearchParams({ configuration })
  return scene.post('/api/pipelines/app/schedule', as, body)
}

/** The text of the next job that an agent gets, without counters; the job is ended. */
async function nextJob(agent: ProtocolAgent, result: 'Passed' | 'Failed' = 'Passed') {
  const text = await (await agent.ask()).text()
  const { assignment } = z
    .object({ assignment: z.object({ job_id: z.int() }) })
    .parse(JSON.parse(text))
  await agent.finish({ jobId: assignment.job_id }, result)
  return text
    .replace(/"job_id":\d+/, '"job_id":0')
    .replace(/"pipeline_counter":\d+/, '"pipeline_counter":0')
    .replace(/"stage_counter":"\d+"/, '"stage_counter":"0"')
    .replace(/("pipeline_label":"[a-z]+)-\d+"/, '$1-0"')
}

async function runOf(scene: BuildScene, counter: number): Promise<PipelineRunBody> {
  const path = `/api/pipelines/app/instance/${counter}`
  return PipelineRunBody.parse(await jsonOf(await scene.get(path)))
}

describe('a run as it was configured then', () => {
  it('gives agents the jobs of then byte for byte, also of later stages and after a restart', async () => {
    const scene = await BuildScene.open({ agents: AGENTS, pipelines: [running('make')] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    const build = await nextJob(agent)
    const ship = await nextJob(agent)
    const then = await runOf(scene, 1)
    const { number } = then.configuration ?? {}
    await scene.configure({ agents: AGENTS, pipelines: [running('gradle')] })

    const started = await schedule(scene, `r${number}`)
    const buildAgain = await nextJob(agent)
    const again = await scene.restart()
    const later = again.agentLike(agent)
    const shipAgain = await nextJob(later)
    const run = await runOf(again, 2)
    await again.schedule()
    const now = await nextJob(later)

    expect(started.status).toBe(202)
    expect([buildAgain, shipAgain]).toEqual([build, ship])
    expect(build).toContain('"pipeline_label":"make-0"')
    const requested = { ...then.configuration, requested: true }
    expect(run.configuration).toEqual(requested)
    expect(run.stages.map(({ configuration }) => configuration)).toEqual([requested, requested])
    expect(now).toContain('gradle')
    expect(now).not.toContain('make')
  })

  it('is asked for a stage by the configuration of its last run, and by no other', async () => {
    const scene = await BuildScene.open({ agents: AGENTS, pipelines: [running('make')] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    const build = await nextJob(agent, 'Failed')
    await scene.configure({ agents: AGENTS, pipelines: [running('gradle')] })
    const then = new URLSearchParams({ configuration: 'then' })
    const path = '/api/stages/app/build/run/1'

    await scene.post(path, undefined, then)
    const again = await nextJob(agent, 'Failed')
    await scene.post(
      path,
      undefined,
      new URLSearchParams({ rerun: 'failed', configuration: 'then' }),
    )
    const failed = await nextJob(agent, 'Failed')
    await scene.post(path)
    const now = await nextJob(agent, 'Failed')
    const other = await scene.post(path, undefined, new URLSearchParams({ configuration: 'r1' }))

    expect([again, failed]).toEqual([build, build])
    expect(now).toContain('gradle')
    expect(other.status).toBe(400)
  })

  it('has the secrets of now, and none that is gone', async () => {
    const scene = await BuildScene.open({
      agents: AGENTS,
      pipelines: [running('make', { before: secret('TOKEN', 'old-one') })],
    })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await nextJob(agent, 'Failed')
    await scene.configure({
      agents: AGENTS,
      pipelines: [running('make', { before: secret('TOKEN', 'new-one') })],
    })
    const { configuration } = await runOf(scene, 1)

    await schedule(scene, configuration?.commit ?? '')
    const replaced = await nextJob(agent, 'Failed')
    await scene.configure({ agents: AGENTS, pipelines: [running('make')] })
    const gone = await schedule(scene, configuration?.digest ?? '')

    expect(replaced).toContain('new-one')
    expect(replaced).not.toContain('old-one')
    expect(gone.status).toBe(409)
    expect(await messageOf(gone)).toBe(
      'The pipeline app cannot run as it was configured then: The secure variable TOKEN of the pipeline app is no longer in the configuration',
    )
  })

  it('gets no secret of an environment that the pipeline is no longer in', async () => {
    const pipelines = [running('make')]
    const scene = await BuildScene.open({ pipelines })
    const text = await (await scene.get('/api/admin/config.xml')).text()
    const environments = `<environments>
    <environment name="prod">
      <environmentvariables><variable name="KEY" secure="true"><value>of-prod</value></variable></environmentvariables>
      <pipelines><pipeline name="app" /></pipelines>
    </environment>
  </environments>
</cruise>`
    const headers = { 'if-match': '*' }
    const body = text.replace('</cruise>', environments)
    await scene.service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body })
    await scene.configure({ pipelines })

    const refused = await schedule(scene, 'r3')

    expect(refused.status).toBe(409)
    expect(await messageOf(refused)).toContain(
      'The secure variable KEY of the environment prod is no longer in the configuration',
    )
  })

  it('builds a material that the pipeline no longer has, and goes by the new name of the pipeline', async () => {
    const scene = await BuildScene.open({ agents: AGENTS, pipelines: [running('make')] })
    runGit(scene.origin, 'branch', 'other')
    const other = [git(scene.origin, { branch: 'other' })]
    await scene.configure({ agents: AGENTS, pipelines: [running('make', { materials: other })] })
    await scene.configure({ agents: AGENTS, pipelines: [running('make', { name: 'renamed' })] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')

    const body = new URLSearchParams({ configuration: 'r3' })
    const started = await scene.post('/api/pipelines/renamed/schedule', undefined, body)
    const job = await agent.work()

    expect(started.status).toBe(202)
    expect(job).toMatchObject({ pipelineName: 'renamed', materials: [{ branch: 'other' }] })
  })

  it('takes the administration of the group now, and a revision that is there', async () => {
    const authorization = element('authorization', {}, [
      ...(GUARDED.children ?? []),
      element('admins', {}, [element('user', {}, ['gina'])]),
    ])
    const first = { group: 'first', authorization, pipelines: [running('make')] }
    const scene = await BuildScene.open({ server: SECURED, groups: [first] })
    const hidden = { ...first, group: 'hidden', authorization: GUARDED }
    await scene.configure({ server: SECURED, groups: [hidden] })
    await scene.configure({ server: SECURED, groups: [{ ...hidden, pipelines: [] }, first] })

    const operator = await schedule(scene, 'r2', 'olga')
    const administrator = await schedule(scene, 'r2', 'gina')
    const then = new URLSearchParams({ configuration: 'then' })
    const stage = await scene.post('/api/stages/app/build/run/1', 'olga', then)
    const other = await schedule(scene, 'r3', 'gina')
    const unknown = await schedule(scene, 'r99', 'gina')
    const before = await schedule(scene, 'r1', 'gina')

    const answers = [operator, administrator, stage, other, unknown, before]
    expect(answers.map(({ status }) => status)).toEqual([403, 202, 403, 403, 404, 409])
    expect(await messageOf(before)).toContain('The configuration r1 has no pipeline app')
    expect(await messageOf(other)).toBe('User gina may not view this run of the pipeline app')
  })

  it('says nothing of what the pipeline had in a group that the caller may not view', async () => {
    const authorization = element('authorization', {}, [
      element('admins', {}, [element('user', {}, ['gina'])]),
    ])
    const own = { group: 'own', authorization, pipelines: [running('make')] }
    const pipelines = [running('make', { before: secret('TOKEN', 'of-others') })]
    const hidden = { group: 'hidden', authorization: GUARDED, pipelines }
    const scene = await BuildScene.open({ server: SECURED, groups: [hidden] })
    await scene.configure({
      server: SECURED,
      groups: [{ ...hidden, pipelines: [] }, own],
    })

    const refused = await schedule(scene, 'r2', 'gina')

    expect(refused.status).toBe(403)
    expect(await messageOf(refused)).not.toMatch(/TOKEN|hidden/)
  })
})
