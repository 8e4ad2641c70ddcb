import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../../src/wire/health-body.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, jsonOf, messageOf } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { until } from '../../support/programs/until.ts'

/** No run starts by itself. */
const CALM = ['--material-interval', '1h']
const QUOTA = ['--max-artifacts', '4KiB', ...CALM]
const GONE = 'are no longer kept'

/** A stage whose job fetches what the one before has made. */
const NEXT = {
  name: 'next',
  jobs: [{ tasks: [element('fetchartifact', { stage: 'build', job: 'unit', srcdir: 'dist' })] }],
}

async function open(...given: Parameters<typeof BuildScene.open>) {
  const scene = await BuildScene.open(...given)
  return { scene, agent: await ProtocolAgent.join(scene.service, 'a1') }
}

/** A run of a pipeline whose job says something and keeps one file. */
async function build(
  { scene, agent }: { scene: BuildScene; agent: ProtocolAgent },
  bytes: number,
  pipeline = 'app',
): Promise<void> {
  await scene.schedule(pipeline)
  const job = await agent.work()
  await agent.append(job.jobId, 0, 'built\n')
  expect((await agent.upload(job.jobId, 'dist/app', 'x'.repeat(bytes))).status).toBe(201)
  await agent.finish(job)
}

async function artifactHealth(scene: BuildScene) {
  const { artifacts, problems } = HealthBody.parse(await jsonOf(await scene.get('/health')))
  return { ...artifacts, problems: problems.map(({ subject }) => subject) }
}

async function statusOf(scene: BuildScene, run: string, job = 'unit'): Promise<number> {
  return (await scene.get(`/files/${run}/${job}/dist/app`)).status
}

function isGone(scene: BuildScene, run: string): Promise<void> {
  return until(async () => (await statusOf(scene, run)) === 404)
}

describe('a quota of consoles and artifacts', () => {
  it('removes those of the oldest runs, and the calls and pages for them say so', async () => {
    const world = await open({}, QUOTA)
    const { scene } = world
    for (let run = 1; run <= 3; run += 1) await build(world, 1_500)

    await isGone(scene, 'app/1/build/1')

    expect(await statusOf(scene, 'app/2/build/1')).toBe(200)
    expect(await statusOf(scene, 'app/3/build/1')).toBe(200)
    for (const path of ['', '.json', '.zip', '/dist/app', '/cruise-output/console.log']) {
      const response = await scene.get(`/files/app/1/build/1/unit${path}`)
      expect([path, response.status]).toEqual([path, 404])
      expect(await messageOf(response)).toContain(`app/1/build/1/unit ${GONE}`)
    }
    const page = await (await scene.get('/stages/app/build/1/1/unit')).text()
    expect(page).toContain('The artifacts have been removed')
    const kept = await (await scene.get('/stages/app/build/2/1/unit')).text()
    expect(kept).not.toContain('have been removed')
    const { bytes, ...health } = await artifactHealth(scene)
    expect(health).toEqual({ quota: 4_096, problems: [] })
    expect(bytes).toBe(2 * (1_500 + 'built\n'.length))
    await until(() => !existsSync(join(scene.service.folder, 'state/artifacts/app/1')))
  })

  it('spares the newest run of each stage, and health says when these are too much', async () => {
    const stages = [{ approval: element('approval', { type: 'manual' }) }]
    const pipelines = ['lib', 'app'].map((name) => ({ name, stages }))
    const world = await open({ pipelines }, QUOTA)
    const { scene } = world
    await build(world, 3_000, 'lib')
    await build(world, 900)
    await build(world, 900)

    await isGone(scene, 'app/1/build/1')
    await build(world, 2_000)
    await isGone(scene, 'app/2/build/1')

    await until(async () => (await artifactHealth(scene)).problems.length > 0)
    const { bytes, problems } = await artifactHealth(scene)
    expect(bytes).toBeGreaterThan(5_000)
    expect(problems.join()).toContain(`${bytes} bytes, more than their quota of 4096`)
    expect(await statusOf(scene, 'lib/1/build/1')).toBe(200)
    expect(await statusOf(scene, 'app/3/build/1')).toBe(200)
  })

  it('spares what a run in progress may still fetch, until it has ended', async () => {
    const world = await open({ pipelines: [{ name: 'app', stages: [{}, NEXT] }] }, QUOTA)
    const { scene, agent } = world
    await build(world, 3_000)
    const next = await agent.work()
    const other = { scene, agent: await ProtocolAgent.join(scene.service, 'a2') }
    await build(other, 3_000)

    await until(async () => (await artifactHealth(scene)).problems.length > 0)
    expect(await statusOf(scene, 'app/1/build/1')).toBe(200)
    await agent.finish(next)

    await isGone(scene, 'app/1/build/1')
    expect(await statusOf(scene, 'app/2/build/1')).toBe(200)
  })

  it('spares the jobs that the newest run has carried over', async () => {
    const jobs = [{ name: 'unit' }, { name: 'other' }]
    const world = await open({ pipelines: [{ name: 'app', stages: [{ jobs }] }] }, QUOTA)
    const { scene, agent } = world
    await build(world, 3_000)
    await agent.finish(await agent.work(), 'Failed')
    const again = new URLSearchParams({ jobs: 'other' })
    await scene.post('/api/stages/app/build/run/1', undefined, again)
    const other = await agent.work()
    await agent.upload(other.jobId, 'dist/app', 'x'.repeat(3_000))
    await agent.finish(other)

    await until(async () => (await artifactHealth(scene)).problems.length > 0)
    expect(await statusOf(scene, 'app/1/build/2')).toBe(200)
    expect(await statusOf(scene, 'app/1/build/2', 'other')).toBe(200)
  })

  it('holds from the start for what is there, and ends what a crash had cut off', async () => {
    const world = await open({}, CALM)
    for (let run = 1; run <= 4; run += 1) await build(world, 1_500)
    const artifacts = join(world.scene.service.folder, 'state', 'artifacts')
    const moved = join(artifacts, '.drafts', '.draft-0123456789abcdef')
    renameSync(join(artifacts, 'app/1/build/1'), moved)
    mkdirSync(join(artifacts, 'lost/1/build/1/unit'), { recursive: true })
    writeFileSync(join(artifacts, 'lost/1/build/1/unit/of-no-run'), 'x'.repeat(900))
    expect((await artifactHealth(world.scene)).quota).toBeNull()

    const scene = await world.scene.restart(QUOTA)

    await isGone(scene, 'app/2/build/1')
    expect(await statusOf(scene, 'app/3/build/1')).toBe(200)
    expect(await statusOf(scene, 'app/4/build/1')).toBe(200)
    await until(() => readdirSync(artifacts).join() === '.drafts,app')
    await until(() => readdirSync(join(artifacts, '.drafts')).length === 0)
    expect((await artifactHealth(scene)).bytes).toBe(2 * (1_500 + 'built\n'.length))
  })

  it('does not count what an upload has replaced', async () => {
    const { scene, agent } = await open({}, CALM)
    await scene.schedule()
    const { jobId } = await agent.work()
    await until(async () => (await artifactHealth(scene)).bytes !== null)

    for (const bytes of [500, 3_000, 20]) await agent.upload(jobId, 'file', 'x'.repeat(bytes))

    expect((await artifactHealth(scene)).bytes).toBe(20)
  })
})
