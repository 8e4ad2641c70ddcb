import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { AuditBody } from '../../src/wire/audit-body.ts'
import { HealthBody } from '../../src/wire/health-body.ts'
import { RevisionEntry } from '../../src/wire/revision-entry.ts'
import { documentWith } from '../support/documents.ts'
import { git } from '../support/git.ts'
import { save } from '../support/saving.ts'
import { ADMIN_PASSWORD, callerOf, startService, type TestService } from '../support/service.ts'
import { mayMount, SmallDisk } from '../support/small-disk.ts'
import { run, start } from '../support/start.ts'
import { tempDir } from '../support/temp-folder.ts'

const READY = /^cairn ready (\S+)\n$/
const DIGEST = 'x-service-config-md5'

type Called = Pick<TestService, 'fetch'>

async function statusOf(service: Called, path: string): Promise<number> {
  return (await service.fetch(path)).status
}

async function saved(service: Called, name: string): Promise<string> {
  const response = await save(service, documentWith(name))
  expect([name, response.status]).toEqual([name, 200])
  return response.headers.get(DIGEST) ?? ''
}

function damageObject({ repository }: TestService, object: string): void {
  const file = join(repository, '.git/objects', object.slice(0, 2), object.slice(2))
  rmSync(file)
  writeFileSync(file, 'damaged')
}

describe('a read-only disk', () => {
  it.skipIf(!mayMount())('keeps nobody from reading, and saves go on when it is over', async () => {
    using disk = new SmallDisk(32)
    const repository = join(disk.path, 'config-repo')
    const service = await startService(['--config-repo', repository])
    const digest = await saved(service, 'before')
    const remount = (how: string) =>
      spawnSync('mount', ['-o', `remount,${how}`, disk.path], { encoding: 'utf8' })
    onTestFinished(() => void remount('rw'))
    await expect.poll(() => remount('ro').status).toBe(0)

    const refused = await save(service, documentWith('during'))
    const statuses = [
      await statusOf(service, `/api/admin/config/${digest}.xml`),
      await statusOf(service, '/api/config/revisions'),
      await statusOf(service, '/health/ready'),
    ]
    remount('rw')

    expect(refused.status).toBe(503)
    expect(statuses).toEqual([200, 200, 200])
    await saved(service, 'after')
    expect(git(repository, 'fsck', '--strict')).toBe('')
    await service.close()
  })
})

