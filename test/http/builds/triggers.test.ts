import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { element, git } from '../../support/documents/a-configuration.ts'
import { BuildScene, jsonOf, makeOrigin } from '../../support/builds/build-service.ts'
import { gitLine } from '../../support/git/git.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { startService } from '../../support/service/service.ts'
import { FAST, open, commit, latest, pollsPass } from '../../support/builds/trigger-scene.ts'

const MANUAL = element('approval', { type: 'manual' })

const Health = z.object({
  status: z.string(),
  problems: z.array(
    z.object({ subject: z.string(), errors: z.array(z.object({ message: z.string() })) }),
  ),
})

/** Lets git wait before it sends anything of a repository in a folder of this name, as long as the file is there that is returned. */
function holdFetches(home: string, name: string): string {
  const hold = join(home, 'hold')
  const wait = `case $(pwd) in */${name}*) while [ -e ${hold} ]; do touch ${hold}.begun; sleep 0.05; done;; esac`
  writeFileSync(join(home, 'sender'), `#!/bin/sh\n${wait}\nexec "$@"\n`, { mode: 0o755 })
  const settings = `[uploadpack]\n  packObjectsHook = ${join(home, 'sender')}\n`
  writeFileSync(join(home, '.gitconfig'), settings)
  return hold
}

