import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PIPELINE, STAGE } from '../../../src/builds/engine/documents.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { PipelineHistoryBody, PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import { archive } from '../../support/service/archives.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, jsonOf } from '../../support/builds/build-service.ts'
import { git, gitLine } from '../../support/git/git.ts'
import { until } from '../../support/programs/until.ts'

const HEADER = 'x-cairn-configuration'
const Current = z.array(z.object({ md5: z.string(), commitSHA: z.string(), time: z.int() }))

/** The newest revision, as a run of now names it. */
async function newestOf({ service }: BuildScene) {
  const listed = await jsonOf(await service.fetch('/api/config/revisions'))
  const revisions = Current.parse(listed)
  const [newest] = revisions
  return { digest: newest?.md5, commit: newest?.commitSHA, number: revisions.length }
}

async function runOf(scene: BuildScene, pipeline = 'app', counter = 1): Promise<PipelineRunBody> {
  const path = `/api/pipelines/${pipeline}/instance/${counter}`
  return PipelineRunBody.parse(await jsonOf(await scene.get(path)))
}

async function finishJob(scene: BuildScene, uuid: string): Promise<void> {
  const agent = await ProtocolAgent.join(scene.service, uuid)
  await agent.finish(await agent.work())
}

const MANUAL = element('approval', { type: 'manual' })
const TWO = { name: 'app', stages: [{ name: 'build' }, { name: 'ship', approval: MANUAL }] }
const CHANGED = { ...TWO, attributes: { labeltemplate: 'v${COUNT}' } }

describe('the configuration of a run', () => {
  it('is that by which it was scheduled, whatever is saved later, and of each stage its own', async () => {
    const scene = await BuildScene.open({ pipelines: [TWO] })
    const first = await newestOf(scene)
    await scene.schedule()
    await finishJob(scene, 'a1')
    await scene.configure({ pipelines: [CHANGED] })
    const second = await newestOf(scene)
    const started = await scene.post('/api/stages/app/ship/run/1')
    await scene.configure({ pipelines: [CHANGED, { name: 'other' }] })

    const run = await runOf(scene)
    const { pipelines } = PipelineHistoryBody.parse(
      await jsonOf(await scene.get('/api/pipelines/app/history')),
    )
    const build = await scene.get('/api/stages/app/build/instance/1/1')
    const ship = await scene.get('/api/stages/app/ship/history')
    const page = await (await scene.get('/stages/app/build/1/1')).text()
    const cancelled = await scene.post('/api/stages/app/ship/cancel')
    const again = await scene.post('/api/stages/app/ship/cancel')

    expect(started.status).toBe(202)
    expect(run.configuration).toEqual(first)
    expect(run.stages.map(({ configuration }) => configuration)).toEqual([first, second])
    expect(pipelines[0]?.configuration).toEqual(first)
    expect(build.headers.get(HEADER)).toBe(first.digest)
    expect(ship.headers.get(HEADER)).toBe(second.digest)
    expect([cancelled.status, cancelled.headers.get(HEADER)]).toEqual([200, second.digest])
    expect([again.status, again.headers.get(HEADER)]).toEqual([200, null])
    expect(page).toContain(`r${first.number}</a>`)
    expect(page).not.toContain('by its start time')
  })

  it('has no number once a reset has taken it from the branch, and is still known', async () => {
    const scene = await BuildScene.open({ pipelines: [TWO] })
    await scene.configure({ pipelines: [CHANGED] })
    const { digest, commit } = await newestOf(scene)
    await scene.schedule()
    const repository = join(scene.service.folder, 'config-repo')
    const before = gitLine(repository, 'rev-parse', 'HEAD~1')
    git(repository, 'reset', '--quiet', '--hard', 'HEAD~1')
    await until(async () => (await newestOf(scene)).commit === before)

    const { configuration } = await runOf(scene)
    const snapshot = await scene.get(`/api/admin/config/${configuration?.digest}.xml`)

    expect(configuration).toEqual({ digest, commit, number: null })
    expect(snapshot.status).toBe(200)
  })

  it('is that of then after the pipeline has another name, and when an archive has it', async () => {
    const scene = await BuildScene.open({ pipelines: [TWO] })
    const { digest, commit } = await newestOf(scene)
    await scene.schedule()
    await finishJob(scene, 'a1')
    await scene.configure({ pipelines: [{ ...TWO, name: 'web' }] })
    const renamed = await runOf(scene)
    const file = join(scene.service.folder, 'old.bundle')
    const [newest] = Current.parse(await jsonOf(await scene.get('/api/config/revisions')))
    await scene.service.close()
    await archive(join(scene.service.folder, 'config-repo'), { file, before: newest?.time ?? 0 })

    const again = await scene.restart(['--archive', file])
    const run = await runOf(again)
    const snapshot = await again.get(`/api/admin/config/${digest}.xml`)

    expect(renamed.configuration).toEqual({ digest, commit, number: 2 })
    expect(run.configuration).toMatchObject({ digest, commit })
    expect(snapshot.status).toBe(200)
  })

  it('is unknown of a run from before it was recorded, and the page says so', async () => {
    const scene = await BuildScene.open({ pipelines: [TWO] })
    await scene.schedule()
    await scene.service.close()
    const store = await openSqliteState(join(scene.service.folder, 'state/state.sqlite'))
    await store.change(async (tx) => {
      for (const kind of [PIPELINE, STAGE] as const) {
        for (const { key, value } of await tx.list<Record<string, unknown>>(kind)) {
          const { configuration: _, ...before } = value
          await tx.put({ name: kind.name, schema: z.unknown() }, key, before)
        }
      }
    })
    await store[Symbol.asyncDispose]()
    const again = await scene.restart()

    const run = await runOf(again)
    const stage = await again.get('/api/stages/app/build/instance/1/1')
    const page = await (await again.get('/stages/app/build/1/1')).text()

    expect([run.configuration, run.stages[0]?.configuration]).toEqual([null, null])
    expect(stage.headers.get(HEADER)).toBeNull()
    expect(page).toContain('(by its start time; the run did not record it)')
  })
})
