import { describe, expect, it } from 'vitest'
import { materialFingerprint } from '../../../src/document/materials/identity.ts'
import { PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import type { JobAssignment } from '../../../src/wire/agent/work.ts'
import { dependency, element, git } from '../../support/documents/a-configuration.ts'
import { BuildScene, jsonOf, messageOf } from '../../support/builds/build-service.ts'
import { gitLine } from '../../support/git/git.ts'
import { materialOf } from '../../support/builds/materials.ts'
import { pageOf } from '../../support/pages/page-forms.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { sceneWithAgent } from '../../support/builds/scene-with-agent.ts'
import { commit, latest, open, pollsPass } from '../../support/builds/trigger-scene.ts'

const MANUAL = element('approval', { type: 'manual' })
const SCHEDULE = '/api/pipelines/app/schedule'

/** Variables at every level, one of them secure. */
const VARIABLES = {
  name: 'app',
  before: [
    element('environmentvariables', {}, [
      element('variable', { name: 'TARGET' }, [element('value', {}, ['staging'])]),
      element('variable', { name: 'PASSWORD', secure: true }, [element('value', {}, ['old'])]),
    ]),
  ],
  stages: [
    {
      name: 'build',
      approval: MANUAL,
      jobs: [{ name: 'unit', variables: { TARGET: 'job', ONLY_UNIT: 'a' } }],
    },
    { name: 'ship', jobs: [{ name: 'send' }] },
  ],
}

function pinnable(origin: string) {
  return {
    name: 'app',
    attributes: { labeltemplate: '${code[:7]}' },
    materials: [git(origin, { branch: 'main', materialName: 'code' })],
    stages: [{ name: 'build', approval: MANUAL }],
  }
}

function given(...fields: [name: string, value: string][]): URLSearchParams {
  return new URLSearchParams(fields)
}

/** The values that an agent ends up with. */
function valuesOf({ environmentVariables }: JobAssignment): Record<string, string> {
  return Object.fromEntries(environmentVariables.map(({ name, value }) => [name, value]))
}

async function runOf(scene: BuildScene, counter: number): Promise<PipelineRunBody> {
  const response = await scene.get(`/api/pipelines/app/instance/${counter}`)
  return PipelineRunBody.parse(await jsonOf(response))
}

async function refusal(scene: BuildScene, ...fields: [name: string, value: string][]) {
  const response = await scene.post(SCHEDULE, undefined, given(...fields))
  return `${response.status} ${await messageOf(response)}`
}

async function pinnedScene() {
  const scene = await BuildScene.open({ pipelines: [] })
  await scene.configure({ pipelines: [pinnable(scene.origin)] })
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  const first = gitLine(scene.origin, 'rev-parse', 'HEAD')
  return { scene, agent, first, second: commit(scene) }
}

describe('a pipeline that is scheduled with variables', () => {
  it('gives them to every job of the run that has them, and to its reruns', async () => {
    const { scene, agent } = await sceneWithAgent({ pipelines: [VARIABLES] })

    const response = await scene.post(
      SCHEDULE,
      undefined,
      given(
        ['variables[TARGET]', 'production'],
        ['variables[ONLY_UNIT]', 'b=c&d'],
        ['secure_variables[PASSWORD]', 's3cret'],
      ),
    )

    expect(response.status).toBe(202)
    const unit = await agent.work()
    expect(valuesOf(unit)).toMatchObject({
      TARGET: 'production',
      ONLY_UNIT: 'b=c&d',
      PASSWORD: 's3cret',
    })
    expect(unit.environmentVariables).toContainEqual({
      name: 'PASSWORD',
      value: 's3cret',
      secure: true,
    })
    await agent.finish(unit)
    const send = await agent.work()
    expect(valuesOf(send)).toMatchObject({ TARGET: 'production', PASSWORD: 's3cret' })
    expect(valuesOf(send)).not.toHaveProperty('ONLY_UNIT')
    await agent.finish(send)
    await scene.post('/api/stages/app/ship/run/1')
    expect(valuesOf(await agent.work())).toMatchObject({ TARGET: 'production' })
  })

  it('does not give them to another run', async () => {
    const { scene, agent } = await sceneWithAgent({ pipelines: [VARIABLES] })
    await scene.post(SCHEDULE, undefined, given(['variables[TARGET]', 'production']))
    await agent.finish(await agent.work())
    await agent.finish(await agent.work())

    await scene.schedule()

    expect(valuesOf(await agent.work())).toMatchObject({ TARGET: 'job', PASSWORD: 'old' })
  })

  it('takes those of its environment', async () => {
    const scene = await BuildScene.open({
      pipelines: [VARIABLES],
      environments: [{ name: 'prod', variables: { REGION: 'eu' }, pipelines: ['app'] }],
    })

    const response = await scene.post(SCHEDULE, undefined, given(['variables[REGION]', 'us']))

    expect(response.status).toBe(202)
    expect((await runOf(scene, 1)).build_cause.variables).toEqual([
      { name: 'REGION', value: 'us', secure: false },
    ])
  })

  it('shows them on its run, and nowhere what is secure', async () => {
    const scene = await BuildScene.open({ pipelines: [VARIABLES] })
    await scene.post(
      SCHEDULE,
      undefined,
      given(['variables[TARGET]', 'production'], ['secure_variables[PASSWORD]', 's3cret-value']),
    )

    expect((await runOf(scene, 1)).build_cause.variables).toEqual([
      { name: 'TARGET', value: 'production', secure: false },
      { name: 'PASSWORD', value: '****', secure: true },
    ])
    const places = [
      '/pipelines/app',
      '/stages/app/build/1/1',
      '/api/pipelines/app/history',
      '/api/audit',
    ]
    const texts = await Promise.all(places.map(async (path) => (await scene.get(path)).text()))
    expect(texts.join('')).not.toContain('s3cret-value')
    const page = await pageOf(scene.service, '/pipelines/app')
    expect(page).toMatch(/TARGET<\/code>.*production/s)
    expect(page).toMatch(/PASSWORD<\/code>.*\*{4}/s)
    expect(await pageOf(scene.service, '/stages/app/build/1/1')).toContain('production')
  })

  it('is refused by name for what it does not know, and nothing runs', async () => {
    const scene = await BuildScene.open({ pipelines: [VARIABLES] })

    expect(await refusal(scene, ['variables[TARGTE]', 'x'])).toMatch(/^404 .*TARGTE.*app/)
    expect(await refusal(scene, ['secure_variables[NONE]', 'x'])).toMatch(/^404 .*NONE/)
    expect(await refusal(scene, ['variables[PASSWORD]', 'leak'])).toMatch(
      /^400 .*PASSWORD.*secure_variables/,
    )
    expect(await refusal(scene, ['secure_variables[TARGET]', 'x'])).toMatch(
      /^400 .*TARGET.*variables/,
    )
    expect(await refusal(scene, ['variables[TARGET]', 'a'], ['variables[TARGET]', 'b'])).toMatch(
      /^400 .*TARGET.*more than once/,
    )
    expect(await refusal(scene, ['variables[]', 'x'])).toMatch(/^400 .*variables\[\]/)
    expect(await refusal(scene, ['variable[TARGET]', 'x'])).toMatch(/^400 .*variable\[TARGET\]/)
    expect(await refusal(scene, ['variables[TARGET]', 'a\0b'])).toMatch(/^400 .*TARGET/)
    expect(await refusal(scene, ['revision', 'x'])).toMatch(/^400 .*revision/)
    expect(await latest(scene)).toBe(null)
  })

  it('takes what its clients send that says nothing, and what stands in the address', async () => {
    const scene = await BuildScene.open({ pipelines: [VARIABLES] })
    const send = (body: string | null, type: string, query = '') =>
      scene.service.fetch(`${SCHEDULE}${query}`, {
        method: 'POST',
        body,
        headers: { 'content-type': type },
      })

    expect((await send('{}', 'application/json')).status).toBe(202)
    expect((await send('{}', 'application/x-www-form-urlencoded')).status).toBe(202)
    expect((await send('', 'text/plain')).status).toBe(202)
    expect((await send('{"variables":{"TARGET":"x"}}', 'application/json')).status).toBe(400)
    expect((await send('["TARGET"]', 'application/json')).status).toBe(400)
    expect((await send(null, 'text/plain', '?variables[TARGET]=asked&other=1')).status).toBe(202)
    expect((await runOf(scene, 4)).build_cause.variables).toMatchObject([{ value: 'asked' }])
    expect((await send('[]', 'application/json')).status).toBe(202)
    expect((await send('null', 'application/json')).status).toBe(202)
    expect((await send(null, 'text/plain', '?secure_variables[PASSWORD]=x')).status).toBe(400)
  })
})

describe('a pipeline that is scheduled with revisions', () => {
  it('builds exactly these, by the name or the fingerprint of the material, in full or short', async () => {
    const { scene, agent, first, second } = await pinnedScene()
    const material = materialOf(git(scene.origin, { branch: 'main' }))
    const keys = [
      ['materials[code]', first],
      ['materials[CODE]', first.slice(0, 8)],
      [`materials[${materialFingerprint(material)}]`, first.toUpperCase()],
    ] as const

    for (const [name, revision] of keys) {
      expect((await scene.post(SCHEDULE, undefined, given([name, revision]))).status).toBe(202)
      const job = await agent.work()
      expect(job).toMatchObject({
        pipelineLabel: first.slice(0, 7),
        materials: [{ revision: first }],
      })
      await agent.finish(job)
    }
    await scene.schedule()
    expect(await agent.work()).toMatchObject({ materials: [{ revision: second }] })
    expect((await runOf(scene, 1)).build_cause.material_revisions).toMatchObject([
      { revision: first, pinned: true },
    ])
    expect((await runOf(scene, 4)).build_cause.material_revisions).toMatchObject([
      { revision: second, pinned: false },
    ])
  })

  it('is refused for a material or revision that is not there', async () => {
    const { scene, first } = await pinnedScene()
    gitLine(scene.origin, 'checkout', '-q', '-b', 'side')
    const aside = commit(scene, 'aside')
    gitLine(scene.origin, 'checkout', '-q', 'main')

    expect(await refusal(scene, ['materials[cod]', first])).toMatch(/^404 .*app.* cod$/)
    expect(await refusal(scene, ['materials[code]', 'f'.repeat(40)])).toMatch(/^404 .*f{40}/)
    expect(await refusal(scene, ['materials[code]', 'main'])).toMatch(/^404 .*main/)
    expect(await refusal(scene, ['materials[code]', '--all'])).toMatch(/^404 .*--all/)
    expect(await refusal(scene, ['materials[code]', aside])).toMatch(/^404 /)
    expect(await refusal(scene, ['materials[code]', ''])).toMatch(/^400 .*code/)
    expect(await latest(scene)).toBe(null)
  })

  it('takes the runs of other pipelines by their place, if they passed', async () => {
    const up = { name: 'up', stages: [{ name: 'build', approval: MANUAL }] }
    const app = { ...up, name: 'app', materials: [dependency('up')] }
    const { scene, agent } = await sceneWithAgent({ pipelines: [up, app] })
    for (const result of ['Passed', 'Failed', 'Passed'] as const) {
      await scene.schedule('up')
      await agent.finish(await agent.work(), result)
    }

    const pin = given(['materials[up]', 'UP/1/Build/1'])
    expect((await scene.post(SCHEDULE, undefined, pin)).status).toBe(202)

    expect(await agent.work()).toMatchObject({ materials: [{ revision: 'up/1/build/1' }] })
    expect(await refusal(scene, ['materials[up]', 'up/2/build/1'])).toMatch(
      /^404 .*up\/2\/build\/1/,
    )
    expect(await refusal(scene, ['materials[up]', 'up/9/build/1'])).toMatch(/^404 /)
    expect(await refusal(scene, ['materials[up]', 'app/1/build/1'])).toMatch(/^404 /)
    expect(await refusal(scene, ['materials[up]', '1'])).toMatch(/^404 /)
  })

  it('lets other materials take their newest, and fan-in alone', async () => {
    const scene = await BuildScene.open({ pipelines: [] })
    const code = git(scene.origin, { branch: 'main', materialName: 'code', dest: 'code' })
    const stages = [{ name: 'build', approval: MANUAL }]
    const up = { name: 'up', materials: [code], stages }
    await scene.configure({
      pipelines: [up, { name: 'app', materials: [dependency('up'), code], stages }],
    })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule('up')
    await agent.finish(await agent.work())
    const newest = commit(scene)

    await scene.post(SCHEDULE, undefined, given(['materials[up]', 'up/1/build/1']))

    const job = await agent.work()
    expect(job.materials).toMatchObject([{ revision: 'up/1/build/1' }, { revision: newest }])
  })

  it(
    'is not followed by a run of the newest, which was built before',
    { tags: ['long'] },
    async () => {
      const { scene, agent } = await open({})
      const first = gitLine(scene.origin, 'rev-parse', 'HEAD')
      const fingerprint = materialFingerprint(materialOf(git(scene.origin, { branch: 'main' })))
      await agent.finish(await agent.work())
      commit(scene)
      await agent.finish(await agent.work())

      await scene.post(SCHEDULE, undefined, given([`materials[${fingerprint}]`, first]))
      const job = await agent.work()
      expect(job).toMatchObject({ materials: [{ revision: first }] })
      await agent.finish(job)
      await pollsPass(scene)
      expect(await latest(scene)).toBe('3 by admin')

      const third = commit(scene)
      expect(await agent.work()).toMatchObject({ materials: [{ revision: third }] })
    },
  )
})
