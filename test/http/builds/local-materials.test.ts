import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { element, git } from '../../support/documents/a-configuration.ts'
import { BuildScene, jsonOf, messageOf } from '../../support/builds/build-service.ts'
import { gitLine } from '../../support/git/git.ts'
import { pageOf } from '../../support/pages/page-forms.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { runTool } from '../../support/builds/source-origins.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const REFUSED = 'in no folder that --local-materials allows'

const Health = z.object({
  problems: z.array(z.object({ errors: z.array(z.object({ message: z.string() })) })),
})

/** The answer to scheduling a pipeline of this material. */
async function scheduled(scene: BuildScene, material: Parameters<typeof element>): Promise<string> {
  await scene.configure({
    pipelines: [{ name: 'app' }, { name: 'spy', materials: [element(...material)] }],
  })
  return messageOf(await scene.post('/api/pipelines/spy/schedule'))
}

/** Settings of a repository that run a program of its own as an extension. */
function extension(folder: string) {
  const program = `open(${JSON.stringify(join(folder, 'pwned'))}, 'w')\n`
  return { program, settings: (file: string) => `[extensions]\nx = ${file}\n` }
}

describe('a repository on the disk of the server', () => {
  it('is no material where it is the configuration, the state or outside of the allowed folders', async () => {
    const scene = await BuildScene.open()
    const { folder, repository } = {
      ...scene.service,
      repository: `${scene.service.folder}/config-repo`,
    }
    const outside = tempDir()
    gitLine(outside, 'init', '-q', '-b', 'main')
    symlinkSync(repository, join(folder, 'link'))
    mkdirSync(join(folder, 'pointer'))
    writeFileSync(join(folder, 'pointer', '.git'), `gitdir: ${repository}/.git\n`)
    const borrowed = join(folder, 'borrowed')
    mkdirSync(borrowed)
    gitLine(borrowed, 'init', '-q', '-b', 'main')
    writeFileSync(join(borrowed, '.git/objects/info/alternates'), `${repository}/.git/objects\n`)
    const places = [
      repository,
      `${repository}/.git`,
      `file://${repository}`,
      `file://localhost${repository}/.git/`,
      `${folder}/origin/../config-repo`,
      'config-repo',
      join(folder, 'link'),
      join(folder, 'pointer'),
      borrowed,
      join(folder, 'state', 'materials'),
      outside,
      join(outside, 'nothing'),
    ]

    for (const url of places) {
      expect(await scheduled(scene, ['git', { url, branch: 'main' }])).toContain(REFUSED)
    }
  })

  it('that is refused is a problem in the health and on its page, not of the document', async () => {
    const scene = await BuildScene.open()
    const url = join(scene.service.folder, 'config-repo')

    await scheduled(scene, ['git', { url, branch: 'main' }])

    const health = Health.parse(await jsonOf(await scene.get('/health')))
    expect(JSON.stringify(health)).toContain(REFUSED)
    expect(JSON.stringify(health)).not.toContain(url)
    expect(await pageOf(scene.service, '/pipelines/spy')).toContain(REFUSED)
    await scene.configure({
      pipelines: [{ name: 'app', materials: [git(scene.origin, { branch: 'main' })] }],
    })
    expect(Health.parse(await jsonOf(await scene.get('/health'))).problems).toEqual([])
  })
})

describe('an hg repository', { tags: 'hg' }, () => {
  it('that a job makes of its artifacts is not opened', async () => {
    const scene = await BuildScene.open()
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    const { jobId } = await agent.work()
    const { folder } = scene.service
    const job = join(folder, 'state/artifacts/app/1/build/1/unit')
    const { program, settings } = extension(folder)
    await agent.upload(jobId, '.hg/hgrc', settings(join(job, 'x.py')))
    await agent.upload(jobId, '.hg/requires', 'revlogv1\nstore\n')
    await agent.upload(jobId, '.hg/store/x', '')
    await agent.upload(jobId, 'x.py', program)
    const isKept = existsSync(join(job, '.hg/hgrc'))

    const message = await scheduled(scene, ['hg', { url: job }])

    expect(isKept).toBe(true)
    expect(message).toContain(REFUSED)
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  })

  it('that is allowed has no say in what is run', { tags: ['long'] }, async () => {
    const scene = await BuildScene.open()
    const { folder } = scene.service
    const origin = join(folder, 'hg')
    const { program, settings } = extension(folder)
    mkdirSync(origin)
    writeFileSync(join(folder, 'x.py'), program)
    runTool(origin, 'hg', 'init')
    writeFileSync(join(origin, 'a'), 'a')
    runTool(origin, 'hg', 'commit', '-q', '-A', '-m', 'change')
    writeFileSync(join(origin, '.hg/hgrc'), settings(join(folder, 'x.py')))
    await scene.configure({
      pipelines: [{ name: 'app', materials: [element('hg', { url: origin })] }],
    })

    await scene.schedule()

    expect((await scene.stage()).name).toBe('build')
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
  })
})
