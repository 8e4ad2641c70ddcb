import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { Clone, repositoryUrl, runGit } from '../../support/git/git-client.ts'
import { git } from '../../support/git/git.ts'
import { save } from '../../support/service/saving.ts'
import { callerOf, startService, type TestService } from '../../support/service/service.ts'
import { shared } from '../../support/programs/at-end.ts'
import { run, start } from '../../support/programs/start.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const NAMES = ['alpha', 'beta', 'gamma']
const ADMIN_ONLY = `<server artifactsdir="artifacts">
    <security>
      <passwordFile path="/users" />
      <admins><user>admin</user></admins>
    </security>
  </server>
  `

async function serviceWithHistory(): Promise<TestService> {
  const service = await startService()
  for (const [n] of NAMES.entries()) await save(service, documentWith(...NAMES.slice(0, n + 1)))
  return service
}

async function objectsIn(clone: Clone): Promise<number> {
  const objects = await clone.git('cat-file', '--batch-all-objects', '--batch-check')
  return objects.trim().split('\n').length
}

describe('a clone over HTTP', () => {
  const served = shared(serviceWithHistory)

  it('has every commit and the current configuration', async () => {
    const service = served()

    const clone = await Clone.of(service.url)

    const log = ['log', '--format=%H %an %s']
    expect(await clone.git(...log)).toBe(git(service.repository, ...log))
    expect(await clone.git('show', 'HEAD:config.xml')).toBe(documentWith(...NAMES))
    expect(await clone.git('fsck', '--strict')).toBe('')
  })

  it('is brought up to date by a fetch that takes only what is new', async () => {
    const service = await serviceWithHistory()
    const clone = await Clone.of(service.url)
    const before = await objectsIn(clone)
    await save(service, documentWith('new'))

    await clone.git('pull', '--quiet', '--ff-only')

    expect(await clone.git('show', 'HEAD:config.xml')).toBe(documentWith('new'))
    expect(await objectsIn(clone)).toBe(before + 3)
  })

  it('is refused with the reason where git cannot be started', async () => {
    const programs = tempDir()
    const found = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    symlinkSync(found, join(programs, 'git'))
    vi.stubEnv('PATH', programs)
    const service = await startService()
    vi.unstubAllEnvs()
    rmSync(join(programs, 'git'))

    const type = { 'content-type': 'application/x-git-upload-pack-request' }
    const answers = [
      await service.fetch('/git/config.git/info/refs?service=git-upload-pack'),
      await service.fetch('/git/config.git/git-upload-pack', {
        method: 'POST',
        headers: type,
        body: '0000',
      }),
    ]

    const message = 'git cannot be started: a file or folder is missing'
    expect(answers.map(({ status }) => status)).toEqual([503, 503])
    for (const answer of answers) expect(await answer.json()).toEqual({ message })
  })

  it('speaks the second version of the protocol', async () => {
    const service = served()

    const { stderr } = await runGit(tempDir(), ['ls-remote', repositoryUrl(service.url)], {
      GIT_TRACE_PACKET: '1',
    })

    expect(stderr).toContain('git< version 2')
    expect(stderr).not.toContain('# service=')
  })

  it.each(['0', '1'])('works for a client of version %s', async (version) => {
    const service = served()
    const url = repositoryUrl(service.url)

    const { stdout } = await runGit(tempDir(), [
      '-c',
      `protocol.version=${version}`,
      'ls-remote',
      url,
    ])

    expect(stdout).toContain(git(service.repository, 'rev-parse', 'HEAD').trim())
  })

  it('may be shallow, and be deepened', async () => {
    const service = served()

    const clone = await Clone.of(service.url, '--depth', '1')
    const shallow = await clone.git('rev-list', '--count', 'HEAD')
    await clone.git('fetch', '--quiet', '--unshallow')

    expect(shallow).toBe('1\n')
    expect(await clone.git('rev-list', '--count', 'HEAD')).toBe('4\n')
  })

  it.each([0, 1, 2])(
    'may be partial, and fetches documents when they are looked at (v%i)',
    async (version) => {
      const service = served()

      const protocol = `--config=protocol.version=${version}`
      const clone = await Clone.of(service.url, '--filter=blob:none', protocol)
      const missing = await clone.git('rev-list', '--objects', '--missing=print', 'HEAD')

      expect(missing).toMatch(/^\?/m)
      expect(await clone.git('show', 'HEAD~1:config.xml')).toBe(documentWith('alpha', 'beta'))
    },
  )

  it('takes compressed requests', async () => {
    const service = served()
    const post = (encoding: string) =>
      service.fetch('/git/config.git/git-upload-pack', {
        method: 'POST',
        headers: {
          'content-type': 'application/x-git-upload-pack-request',
          'content-encoding': encoding,
          'git-protocol': 'version=2',
        },
        body: gzipSync('0014command=ls-refs\n0000'),
      })

    const response = await post('gzip')

    expect(response.status).toBe(200)
    expect(await response.text()).toContain('refs/heads/main')
    expect((await post('zstd')).status).toBe(415)
  })

  it('needs the credentials of an administrator', async () => {
    const service = await startService()
    const clone = (as?: string) => runGit(tempDir(), ['ls-remote', repositoryUrl(service.url, as)])
    const secured = documentWith('a').replace('<pipelines', `${ADMIN_ONLY}<pipelines`)
    await save(service, secured)
    const state = ['--state-dir', `${service.folder}/state`]
    await run(['user', 'add', 'bob', ...state], { input: 'bobs password\n' })

    const asked = await runGit(tempDir(), ['ls-remote', `${service.url}/git/config.git`])

    expect(asked.stderr).toContain('could not read Username')
    expect((await clone('admin:wrong')).stderr).toContain('Authentication failed')
    await expect.poll(async () => (await clone('bob:bobs password')).stderr).toContain('403')
    expect((await clone()).code).toBe(0)
  })

  it('gives nothing but what git needs', async () => {
    const service = served()
    const statusOf = async (path: string) => (await service.fetch(`/git/config.git/${path}`)).status

    expect(await statusOf('config')).toBe(404)
    expect(await statusOf('objects/../config')).toBe(404)
    expect(await statusOf('objects/pack/pack-1.pack')).toBe(404)
    expect(await statusOf('cairn/lock')).toBe(404)
    expect(await statusOf('info/refs?service=git-shell')).toBe(400)
    expect(await statusOf('HEAD')).toBe(200)
  })
})

