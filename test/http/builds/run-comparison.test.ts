import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PASSED_STAGE, PIPELINE, STAGE } from '../../../src/builds/engine/documents.ts'
import type { AgentTool } from '../../../src/core/builds/job.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { RunComparisonBody } from '../../../src/wire/run-comparison-body.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { element, exec } from '../../support/documents/a-configuration.ts'
import {
  BuildScene,
  GUARDED,
  jsonOf,
  messageOf,
  SECURED,
} from '../../support/builds/build-service.ts'
import { git, gitLine } from '../../support/git/git.ts'
import { until } from '../../support/programs/until.ts'

const MANUAL = element('approval', { type: 'manual' })

/** Agents that stay when a test saves another configuration. */
const AGENTS = ['a1', 'a2'].map((uuid) => ({ uuid, hostname: `host-${uuid}` }))

type Pipeline = NonNullable<Parameters<BuildScene['configure']>[0]['pipelines']>[number]

/** A pipeline with one job, which runs a command. */
function running(command: string, more: Pipeline = {}): Pipeline {
  const jobs = [{ tasks: [exec(command)] }]
  return { name: 'app', stages: [{ name: 'build', approval: MANUAL, jobs }], ...more }
}

/** A pipeline with one job of several commands. */
function tasked(...commands: readonly string[]): Pipeline {
  const jobs = [{ tasks: commands.map((command) => exec(command)) }]
  return running('', { stages: [{ name: 'build', approval: MANUAL, jobs }] })
}

/** A pipeline whose job runs a script by a plugin, with a place that a property of the job and the label name. */
function scripted(script: string, place: string): Pipeline {
  const configured = element('property', {}, [
    element('key', {}, ['script']),
    element('value', {}, [script]),
  ])
  const task = element('task', {}, [
    element('pluginConfiguration', { id: 'script-executor', version: '1' }),
    element('configuration', {}, [configured]),
  ])
  const properties = [element('property', { name: 'size', src: 'out.xml', xpath: place })]
  return running('', {
    attributes: { labeltemplate: `${place}-\${COUNT}` },
    stages: [{ name: 'build', approval: MANUAL, jobs: [{ tasks: [task], properties }] }],
  })
}

class Compared {
  readonly scene: BuildScene
  readonly #agents = new Map<string, ProtocolAgent>()

  constructor(scene: BuildScene) {
    this.scene = scene
  }

  static async open(...configured: Parameters<typeof BuildScene.open>): Promise<Compared> {
    const [given = {}, ...more] = configured
    return new Compared(await BuildScene.open({ agents: AGENTS, ...given }, ...more))
  }

  /** Saves a configuration that has the agents too. */
  configure(configured: Parameters<BuildScene['configure']>[0]): Promise<void> {
    return this.scene.configure({ agents: AGENTS, ...configured })
  }

  /** Starts a run, which an agent takes and ends. */
  async run(
    result: 'Passed' | 'Failed',
    { fields = {}, agent = 'a1', tools }: RunOptions = {},
  ): Promise<void> {
    const body = new URLSearchParams(fields)
    const started = await this.scene.post('/api/pipelines/app/schedule', undefined, body)
    if (started.status !== 202) throw new Error(await started.text())
    await this.build(result, { agent, ...(tools && { tools }) })
  }

  async build(
    result: 'Passed' | 'Failed',
    { agent: uuid = 'a1', tools }: RunOptions = {},
  ): Promise<void> {
    const known = this.#agents.get(uuid)
    const agent = known ?? (await ProtocolAgent.join(this.scene.service, uuid))
    this.#agents.set(uuid, agent)
    await agent.finish(await agent.work(), result, tools)
  }

  commit(message: string): string {
    const { origin } = this.scene
    writeFileSync(join(origin, 'hello.txt'), message)
    git(origin, 'commit', '--quiet', '--all', '--message', message)
    return gitLine(origin, 'rev-parse', 'HEAD')
  }

  async compare(runs: string, as?: string): Promise<RunComparisonBody> {
    const response = await this.scene.get(`/api/pipelines/app/compare/${runs}`, as)
    if (!response.ok) throw new Error(await response.text())
    return RunComparisonBody.parse(await jsonOf(response))
  }
}

interface RunOptions {
  readonly fields?: Record<string, string>
  readonly agent?: string
  readonly tools?: readonly AgentTool[]
}