describe('a full disk under the configuration', () => {
  it.skipIf(!mayMount())(
    'refuses saves and keeps nobody from reading, until it has room',
    async () => {
      using disk = new SmallDisk(16)
      const repository = join(disk.path, 'config-repo')
      const service = await startService(['--config-repo', repository, '--poll-interval', '200ms'])
      const digest = await saved(service, 'before')
      const head = git(repository, 'rev-parse', 'HEAD')
      disk.fill(0)

      const refused = await save(service, documentWith('during'))
      const commits = git(repository, 'rev-parse', 'HEAD')
      const statuses = [
        await statusOf(service, `/api/admin/config/${digest}.xml`),
        await statusOf(service, '/api/admin/config.xml'),
        await statusOf(service, '/api/config/revisions'),
        await statusOf(service, '/health/ready'),
      ]
      const live = readFileSync(join(repository, 'config.xml'), 'utf8')
      disk.empty()

      expect(refused.status).toBe(503)
      expect(await refused.json()).toEqual({ message: 'The disk of the server is full' })
      expect(commits).toBe(head)
      expect(live).toBe(documentWith('before'))
      expect(statuses).toEqual([200, 200, 200, 200])
      await saved(service, 'after')
      expect(git(repository, 'fsck', '--strict', '--no-dangling')).toBe('')
      expect(git(repository, 'status', '--porcelain')).toBe('')
      await service.close()
    },
  )

  it.skipIf(!mayMount())('loses no edit of the live file that finds no room', async () => {
    using disk = new SmallDisk(16)
    const repository = join(disk.path, 'config-repo')
    const service = await startService(['--config-repo', repository, '--poll-interval', '200ms'])
    await saved(service, 'before')
    const edit = documentWith('edited')
    writeFileSync(join(repository, 'config.xml'), edit)
    disk.fill(0)
    const health = async () => HealthBody.parse(await (await service.fetch('/health')).json())
    await expect.poll(async () => (await health()).status).toBe('degraded')
    disk.empty()

    await expect
      .poll(async () => (await service.fetch('/api/admin/config.xml')).text(), { timeout: 10_000 })
      .toBe(edit)
    await expect.poll(async () => (await health()).status).toBe('ok')
    expect(git(repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    await service.close()
  })
})

describe('a service without free file descriptors', () => {
  it('answers again once it has some, and has lost nothing', { timeout: 60_000 }, async () => {
    const cwd = tempDir()
    const program = start(['serve', '--port', '0', '--admin-password', ADMIN_PASSWORD], { cwd })
    const service = { fetch: callerOf(await program.line(READY)) }
    const digests = [await saved(service, 'before')]
    const { pid = 0 } = program.process
    const used = readdirSync(`/proc/${pid}/fd`).length
    const limit = (files: number) =>
      spawnSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`]).status

    expect(limit(used + 2)).toBe(0)
    const attempts = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => save(service, documentWith(`during-${n}`))),
    )
    limit(1_024)
    for (const attempt of attempts) {
      if (attempt.status === 'rejected' || attempt.value.status !== 200) continue
      digests.push(attempt.value.headers.get(DIGEST) ?? '')
    }
    await expect
      .poll(async () => (await save(service, documentWith('after'))).status, { timeout: 20_000 })
      .toBe(200)

    for (const digest of digests) {
      expect(await statusOf(service, `/api/admin/config/${digest}.xml`)).toBe(200)
    }
    expect(git(join(cwd, 'config-repo'), 'fsck', '--strict', '--no-dangling')).toBe('')
  })
})

describe('a clock that steps back', () => {
  it('leaves the order of revisions and of the audit log as things happened', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    onTestFinished(() => void vi.useRealTimers())
    const folder = tempDir()
    const service = await startService([], folder)
    const first = await saved(service, 'first')
    vi.setSystemTime(Date.now() - 86_400_000)
    const second = await saved(service, 'second')
    await service.close()

    const again = await startService([], folder)
    const third = await saved(again, 'third')
    const revisions = z
      .array(RevisionEntry)
      .parse(await (await again.fetch('/api/config/revisions')).json())
    const audit = AuditBody.parse(
      await (await again.fetch('/api/audit?action=save-configuration')).json(),
    )

    expect(revisions.slice(0, 3).map(({ md5 }) => md5)).toEqual([third, second, first])
    expect(audit.entries.map(({ md5 }) => md5)).toEqual([third, second, first])
  })
})

describe('damage', () => {
  it('to the object of an old revision costs that revision and nothing else', async () => {
    const service = await startService()
    const old = await saved(service, 'old')
    const object = git(service.repository, 'rev-parse', 'HEAD:config.xml').trim()
    await saved(service, 'new')
    damageObject(service, object)
    await service.close()

    const again = await startService([], service.folder)

    expect(await statusOf(again, `/api/admin/config/${old}.xml`)).toBe(503)
    expect(await statusOf(again, '/api/admin/config.xml')).toBe(200)
    expect(await statusOf(again, '/health/ready')).toBe(200)
    await saved(again, 'newer')
  })

  it('to the index is mended from git', async () => {
    const service = await startService()
    const digest = await saved(service, 'one')
    await service.close()
    const own = join(service.repository, '.git/cairn')
    for (const name of readdirSync(own)) {
      if (name.startsWith('revisions')) writeFileSync(join(own, name), 'damaged')
    }

    const again = await startService([], service.folder)

    expect(await statusOf(again, `/api/admin/config/${digest}.xml`)).toBe(200)
  })

  it("to git's own index keeps nobody from saving, and the doctor mends it", async () => {
    const service = await startService()
    await saved(service, 'one')
    writeFileSync(join(service.repository, '.git/index'), 'damaged')

    const digest = await saved(service, 'two')
    const status = await statusOf(service, `/api/admin/config/${digest}.xml`)
    await service.close()
    const { code } = await run(['doctor', '--repair'], { cwd: service.folder })

    expect([status, code]).toEqual([200, 0])
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
  })

  it('to the newest document is told by name at the start, and the doctor mends it', async () => {
    const cwd = tempDir()
    const service = await startService([], cwd)
    const digest = await saved(service, 'new')
    const object = git(service.repository, 'rev-parse', 'HEAD:config.xml').trim()
    await service.close()
    damageObject(service, object)

    const refused = await run(['serve', '--port', '0'], { cwd })
    const mended = await run(['doctor', '--repair'], { cwd })
    const again = await startService([], cwd)

    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`its object ${object} cannot be read`)
    expect(mended.code).toBe(0)
    expect(await statusOf(again, `/api/admin/config/${digest}.xml`)).toBe(200)
    expect(git(service.repository, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('to the branch is told, and what is known is served until it is mended', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    const digest = await saved(service, 'one')
    const name = git(service.repository, 'symbolic-ref', 'HEAD').trim()
    const branch = join(service.repository, '.git', name)
    const whole = git(service.repository, 'rev-parse', 'HEAD')
    writeFileSync(branch, 'damaged\n')

    const health = async () => HealthBody.parse(await (await service.fetch('/health')).json())
    await expect.poll(async () => (await health()).status).toBe('degraded')
    const refused = await save(service, documentWith('two'))
    const served = await statusOf(service, `/api/admin/config/${digest}.xml`)
    writeFileSync(branch, whole)

    expect(refused.status).toBe(503)
    expect(served).toBe(200)
    await expect.poll(async () => (await health()).status).toBe('ok')
    await saved(service, 'three')
  })

  it('to the state store is told in one line, and the service does not start over it', async () => {
    const cwd = tempDir()
    const first = start(['serve', '--port', '0', '--admin-password', 'p'], { cwd })
    await first.line(READY)
    first.process.kill('SIGTERM')
    await first.ended()
    writeFileSync(join(cwd, 'state/state.sqlite'), 'damaged '.repeat(1_000))

    const { code, stderr } = await run(['serve', '--port', '0'], { cwd })

    expect(code).toBe(1)
    expect(stderr).toMatch(/^cairn: .*database/m)
    expect(readFileSync(join(cwd, 'state/state.sqlite'), 'utf8')).toMatch(/^damaged/)
  })

  it('to an entry of the audit log shows as that, among the others', async () => {
    const service = await startService()
    await saved(service, 'one')
    await saved(service, 'two')
    await service.close()
    const folder = join(service.folder, 'state/audit')
    const [name = ''] = readdirSync(folder)
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    writeFileSync(join(folder, name), ['damaged', ...lines.slice(1)].join('\n'))

    const again = await startService([], service.folder)
    const { entries } = AuditBody.parse(await (await again.fetch('/api/audit')).json())

    expect(entries.at(-1)).toMatchObject({ id: 1, action: 'damaged-entry' })
    expect(entries.length).toBe(lines.length - 1)
  })
})
