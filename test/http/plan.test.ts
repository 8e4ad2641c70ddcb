import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { BuildScene } from '../support/builds/build-service.ts'
import { FAST, latest, open, pollsPass } from '../support/builds/trigger-scene.ts'
import { until } from '../support/programs/until.ts'

const Plan = z.object({
  valid: z.boolean(),
  errors: z.array(z.object({ message: z.string(), line: z.int().optional() })),
  changes: z.array(z.object({ entity: z.string(), text: z.string() })),
  starts: z.array(z.object({ pipeline: z.string(), because: z.string() })),
  obstacles: z.array(z.object({ pipeline: z.string(), because: z.string() })),
  touches: z.object({
    pipelines: z.array(z.string()),
    agents: z.array(z.string()),
    environments: z.array(z.string()),
    jobsRunning: z.array(z.string()),
  }),
  permissions: z.array(
    z.object({ user: z.string(), gains: z.array(z.string()), loses: z.array(z.string()) }),
  ),
  stops: z.array(z.object({ pipeline: z.string(), because: z.string() })),
  rules: z.array(z.unknown()),
})

async function currentOf({ service }: BuildScene): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

async function planOf({ service }: BuildScene, document: string) {
  const init = { method: 'POST', body: document }
  const response = await service.fetch('/api/config/plan', init)
  expect(response.status).toBe(200)
  return Plan.parse(await response.json())
}

/** Saves a document, which may hold what it adds. */
function put({ service }: BuildScene, body: string, headers: Record<string, string> = {}) {
  const init = { method: 'PUT', body, headers: { 'if-match': '*', ...headers } }
  return service.fetch('/api/admin/config.xml', init)
}

/** The document with one more pipeline, which builds the repository of the scene. */
function withPipeline(document: string, name: string, more = ''): string {
  const [pipeline = ''] = /<pipeline name="app"[^]*?<\/pipeline>/.exec(document) ?? []
  const added = pipeline
    .replace('name="app"', `name="${name}"`)
    .replace('<stage ', `${more}<stage `)
  return document.replace(pipeline, `${pipeline}\n${added}`)
}

const APP = { pipelines: [{ name: 'app' }] }

/** A part of the lists of a group, with one user. */
function listed(part: 'view' | 'admins', user: string): string {
  return `<${part}><user>${user}</user></${part}>`
}