describe('the comparison of two runs', () => {
  it('names their commits, the changes of their configuration, their variables and their agents', async () => {
    const variables = { WHO: 'ana' }
    const compared = await Compared.open({ pipelines: [running('make', { variables })] })
    await compared.run('Passed')
    const [first, second] = [compared.commit('Say more'), compared.commit('Say even more')]
    await compared.configure({
      pipelines: [running('make test', { variables }), running('other', { name: 'b' })],
    })
    await compared.run('Failed', { fields: { 'variables[WHO]': 'bo' }, agent: 'a2' })

    const found = await compared.compare('1/2')

    expect(found).toMatchObject({ from: 1, to: 2, stage: { name: 'build', from: '1', to: '1' } })
    expect(found.materials).toMatchObject([
      {
        description: 'git origin',
        to: second,
        commits: [{ revision: second, run: 2 }, { revision: first }],
      },
    ])
    expect(found.configuration.changes).toMatchObject([
      {
        entity: 'pipeline/app',
        text: 'stage build › job unit: task make → make test',
        revision: { username: 'admin' },
      },
    ])
    expect(found.configuration.complete).toBe(true)
    expect(found.variables).toEqual([{ name: 'WHO', secure: false, from: null, to: 'bo' }])
    expect(found.agents).toMatchObject([
      { stage: 'build', job: 'unit', from: { uuid: 'a1' }, to: { hostname: 'host-a2' } },
    ])
    expect(found.causes.map(({ kind }) => kind)).toEqual([
      'variable',
      'configuration',
      'material',
      'agent',
    ])
    const { number } = found.configuration.changes[0]?.revision ?? {}
    expect(found.causes.map(({ link }) => link)).toEqual([
      '/pipelines/app#run-2',
      `/config/entity/pipeline/app/compare/r${(number ?? 0) - 1}/r${number}`,
      `/pipelines/app/compare/1/2#commit-${second}`,
      '/agents/a2',
    ])
  })

  it('says of an earlier run what it is without', async () => {
    const variables = { WHO: 'ana' }
    const compared = await Compared.open({ pipelines: [running('make', { variables })] })
    await compared.run('Passed')
    const commit = compared.commit('Say more').slice(0, 12)
    await compared.run('Failed', {
      fields: { 'variables[WHO]': 'bo' },
    })

    const [forth, back] = [await compared.compare('1/2'), await compared.compare('2/1')]

    expect(forth.causes.map(({ text }) => text).toSorted()).toEqual([
      expect.stringContaining(`The material git origin has a commit since run 1, ${commit} by `),
      'The variable WHO was given to this run: bo',
    ])
    expect(back.causes.map(({ text }) => text).toSorted()).toEqual([
      expect.stringContaining(
        `The material git origin is without a commit since run 1, ${commit} by `,
      ),
      'The variable WHO was given to run 2 and not to this one: bo',
    ])
  })

  it('is that with the run in which the stage had passed last, or the attempt of the same run', async () => {
    const compared = await Compared.open({ pipelines: [running('make')] })
    await compared.run('Passed')
    await compared.run('Failed')
    await compared.run('Failed')
    const third = await compared.compare('last-passed/3')
    await compared.scene.post('/api/stages/app/build/run/3')
    await compared.build('Passed')
    await compared.scene.post('/api/stages/app/build/run/3')
    await compared.build('Failed', { agent: 'a2' })

    const again = await compared.compare('last-passed/3')

    expect(third).toMatchObject({ from: 1, to: 3, causes: [] })
    expect(again).toMatchObject({ from: 3, to: 3, stage: { from: '2', to: '3' } })
    expect(again.causes).toMatchObject([{ kind: 'agent', link: '/agents/a2' }])
  })

  it('hides what a change that was taken back did, and what concerns other pipelines', async () => {
    const other = running('other', { name: 'b', variables: { X: '1' } })
    const compared = await Compared.open({ pipelines: [running('make'), other] })
    await compared.run('Passed')
    await compared.configure({ pipelines: [running('make test'), other] })
    await compared.configure({
      pipelines: [running('make'), { ...other, variables: { X: '2' } }],
    })
    await compared.run('Failed')

    const { configuration, causes } = await compared.compare('1/2')

    expect([configuration.changes, causes]).toEqual([[], []])
  })

  it('hides no change where what one task was has become another one', async () => {
    const compared = await Compared.open({ pipelines: [tasked('make', 'test')] })
    await compared.run('Passed')
    await compared.configure({ pipelines: [tasked('check', 'test')] })
    await compared.configure({ pipelines: [tasked('check', 'make')] })
    await compared.run('Failed')

    const { configuration } = await compared.compare('1/2')

    expect(configuration.changes.map(({ text }) => text)).toEqual([
      'stage build › job unit: task test → make',
      'stage build › job unit: task make → check',
    ])
  })

  it('takes the property of a plugin for what is run, and that of a job for what is read after it', async () => {
    const compared = await Compared.open({ pipelines: [scripted('make', 'a')] })
    await compared.run('Passed')
    await compared.configure({ pipelines: [scripted('make test', 'b')] })
    await compared.run('Failed')

    const { causes } = await compared.compare('1/2')

    expect(causes.map(({ text }) => text)).toEqual([
      expect.stringContaining('property script: value make → make test'),
      expect.stringContaining('labeltemplate a-${COUNT} → b-${COUNT}'),
      expect.stringContaining('property size: xpath a → b'),
    ])
  })

  it('tells of the programs of an agent, and of what became of its resources', async () => {
    const make = { name: 'make', path: '/usr/bin/make', size: 1, modifiedAt: 1_700_000_000_000 }
    const compared = await Compared.open({ pipelines: [running('make')] })
    await compared.run('Passed', { tools: [make] })
    const body = new URLSearchParams({ resources: 'docker' })
    await compared.scene.service.fetch('/api/agents/a1', { method: 'PATCH', body })
    await compared.run('Failed', { tools: [{ ...make, path: '/opt/make' }] })

    const { causes, agents } = await compared.compare('1/2')

    expect(agents[0]?.changes).toEqual([
      'has other resources: now docker',
      'has another program make: /usr/bin/make → /opt/make',
    ])
    expect(causes.map(({ kind }) => kind)).toEqual(['agent', 'agent', 'agent'])
    expect(causes[0]?.text).toContain('resource docker')
  })

  it('shows no secret, and to nobody who may not view the pipeline', async () => {
    const secure = element('variable', { name: 'TOKEN', secure: true }, [
      element('value', {}, ['old-secret']),
    ])
    const jobs = [{ tasks: [exec('make')] }]
    const stages = [{ name: 'build', approval: MANUAL, jobs }]
    const before = [element('environmentvariables', {}, [secure])]
    const group = { authorization: GUARDED, pipelines: [{ name: 'app', before, stages }] }
    const compared = await Compared.open({ server: SECURED, groups: [group] })
    await compared.run('Passed', { fields: { 'secure_variables[TOKEN]': 'given-secret' } })
    await compared.run('Failed', { fields: { 'secure_variables[TOKEN]': 'other-secret' } })
    await compared.run('Failed', { fields: { 'secure_variables[TOKEN]': 'other-secret' } })

    const found = await compared.compare('1/2', 'vera')
    const same = await compared.compare('2/3', 'vera')
    const refused = await compared.scene.get('/api/pipelines/app/compare/1/2', 'pete')

    expect(found.variables).toEqual([{ name: 'TOKEN', secure: true, from: '****', to: '****' }])
    expect(found.causes[0]?.text).toBe('The secure variable TOKEN was given with another value')
    expect(same.variables).toEqual([])
    expect(JSON.stringify([found, same])).not.toMatch(/secret"|old-|given-|other-/)
    expect(refused.status).toBe(403)
  })

  it('is refused for runs that are not there, and where the stage had never passed', async () => {
    const compared = await Compared.open({ pipelines: [running('make')] })
    await compared.run('Failed')

    const never = await compared.scene.get('/api/pipelines/app/compare/last-passed/1')
    const absent = await compared.scene.get('/api/pipelines/app/compare/1/7')
    const stage = await compared.scene.get('/api/pipelines/app/compare/1/1?stage=none')
    const malformed = await compared.scene.get('/api/pipelines/app/compare/first/1')

    expect([never, absent, stage, malformed].map(({ status }) => status)).toEqual([
      404, 404, 404, 400,
    ])
    expect(await messageOf(never)).toBe(
      'The stage build of the pipeline app had not passed before that run',
    )
  })

  it('knows the sum of the changes where a reset has taken a revision from the branch', async () => {
    const compared = await Compared.open({ pipelines: [running('make')] })
    await compared.configure({ pipelines: [running('make test')] })
    await compared.run('Passed')
    const repository = join(compared.scene.service.folder, 'config-repo')
    git(repository, 'reset', '--quiet', '--hard', 'HEAD~1')
    await until(async () => {
      const text = await (await compared.scene.get('/api/admin/config.xml')).text()
      return !text.includes('make test')
    })
    await compared.run('Failed')

    const { configuration, causes } = await compared.compare('1/2')

    expect(configuration.from?.number).toBeNull()
    expect(configuration.changes).toMatchObject([{ from: 'make test', to: 'make', revision: null }])
    expect(causes[0]).toMatchObject({ kind: 'configuration', link: null })
  })

  it('says that a run from before it was recorded does not tell its configuration', async () => {
    const compared = await Compared.open({ pipelines: [running('make')] })
    await compared.run('Passed')
    await compared.configure({ pipelines: [running('make test')] })
    await compared.run('Failed')
    await forget(compared.scene)
    const again = new Compared(await compared.scene.restart())

    const { from, configuration, causes } = await again.compare('last-passed/2')

    expect(from).toBe(1)
    expect(configuration).toEqual({ from: null, to: null, changes: [], complete: false })
    expect(causes).toEqual([])
  })
})

/** Takes from the state of a service what earlier versions did not record of runs. */
async function forget({ service }: BuildScene): Promise<void> {
  await service.close()
  await using store = await openSqliteState(join(service.folder, 'state/state.sqlite'))
  await store.change(async (tx) => {
    for (const kind of [PIPELINE, STAGE] as const) {
      for (const { key, value } of await tx.list<Record<string, unknown>>(kind)) {
        const { configuration: _, passedBefore: __, entities: ___, ...before } = value
        await tx.put({ name: kind.name, schema: z.unknown() }, key, before)
      }
    }
    for (const { key } of await tx.list(PASSED_STAGE)) await tx.remove(PASSED_STAGE, key)
  })
}
