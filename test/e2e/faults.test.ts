import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { HealthBody, ReadinessBody } from '../../src/wire/health-body.ts'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { ADMIN_PASSWORD, callerOf, startService } from '../support/service/service.ts'
import { mayMount, SmallDisk } from '../support/disk/small-disk.ts'
import { start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { DIGEST, statusOf, saved } from '../support/service/saved-digest.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const READY = /^cairn ready (\S+)\n$/

describe('a read-only disk', () => {
  it.skipIf(!mayMount())('keeps nobody from reading, and saves go on when it is over', async () => {
    using disk = new SmallDisk(32)
    const repository = join(disk.path, 'config-repo')
    const [places, folder] = [['--config-repo', repository], tempDir()]
    const first = await startService(places, folder)
    await first.close()
    // A file that is open for writing, such as the lock, keeps a disk from becoming read-only.
    const own = join(repository, '.git/cairn')
    expect(spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', own]).status).toBe(0)
    onTestFinished(() => void spawnSync('umount', ['--lazy', own]))
    const service = await startService(places, folder)
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

    await expect.poll(async () => (await service.fetch('/api/admin/config.xml')).text()).toBe(edit)
    await expect.poll(async () => (await health()).status).toBe('ok')
    expect(git(repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    await service.close()
  })
})

describe('a full disk under everything', () => {
  it.skipIf(!mayMount())('shows in the health, and a start on it serves reads', async () => {
    using disk = new SmallDisk(16)
    const places = [
      '--config-repo',
      join(disk.path, 'repo'),
      '--state-dir',
      join(disk.path, 'state'),
    ]
    const folder = tempDir()
    const service = await startService(places, folder)
    const digest = await saved(service, 'before')
    const read = async (from: typeof service) => {
      const health = HealthBody.parse(await (await from.fetch('/health')).json())
      const ready = await from.fetch('/health/ready')
      const { reasons } = ReadinessBody.parse(await ready.json())
      return {
        told: health.problems.map(({ subject }) => subject).join(),
        ready: ready.status,
        reasons,
      }
    }
    const calm = await read(service)

    disk.fill(0)
    const full = await read(service)
    await service.close()
    disk.empty()
    disk.fill(0)
    const again = await startService(places, folder)
    const started = await read(again)
    const statuses = [
      await statusOf(again, `/api/admin/config/${digest}.xml`),
      await statusOf(again, '/api/config/revisions'),
      await statusOf(again, '/api/agents'),
    ]
    disk.empty()

    expect(calm).toMatchObject({ ready: 200, reasons: [] })
    for (const seen of [full, started]) {
      expect(seen.told).toMatch(
        /The disk of the configuration is full.*The disk of the state is full/,
      )
      expect(seen).toMatchObject({ ready: 200, reasons: [/configuration/, /state/].map(matching) })
    }
    expect(statuses).toEqual([200, 200, 200])
    await saved(again, 'after')
    expect(await read(again)).toMatchObject({ reasons: [] })
    await again.close()
  })
})

function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern)
}

describe('a service without free file descriptors', () => {
  it(
    'answers again once it has some, and has lost nothing',
    { timeout: 60_000, tags: ['long', 'util-linux'] },
    async () => {
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
      await expect.poll(async () => (await save(service, documentWith('after'))).status).toBe(200)

      for (const digest of digests) {
        expect(await statusOf(service, `/api/admin/config/${digest}.xml`)).toBe(200)
      }
      expect(git(join(cwd, 'config-repo'), 'fsck', '--strict', '--no-dangling')).toBe('')
    },
  )
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
