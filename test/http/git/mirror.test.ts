import { once } from 'node:events'
import { rename, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitLine } from '../../support/git/git.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

const Health = z.object({
  status: z.string(),
  mirror: z.object({
    url: z.string(),
    behind: z.number().nullable(),
    seconds: z.number(),
    error: z.string().nullable(),
  }),
  problems: z.array(z.object({ subject: z.string() })),
})

async function healthOf(service: TestService): Promise<z.infer<typeof Health>> {
  return Health.parse(await (await service.fetch('/health')).json())
}

async function untilMirrored(service: TestService): Promise<void> {
  await until(async () => (await healthOf(service)).mirror.behind === 0, 30_000)
}

async function untilRefused(service: TestService): Promise<string> {
  await until(async () => (await healthOf(service)).mirror.error !== null)
  return (await healthOf(service)).mirror.error ?? ''
}

function bareRepository(): string {
  const folder = tempDir()
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main')
  return folder
}

describe('a mirror', () => {
  it('has every revision soon after it was made, and nothing but the branch', async () => {
    const mirror = bareRepository()
    const service = await startService(['--mirror', mirror])
    git(service.repository, 'branch', 'other')
    git(service.repository, 'tag', 'one')

    await save(service, documentWith('a'))
    await save(service, documentWith('b'))

    await untilMirrored(service)
    const head = gitLine(service.repository, 'rev-parse', 'HEAD')
    expect(git(mirror, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(
      `refs/heads/main ${head}\n`,
    )
    expect(await healthOf(service)).toMatchObject({
      status: 'ok',
      mirror: { url: mirror, seconds: 0, error: null },
    })
  })

  it('that is not there holds nobody up, is reported, and catches up when it comes', async () => {
    const mirror = join(tempDir(), 'later.git')
    const service = await startService(['--mirror', mirror])

    const saved = await save(service, documentWith('a'))

    expect(saved.status).toBe(200)
    expect(await untilRefused(service)).toContain('later.git')
    expect(await healthOf(service)).toMatchObject({ status: 'degraded' })
    git(tempDir(), 'init', '--quiet', '--bare', mirror)
    await untilMirrored(service)
    expect(git(mirror, 'log', '--format=%an', 'main')).toBe('admin\nUpgrade\n')
  })

  it('that has commits of its own is reported and never forced', async () => {
    const mirror = bareRepository()
    const service = await startService(['--mirror', mirror])
    await untilMirrored(service)
    const tree = gitLine(mirror, 'rev-parse', 'main^{tree}')
    const foreign = gitLine(mirror, 'commit-tree', tree, '-p', 'main', '-m', 'Foreign')
    git(mirror, 'update-ref', 'refs/heads/main', foreign)

    await save(service, documentWith('a'))
    await save(service, documentWith('b'))

    expect(await untilRefused(service)).toContain('commits that are not in the history')
    const { mirror: state, problems } = await healthOf(service)
    expect(state.behind).toBe(2)
    expect(problems.map(({ subject }) => subject).join()).toContain(mirror)
    expect(gitLine(mirror, 'rev-parse', 'main')).toBe(foreign)
  })

  it('is brought up to date at the start', async () => {
    const mirror = bareRepository()
    const folder = tempDir()
    const before = await startService([], folder)
    await save(before, documentWith('a'))
    await before.close()

    const service = await startService(['--mirror', mirror], folder)

    await untilMirrored(service)
    expect(git(mirror, 'rev-list', '--count', 'main')).toBe('2\n')
  })

  it('goes on after a fault of the disk that nobody has foreseen', async () => {
    const mirror = join(tempDir(), 'later.git')
    const service = await startService(['--mirror', mirror])
    expect(await untilRefused(service)).toContain('later.git')
    const head = join(service.repository, '.git', 'HEAD')
    await rename(head, `${head}.kept`)
    await symlink('HEAD', head)
    await until(async () => /symbolic link/.test((await healthOf(service)).mirror.error ?? ''))
    await rename(`${head}.kept`, head)

    git(tempDir(), 'init', '--quiet', '--bare', mirror)

    await untilMirrored(service)
  })

  it('has its password shown nowhere', async () => {
    const service = await startService(['--mirror', 'http://ana:s3cret@127.0.0.1:9/x.git'])

    const error = await untilRefused(service)

    expect(error).toContain('127.0.0.1')
    expect(await (await service.fetch('/health')).text()).not.toContain('s3cret')
    expect(JSON.stringify(service.logged)).not.toContain('s3cret')
    expect((await healthOf(service)).mirror.url).toBe('http://127.0.0.1:9/x.git')
  })

  it('that never answers holds up neither saves nor the end of the service', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : 0
    const connected = once(silent, 'connection')
    const service = await startService(['--mirror', `http://127.0.0.1:${port}/x.git`])
    await connected

    const saved = await save(service, documentWith('a'))
    await service.close()

    expect(saved.status).toBe(200)
  })

  it('must be an address that git may be given', async () => {
    await expect(startService(['--mirror', 'ext::sh -c true'])).rejects.toThrow('mirror')
  })
})