describe('a pipeline', () => {
  it('starts on the first poll of its material, by changes, and not again without one', async () => {
    const { scene, agent } = await open({})

    await expect.poll(() => latest(scene)).toBe('1 by changes')
    await agent.finish(await agent.work())
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')
  })

  it('starts with the revision of every new change', async () => {
    const { scene, agent } = await open({})
    await agent.finish(await agent.work())

    const revision = commit(scene)

    const job = await agent.work()
    expect(job.materials).toMatchObject([{ type: 'git', revision }])
    expect(await latest(scene)).toBe('2 by changes')
  })

  it.each([
    ['to filter its changes', [element('filter', {}, [element('ignore', { pattern: 'docs/**' })])]],
    ['to list its changes', []],
  ])('does not wait for a repository that others read %s', { tags: ['long'] }, async (_, parts) => {
    const { scene } = await open({ pipelines: [] })
    const { folder } = scene.service
    const slow = makeOrigin(join(folder, 'slow'))
    const hold = holdFetches(folder, 'slow')
    onTestFinished(() => rmSync(hold, { force: true }))
    const many = Array.from({ length: 10 }, (_each, n) => ({
      name: `slow-${n}`,
      materials: [element('git', { url: slow, branch: 'main' }, parts)],
    }))
    await scene.configure({ pipelines: many })
    for (const { name } of many) await expect.poll(() => latest(scene, name)).toBe('1 by changes')
    for (const { name } of many) await scene.post(`/api/stages/${name}/build/cancel`)
    writeFileSync(hold, '')
    gitLine(slow, 'commit', '-q', '--allow-empty', '-m', 'more')
    await expect.poll(() => existsSync(`${hold}.begun`)).toBe(true)

    await scene.configure({ pipelines: [...many, { name: 'quick' }] })

    await expect.poll(() => latest(scene, 'quick')).toBe('1 by changes')
    for (const { name } of many) expect(await latest(scene, name)).toBe('1 by changes')
    rmSync(hold)
  })

  it(
    'waits while its first stage is in progress, and then takes all changes at once',
    { tags: ['long'] },
    async () => {
      const { scene, agent } = await open({})
      const first = await agent.work()
      commit(scene)
      await pollsPass(scene)
      const revision = commit(scene)
      await pollsPass(scene)
      expect(await latest(scene)).toBe('1 by changes')

      await agent.finish(first)

      expect(await agent.work()).toMatchObject({ materials: [{ revision }] })
      expect(await latest(scene)).toBe('2 by changes')
    },
  )

  it('does not start by itself when its first stage is manual, but by hand', async () => {
    const { scene } = await open({
      pipelines: [
        { name: 'app', stages: [{ name: 'build', approval: MANUAL }] },
        { name: 'other' },
      ],
    })
    await expect.poll(() => latest(scene, 'other')).toBe('1 by changes')
    expect(await latest(scene)).toBe(null)

    await scene.schedule()

    expect(await latest(scene)).toBe('1 by admin')
  })

  it('is started by hand with what is newest at that moment, and only once', async () => {
    const { scene, agent } = await open({})
    await agent.finish(await agent.work())
    const revision = commit(scene)

    await scene.schedule()

    const job = await agent.work()
    expect(job).toMatchObject({ materials: [{ revision }] })
    await agent.finish(job)
    await pollsPass(scene)
    expect(await latest(scene)).toMatch(/^[23] by /)
    const history = await scene.history()
    const seen = history.stages.filter(({ approved_by }) => approved_by === 'admin')
    expect(seen).toHaveLength(1)
  })

  it(
    'is not started by changes of files that it ignores, until another file changes',
    { tags: ['long'] },
    async () => {
      const filter = element('filter', {}, [element('ignore', { pattern: 'doc-*' })])
      const scene = await BuildScene.open({ pipelines: [] }, FAST)
      await scene.configure({
        pipelines: [
          {
            name: 'app',
            materials: [{ ...git(scene.origin, { branch: 'main' }), children: [filter] }],
          },
        ],
      })
      const agent = await ProtocolAgent.join(scene.service, 'a1')
      await agent.finish(await agent.work())

      commit(scene, 'doc-1')
      commit(scene, 'doc-2')
      await pollsPass(scene)
      expect(await latest(scene)).toBe('1 by changes')

      const revision = commit(scene, 'code')
      expect(await agent.work()).toMatchObject({ materials: [{ revision }] })
    },
  )

  it(
    'is not started by what another one looked for by hand in a repository that is not polled',
    { tags: ['long'] },
    async () => {
      const scene = await BuildScene.open({ pipelines: [] }, FAST)
      const materials = [git(scene.origin, { branch: 'main', autoUpdate: false })]
      const names = ['app', 'other', 'last']
      await scene.configure({ pipelines: names.map((name) => ({ name, materials })) })
      const agent = await ProtocolAgent.join(scene.service, 'a1')
      const build = async (pipeline: string) => {
        await scene.schedule(pipeline)
        const job = await agent.work()
        await agent.finish(job)
        return { pipeline: job.pipelineName, revision: job.materials[0]?.revision }
      }
      const first = gitLine(scene.origin, 'rev-parse', 'HEAD')

      expect(await build('app')).toEqual({ pipeline: 'app', revision: first })
      expect(await build('other')).toEqual({ pipeline: 'other', revision: first })
      const second = commit(scene)
      expect(await build('app')).toEqual({ pipeline: 'app', revision: second })
      expect(await build('last')).toEqual({ pipeline: 'last', revision: second })

      expect(await latest(scene)).toBe('2 by admin')
      expect(await latest(scene, 'other')).toBe('1 by admin')
    },
  )

  it('that is locked starts when it is unlocked', async () => {
    const { scene, agent } = await open({
      pipelines: [
        {
          name: 'app',
          attributes: { isLocked: true },
          stages: [{ name: 'build' }, { name: 'ship', approval: MANUAL }],
        },
      ],
    })
    await agent.finish(await agent.work())
    const revision = commit(scene)
    await pollsPass(scene)
    expect(await latest(scene)).toBe('1 by changes')

    const shipping = await scene.post('/api/stages/app/ship/run/1')
    expect(shipping.status).toBe(202)
    await agent.finish(await agent.work())

    expect(await agent.work()).toMatchObject({ stageName: 'build', materials: [{ revision }] })
  })

  it('takes up after a restart what was changed meanwhile, once', { tags: ['long'] }, async () => {
    const { scene, agent } = await open({})
    await agent.finish(await agent.work())
    await scene.service.close()
    commit(scene)
    const users = ['--users-file', join(scene.service.folder, 'users')]

    const service = await startService([...FAST, ...users], scene.service.folder)
    const history = async () => {
      const body = await jsonOf(await service.fetch('/api/stages/app/build/history'))
      return z.object({ stages: z.array(z.object({ pipeline_counter: z.int() })) }).parse(body)
    }

    await expect.poll(async () => (await history()).stages.length).toBe(2)
    expect((await history()).stages.map((stage) => stage.pipeline_counter)).toEqual([2, 1])
    await pollsPass(scene)
    expect((await history()).stages).toHaveLength(2)
  })
})

describe('a material that cannot be read', () => {
  it('shows in the health of the service with its pipelines, and stops nobody else', async () => {
    const { scene } = await open({
      pipelines: [{ name: 'bad', materials: [git('git://127.0.0.1:1/nothing')] }, { name: 'app' }],
    })
    const health = async () => Health.parse(await jsonOf(await scene.get('/health')))

    await expect.poll(() => latest(scene)).toBe('1 by changes')
    await expect
      .poll(async () => (await health()).problems)
      .toEqual([
        {
          subject: 'The git material of the pipeline bad cannot be read',
          errors: [{ message: expect.stringContaining('git: ') }],
        },
      ])
    rmSync(scene.origin, { recursive: true })
    await expect.poll(async () => (await health()).problems.length).toBe(2)
    expect((await health()).status).toBe('degraded')
    expect(JSON.stringify(await health())).not.toContain('/nothing')
  })
})
