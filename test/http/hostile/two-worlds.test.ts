// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { element, exec, git } from '../../support/documents/a-configuration.ts'
import { BuildScene, SECURED } from '../../support/builds/build-service.ts'
import { KEY, ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/programs/until.ts'

/** A clock that does not tell the worlds apart. */
const clock = () => 1_700_000_000_000

/** The differences between the worlds, which only an administrator may learn. */
interface World {
  readonly hidden: string
  readonly renamed: string
  readonly secret: string
  readonly output: string
}

const WORLDS: readonly World[] = [
  { hidden: 'north', renamed: 'north-2', secret: 'alpha-key', output: 'one\n' },
  {
    hidden: 'south-east',
    renamed: 'app',
    secret: 'a much longer secret',
    output: 'two\n'.repeat(99),
  },
]

function listed(name: string, user: string) {
  return element(name, {}, [element('user', {}, [user])])
}

const SHUT = element('authorization', {}, [listed('view', 'vera'), listed('operate', 'vera')])
const WIDE = element('authorization', {}, [listed('view', 'pete'), listed('operate', 'pete')])
const OTHER = { name: 'other', materials: [git('https://git.invalid/other.git')] }
const RETAINED = { name: 'kept', materials: [git('https://git.invalid/kept.git')] }

function configured({ secret }: World, name: string | null) {
  const jobs = [{ name: 'job', tasks: [exec('make', secret)] }]
  const hidden = { variables: { KEY: secret }, stages: [{ jobs }] }
  const shut = name === null ? [RETAINED] : [RETAINED, { name, ...hidden }]
  return {
    server: SECURED,
    groups: [
      { group: 'shut', authorization: SHUT, pipelines: shut },
      { group: 'wide', authorization: WIDE, pipelines: [OTHER] },
    ],
  }
}

const NAMES = ['none', ...WORLDS.flatMap(({ hidden, renamed }) => [hidden, renamed])]
const PATHS = [
  '/',
  '/config',
  '/config/current',
  '/config/r2',
  '/config/compare/r1/r2',
  '/config/edit',
  '/config?q=key',
  '/config/feed',
  '/pipelines',
  '/agents',
  '/agents/a1',
  '/audit',
  '/problems',
  '/api',
  '/health',
  '/health/live',
  '/health/ready',
  '/api/agents',
  '/api/pipelines',
  '/api/agents/a1/job_run_history/0',
  '/api/config/revisions',
  '/api/admin/config.xml',
  '/api/stages/other/defaultStage/history',
  '/pipelines/other',
  '/config/entity/group/wide',
  '/config/entity/pipeline/other',
  '/config/entity/group/shut',
  '/api/openapi.json',
  ...NAMES.flatMap((name) => [
    `/pipelines/${name}`,
    `/api/pipelines/${name}/status`,
    `/api/stages/${name}/build/history`,
    `/api/stages/${name}/build/instance/1/1`,
    `/stages/${name}/build/1/1`,
    `/files/${name}/1/build/1/job.json`,
    `/files/${name}/1/build/1/job/dist/out.txt`,
    `/files/${name}/1/build/1/job/cruise-output/console.log`,
    `/config/entity/pipeline/${name}`,
    `/config/entity/pipeline/${name}/compare/r1/r2`,
  ]),
]
/** Cancelling is left out: the interface tells a stage that is not there (404) from one of others (401). */
const ACTIONS = NAMES.flatMap((name) => [
  `/api/pipelines/${name}/schedule`,
  `/api/pipelines/${name}/pause`,
  `/api/stages/${name}/build/run/1`,
])

/** The answers to a visitor and to a viewer of another group. */
async function seenIn({ fetch: call }: Pick<TestService, 'fetch'>): Promise<Map<string, string>> {
  const seen = new Map<string, string>()
  for (const as of [null, 'pete:pete']) {
    const asked = [
      ...PATHS.map((path) => ({ method: 'GET', path })),
      ...ACTIONS.map((path) => ({ method: 'POST', path })),
    ]
    for (const { method, path } of asked) {
      // Error pages have the id of the request, which is the caller's own choice here.
      const headersGiven = { 'x-request-id': 'same' }
      const response = await call(path, { method, as, headers: headersGiven })
      const names = ['content-type', 'etag', 'location', 'cache-control']
      const headers = names.map((name) => response.headers.get(name) ?? '')
      const answer = [response.status, ...headers, await response.text()]
      seen.set(`${as ?? 'visitor'} ${method} ${path}`, answer.join('\n'))
    }
  }
  return seen
}

/** The calls that are answered in another way in one world than in the other. */
async function differences(services: readonly Pick<TestService, 'fetch'>[]): Promise<string[]> {
  const [one = new Map<string, string>(), other = new Map<string, string>()] = await Promise.all(
    services.map(seenIn),
  )
  return [...one].flatMap(([call, answer]) => (answer === other.get(call) ? [] : [call]))
}

/** The address that pages show: the ports of the services differ. */
const ADDRESS = ['--public-url', 'http://cairn.example']

async function build(world: World): Promise<BuildScene> {
  const scene = await BuildScene.open(configured(world, world.hidden), ADDRESS, clock)
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  await scene.schedule(world.hidden)
  const job = await agent.work()
  await agent.append(job.jobId, 0, world.output)
  await agent.upload(job.jobId, 'dist/out.txt', world.output)
  await agent.finish(job)
  return scene
}

function startAgain({ service: { folder } }: BuildScene): Promise<TestService> {
  const flags = ['--auto-register-key', KEY, '--users-file', join(folder, 'users')]
  return startService([...flags, ...ADDRESS, '--poll-interval', '100ms'], folder, { clock })
}

describe('two services that differ in a secret, a shut pipeline and its files', () => {
  it('answer alike to those who may see none of it', { timeout: 240_000 }, async () => {
    const scenes = [await build(WORLDS[0] ?? NOWHERE), await build(WORLDS[1] ?? NOWHERE)]
    const each = (act: (scene: BuildScene, world: World) => Promise<unknown>) =>
      Promise.all(scenes.map((scene, n) => act(scene, WORLDS[n] ?? NOWHERE)))
    const services = () => scenes.map(({ service }) => service)

    expect(await differences(services())).toEqual([])
    await each((scene, world) => scene.configure(configured(world, world.renamed)))
    expect(await differences(services())).toEqual([])
    await each((scene, world) => scene.configure(configured(world, null)))
    expect(await differences(services())).toEqual([])

    await each((scene) => scene.service.close())
    const again = await Promise.all(scenes.map(startAgain))
    expect(await differences(again)).toEqual([])
    for (const [n, service] of again.entries()) {
      const live = join(service.folder, 'config-repo', 'config.xml')
      writeFileSync(live, `<cruise><${WORLDS[n]?.secret.replaceAll(' ', '-')}/></cruise>`)
      await until(async () => (await (await service.fetch('/health')).text()).includes('not valid'))
    }
    expect(await differences(again)).toEqual([])
  })
})

const NOWHERE: World = { hidden: '', renamed: '', secret: '', output: '' }
