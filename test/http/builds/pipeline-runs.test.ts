import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PipelineHistoryBody, PipelineRunBody } from '../../../src/wire/pipeline-run-body.ts'
import { dependency, git } from '../../support/documents/a-configuration.ts'
import {
  BuildScene,
  GUARDED,
  jsonOf,
  SECURED,
  statusesOf,
} from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { gitLine } from '../../support/git/git.ts'
import { gitOrigin } from '../../support/builds/source-origins.ts'

const BY_HAND = ['--material-interval', '1h']

function commit(folder: string, message: string): string {
  writeFileSync(join(folder, 'file'), message)
  gitLine(folder, 'add', '.')
  gitLine(folder, 'commit', '-q', '-m', message)
  return gitLine(folder, 'rev-parse', 'HEAD')
}

async function runOf(scene: BuildScene, run: string): Promise<PipelineRunBody> {
  const [pipeline, counter] = run.split('/')
  const response = await scene.get(`/api/pipelines/${pipeline}/instance/${counter}`)
  return PipelineRunBody.parse(await jsonOf(response))
}

describe('a run of a pipeline', () => {
  it('says what has changed since the run before, and its agent where that begins', async () => {
    const scene = await BuildScene.open({ pipelines: [] }, BY_HAND)
    const other = gitOrigin(join(scene.service.folder, 'other'))
    const materials = [
      git(scene.origin, { branch: 'main', materialName: 'src', dest: 'a' }),
      git(other.url, { branch: 'trunk', dest: 'b' }),
    ]
    await scene.configure({ pipelines: [{ name: 'app', materials }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    const before = commit(scene.origin, 'before')
    await scene.schedule()
    await agent.finish(await agent.work())
    const oldest = commit(scene.origin, 'two')
    const revision = commit(scene.origin, 'three')
    await scene.schedule()

    const { materials: assigned } = await agent.work()
    const first = (await runOf(scene, 'app/1')).build_cause
    const second = (await runOf(scene, 'app/2')).build_cause

    expect(assigned).toMatchObject([
      { revision, fromRevision: oldest },
      { revision: other.material(1).revision, fromRevision: other.material(1).revision },
    ])
    expect(first.material_revisions).toMatchObject([
      {
        revision: before,
        from_revision: before,
        changed: true,
        modifications: [{ comment: 'before' }],
      },
      { changed: true, modifications: [{ comment: 'change' }] },
    ])
    expect(second).toMatchObject({ approver: 'admin', trigger_forced: true })
    expect(second.material_revisions).toEqual([
      {
        material: {
          name: 'src',
          type: 'git',
          fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        revision,
        from_revision: oldest,
        changed: true,
        pinned: false,
        modifications: [
          {
            revision,
            comment: 'three',
            user_name: expect.any(String),
            modified_time: expect.any(Number),
          },
          expect.objectContaining({ revision: oldest, comment: 'two' }),
        ],
      },
      expect.objectContaining({ changed: false, modifications: [] }),
    ])
  })

  it('names the run upstream that made it start', async () => {
    const scene = await BuildScene.open(
      { pipelines: [{ name: 'app' }, { name: 'down', materials: [dependency('app')] }] },
      BY_HAND,
    )
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await agent.finish(await agent.work())
    expect(await agent.work()).toMatchObject({ pipelineName: 'down' })

    const { build_cause, stages } = await runOf(scene, 'down/1')

    expect(build_cause).toMatchObject({
      approver: 'changes',
      trigger_forced: false,
      material_revisions: [
        {
          material: { name: 'app', type: 'pipeline' },
          revision: 'app/1/build/1',
          modifications: [{ revision: 'app/1/build/1', user_name: 'admin' }],
        },
      ],
    })
    expect(stages).toEqual([
      {
        name: 'build',
        counter: '1',
        approved_by: 'changes',
        result: 'Unknown',
        configuration: expect.objectContaining({ number: 3 }),
      },
    ])
  })

  it('shows its newest change when there are none since, for the branch was set back', async () => {
    const scene = await BuildScene.open({}, BY_HAND)
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    const kept = commit(scene.origin, 'kept')
    commit(scene.origin, 'taken back')
    await scene.schedule()
    await agent.finish(await agent.work())
    gitLine(scene.origin, 'reset', '-q', '--hard', kept)

    await scene.schedule()

    const [material] = (await runOf(scene, 'app/2')).build_cause.material_revisions
    expect(material).toMatchObject({
      revision: kept,
      from_revision: kept,
      modifications: [{ comment: 'kept' }],
    })
  })
})

describe('the history of a pipeline', () => {
  it('is paged by ten, newest first', async () => {
    const scene = await BuildScene.open({}, BY_HAND)
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    for (let run = 0; run < 12; run += 1) {
      await scene.schedule()
      await agent.finish(await agent.work())
    }

    const page = async (offset: string) =>
      PipelineHistoryBody.parse(
        await jsonOf(await scene.get(`/api/pipelines/APP/history${offset}`)),
      )

    const first = await page('')
    expect(first.pipelines.map(({ counter }) => counter)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    expect(first.pagination).toEqual({ offset: 0, total: 12, page_size: 10 })
    expect((await page('/10')).pipelines.map(({ counter }) => counter)).toEqual([2, 1])
  })

  it('is for those who may view it; a pipeline that is not there is for administrators', async () => {
    const scene = await BuildScene.open(
      { server: SECURED, groups: [{ authorization: GUARDED, pipelines: [{ name: 'app' }] }] },
      BY_HAND,
    )
    await scene.schedule()
    const paths = [
      '/api/pipelines/app/history',
      '/api/pipelines/app/instance/1',
      '/api/pipelines/app/instance/2',
      '/api/pipelines/none/history/0',
      '/api/pipelines/app/history/-1',
      '/api/pipelines/app/instance/one',
    ]

    expect(Object.values(await statusesOf(paths, (path) => scene.get(path, 'vera')))).toEqual([
      200, 200, 404, 403, 400, 400,
    ])
    expect((await scene.get('/api/pipelines/none/history/0')).status).toBe(404)
    expect(
      Object.values(await statusesOf(paths.slice(0, 2), (path) => scene.get(path, 'olga'))),
    ).toEqual([403, 403])
  })
})
