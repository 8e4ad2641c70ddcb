import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { auditRowsIn, damageOldestAuditRow } from '../support/service/audit-rows.ts'
import { HealthBody } from '../../src/wire/health-body.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { run, start } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { statusOf, saved } from '../support/service/saved-digest.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const READY = /^cairn ready (\S+)\n$/

function damageObject({ repository }: TestService, object: string): void {
  const file = join(repository, '.git/objects', object.slice(0, 2), object.slice(2))
  rmSync(file)
  writeFileSync(file, 'damaged')
}

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

  it('to the index is repaired from git', async () => {
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

  it("to git's own index keeps nobody from saving, and the doctor repairs it", async () => {
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

  it(
    'to the newest document is reported by name at the start, and the doctor repairs it',
    { tags: ['long'] },
    async () => {
      const cwd = tempDir()
      const service = await startService([], cwd)
      const digest = await saved(service, 'new')
      const object = git(service.repository, 'rev-parse', 'HEAD:config.xml').trim()
      await service.close()
      damageObject(service, object)

      const refused = await run(['serve', '--port', '0'], { cwd })
      const repaired = await run(['doctor', '--repair'], { cwd })
      const again = await startService([], cwd)

      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain(`its object ${object} cannot be read`)
      expect(repaired.code).toBe(0)
      expect(await statusOf(again, `/api/admin/config/${digest}.xml`)).toBe(200)
      expect(git(service.repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    },
  )

  it('to the branch is reported, and what is known is served until it is repaired', async () => {
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

  it(
    'to the state store is reported in one line, and the service does not start over it',
    { tags: ['long'] },
    async () => {
      const cwd = tempDir()
      const first = start(['serve', '--port', '0', '--admin-password', 'a password'], { cwd })
      await first.line(READY)
      first.process.kill('SIGTERM')
      await first.ended()
      writeFileSync(join(cwd, 'state/state.sqlite'), 'damaged '.repeat(1_000))

      const { code, stderr } = await run(['serve', '--port', '0'], { cwd })

      expect(code).toBe(1)
      expect(stderr).toMatch(/^cairn: .*database/m)
      expect(readFileSync(join(cwd, 'state/state.sqlite'), 'utf8')).toMatch(/^damaged/)
    },
  )

  it('to an entry of the audit log shows as that, among the others', async () => {
    const service = await startService()
    await saved(service, 'one')
    await saved(service, 'two')
    await service.close()
    const state = join(service.folder, 'state')
    const count = auditRowsIn(state).length
    damageOldestAuditRow(state)

    const again = await startService([], service.folder)
    const { entries } = AuditBody.parse(await (await again.fetch('/api/audit')).json())

    expect(entries.at(-1)).toMatchObject({ id: 1, action: 'damaged-entry' })
    expect(entries.length).toBe(count)
  })
})