describe('the plan of a configuration', () => {
  it('calls no material lost that is read from another branch', async () => {
    const scene = await BuildScene.open(APP)
    const named = (await currentOf(scene)).replace('<git ', '<git materialName="source" ')
    await put(scene, named)

    const elsewhere = named.replace('branch="main"', 'branch="next"')
    const { stops } = await planOf(scene, elsewhere)
    const { stops: without } = await planOf(scene, elsewhere.replace('"source"', '"other"'))

    const pipeline = 'app'
    expect(stops).toEqual([{ pipeline, because: 'its material source is read from elsewhere' }])
    expect(without).toEqual([{ pipeline, because: 'it loses the material source' }])
  })

  it(
    'names the run that a new pipeline starts, and saving it starts just that',
    { tags: ['long'] },
    async () => {
      const { scene } = await open(APP)
      await until(async () => (await latest(scene)) === '1 by changes')
      const document = withPipeline(await currentOf(scene), 'second')

      const plan = await planOf(scene, document)
      await pollsPass(scene)
      expect(await latest(scene, 'second')).toBeNull()
      await put(scene, document)

      expect(plan).toMatchObject({
        valid: true,
        errors: [],
        changes: [{ entity: 'pipeline/second' }],
        starts: [{ pipeline: 'second', because: 'it is new' }],
        touches: { pipelines: ['second'], agents: [], environments: [] },
        rules: [],
      })
      await until(async () => (await latest(scene, 'second')) === '1 by changes')
      await pollsPass(scene)
      expect(await latest(scene)).toBe('1 by changes')
    },
  )

  it('names what keeps a pipeline from starting, and what its jobs would wait for', async () => {
    const { scene } = await open(APP)
    await until(async () => (await latest(scene)) === '1 by changes')
    const document = withPipeline(await currentOf(scene), 'second')
    const withJob = (attributes: string) =>
      document.replace(
        /(<pipeline name="second"[^]*?)<job name="unit"\s*(?:\/>|>[^]*?<\/job>)/,
        `$1<job name="unit"${attributes}><resources><resource>rare</resource></resources></job>`,
      )
    const forbidden = document.replace(
      /(<pipeline name="second"[^]*?url=")[^"]*/,
      '$1/nowhere/allowed',
    )

    const because =
      'a material cannot be read: The repository is on the disk of the server, and in no folder that --local-materials allows'
    expect(await planOf(scene, forbidden)).toMatchObject({
      starts: [],
      obstacles: [{ pipeline: 'second', because }],
    })
    expect(await planOf(scene, withJob(''))).toMatchObject({
      starts: [{ pipeline: 'second' }],
      obstacles: [
        {
          because: expect.stringMatching(
            /^in the stage .*, the job .* waits: no agent has the resource rare$/,
          ),
        },
      ],
    })
    expect(await planOf(scene, withJob(' runOnAllAgents="true"'))).toMatchObject({
      starts: [],
      obstacles: [
        { because: expect.stringContaining('runs on all: no agent has the resource rare') },
      ],
    })
    expect((await planOf(scene, document)).obstacles).toEqual([])
  })

  it('names the run of a pipeline whose material nobody watches yet', async () => {
    const { scene } = await open(APP)
    const document = withPipeline(await currentOf(scene), 'second').replace(
      /(name="second"[^]*?<git url=")[^"]*/,
      '$1https://example.org/other.git',
    )

    expect((await planOf(scene, document)).starts).toEqual([
      { pipeline: 'second', because: 'it is new' },
    ])
  })

  it('starts nothing of what waits for a person or for another pipeline', async () => {
    const { scene } = await open(APP)
    await until(async () => (await latest(scene)) === '1 by changes')
    const current = await currentOf(scene)
    const manual = withPipeline(current, 'second').replace(
      /(name="second"[^]*?<stage [^>]*>)/,
      '$1<approval type="manual" />',
    )
    const downstream = withPipeline(current, 'second').replace(
      /(name="second"[^]*?<materials>)/,
      '$1<pipeline pipelineName="third" stageName="build" />',
    )
    const both = withPipeline(downstream, 'third')

    expect((await planOf(scene, manual)).starts).toEqual([])
    expect((await planOf(scene, both)).starts).toEqual([
      { pipeline: 'third', because: 'it is new' },
    ])
    expect((await planOf(scene, current)).starts).toEqual([])
  })

  it('names the running jobs of the pipelines that it touches', async () => {
    const scene = await BuildScene.open(APP, FAST)
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.work()
    const current = await currentOf(scene)
    const touching = current.replace(/(<pipeline name="app")/, '$1 labeltemplate="v${COUNT}"')
    const beside = withPipeline(current, 'second')

    expect((await planOf(scene, touching)).touches).toMatchObject({
      pipelines: ['app'],
      jobsRunning: [expect.stringMatching(/^app\/1\//)],
    })
    expect((await planOf(scene, beside)).touches.jobsRunning).toEqual([])
  })

  it('says who gains and who loses which permission', async () => {
    const scene = await BuildScene.open(APP)
    const current = await currentOf(scene)
    const security =
      '<server><security><admins><user>admin</user><user>olga</user></admins></security></server>'
    const secured = current.replace(
      /<server\b[^>]*?(\/>|>[^]*?<\/server>)|(?=<pipelines)/,
      security,
    )

    const { permissions } = await planOf(scene, secured)

    const vera = permissions.find(({ user }) => user === 'vera')
    expect(vera?.loses).toContain('administer the server')
    expect(permissions.map(({ user }) => user)).not.toContain('olga')
  })

  it('says what moving a pipeline and the lists of a group change, and nothing of what stays', async () => {
    const scene = await BuildScene.open(APP)
    const current = (await currentOf(scene)).replace(
      /<server\b[^>]*?(\/>|>[^]*?<\/server>)|(?=<pipelines)/,
      '<server><security><admins><user>admin</user></admins></security></server>',
    )
    const [app = ''] = /<pipeline name="app"[^]*?<\/pipeline>/.exec(current) ?? []
    const documentOf = (first: string, second: string, lists: string) =>
      current.replace(
        /<pipelines\b[^]*<\/pipelines>/,
        `<pipelines group="first"><authorization>${listed('view', 'vera')}</authorization>${first}</pipelines>
         <pipelines group="second"><authorization>${lists}</authorization>${second}</pipelines>`,
      )
    const pete = listed('view', 'pete')
    expect((await put(scene, documentOf(app, '', pete))).status).toBe(200)
    const permissionsOf = async (document: string) => (await planOf(scene, document)).permissions

    expect(await permissionsOf(documentOf('', app, pete))).toEqual([
      { user: 'vera', gains: [], loses: ['view pipeline app'] },
      { user: 'pete', gains: ['view pipeline app'], loses: [] },
    ])
    expect(await permissionsOf(documentOf(app, '', `${pete}${listed('admins', 'gina')}`))).toEqual([
      { user: 'gina', gains: ['administer group second'], loses: [] },
    ])
    const relabelled = app.replace('name="app"', 'name="app" labeltemplate="v${COUNT}"')
    expect(await permissionsOf(documentOf(relabelled, '', pete))).toEqual([])
  })

  it('takes nothing from who becomes an administrator, and gives nothing to who was one', async () => {
    const scene = await BuildScene.open(APP)
    const current = await currentOf(scene)
    const withAdmins = (...names: readonly string[]) => {
      const users = names.map((name) => `<user>${name}</user>`).join('')
      return current
        .replace(
          /<server\b[^>]*?(\/>|>[^]*?<\/server>)|(?=<pipelines)/,
          `<server><security><admins>${users}</admins></security></server>`,
        )
        .replace(
          /<pipelines\b[^>]*>/,
          (group) => `${group}<authorization><view><user>vera</user></view></authorization>`,
        )
    }
    const changeOfVera = async (before: string, after: string) => {
      expect((await put(scene, before)).status).toBe(200)
      const { permissions } = await planOf(scene, after)
      return permissions.find(({ user }) => user === 'vera')
    }
    const [viewer, administrator] = [withAdmins('admin'), withAdmins('admin', 'vera')]

    const [admin, change] = [['administer the server'], { user: 'vera' }]
    expect(await changeOfVera(viewer, administrator)).toEqual({
      ...change,
      gains: admin,
      loses: [],
    })
    expect(await changeOfVera(administrator, viewer)).toEqual({
      ...change,
      gains: [],
      loses: admin,
    })
  })

  it('has the errors of a document that is not valid, and nothing else', async () => {
    const scene = await BuildScene.open(APP)

    const plan = await planOf(scene, (await currentOf(scene)).replace('name="app"', 'nmae="app"'))

    expect(plan.valid).toBe(false)
    expect(plan.errors.map(({ message }) => message).join()).toContain('nmae')
    expect(plan.changes).toEqual([])
  })
})

describe('a save that holds what it adds', () => {
  it('pauses the new pipelines before they start, and no other', async () => {
    const { scene } = await open(APP)
    await until(async () => (await latest(scene)) === '1 by changes')
    const document = withPipeline(await currentOf(scene), 'second')

    const saved = await put(scene, document, { 'x-cairn-hold': 'pipelines' })
    await pollsPass(scene)

    const statusOf = async (name: string): Promise<unknown> =>
      (await scene.service.fetch(`/api/pipelines/${name}/status`)).json()
    expect(saved.status).toBe(200)
    expect(await latest(scene, 'second')).toBeNull()
    expect(await statusOf('second')).toMatchObject({ paused: true, pausedBy: 'admin' })
    expect(await statusOf('app')).toMatchObject({ paused: false })
    await scene.service.fetch('/api/pipelines/second/unpause', { method: 'POST' })
    await until(async () => (await latest(scene, 'second')) === '1 by changes')
  })

  it('pauses no pipeline that another save adds at the same time', async () => {
    const { scene } = await open(APP)
    const current = await currentOf(scene)
    const [pipeline = ''] = /<pipeline name="app"[^]*?<\/pipeline>/.exec(current) ?? []
    const added = (name: string) => pipeline.replace('name="app"', `name="${name}"`)
    const digest = createHash('md5').update(current).digest('hex')
    const basedOn = { 'if-match': `"${digest}"` }
    const first = current.replace(pipeline, `${pipeline}\n${added('free')}`)
    const second = current.replace(pipeline, `${added('held')}\n${pipeline}`)

    const saved = await Promise.all([
      put(scene, current.replace('<cruise', '<!-- one more --><cruise'), basedOn),
      put(scene, first, basedOn),
      put(scene, second, { ...basedOn, 'x-cairn-hold': 'pipelines' }),
    ])

    const statusOf = async (name: string): Promise<unknown> =>
      (await scene.service.fetch(`/api/pipelines/${name}/status`)).json()
    expect(saved.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await statusOf('free')).toMatchObject({ paused: false })
    expect(await statusOf('held')).toMatchObject({ paused: true })
  })

  it('is refused when it does not say what to hold', async () => {
    const scene = await BuildScene.open(APP)

    const saved = await put(scene, await currentOf(scene), { 'x-cairn-hold': 'everything' })

    expect(saved.status).toBe(400)
    expect(await saved.text()).toContain('X-Cairn-Hold')
  })

  it('pauses nothing when it is refused itself', async () => {
    const scene = await BuildScene.open(APP)
    const current = await currentOf(scene)
    const stale = withPipeline(current, 'second')
    const headers = { 'x-cairn-hold': 'pipelines', 'if-match': `"${'0'.repeat(32)}"` }

    expect((await put(scene, stale, headers)).status).toBe(412)
    await put(scene, stale)
    const status = await scene.service.fetch('/api/pipelines/second/status')
    expect(await status.json()).toMatchObject({ paused: false })
  })
})