describe('a client of the dumb protocol', () => {
  it('clones what is loose and what is packed', async () => {
    const service = await serviceWithHistory()
    git(service.repository, 'repack', '-adq')
    await save(service, documentWith('loose'))
    const folder = tempDir()

    const { code } = await runGit(folder, ['clone', '-q', repositoryUrl(service.url), '.'], {
      GIT_SMART_HTTP: '0',
    })

    expect(code).toBe(0)
    expect(git(folder, 'rev-list', '--count', 'HEAD')).toBe('5\n')
    expect(git(folder, 'fsck', '--strict')).toBe('')
  })

  it(
    'is every client where the service finds no git program; pushes are refused',
    { tags: ['long'] },
    async () => {
      const env = { PATH: tempDir(), CAIRN_ADMIN_PASSWORD: 'a password' }
      const program = start(['serve', '--port', '0'], { cwd: tempDir(), env })
      const url = await program.line(/^cairn ready (\S+)\n$/)
      const folder = tempDir()

      const cloned = await runGit(folder, [
        'clone',
        '-q',
        repositoryUrl(url, 'admin:a password'),
        '.',
      ])
      const pushed = await callerOf(url)('/git/config.git/info/refs?service=git-receive-pack', {
        as: 'admin:a password',
      })

      expect(cloned.code).toBe(0)
      expect(git(folder, 'log', '--format=%an')).toBe('Upgrade\n')
      expect(pushed.status).toBe(503)
    },
  )
})
