import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { git } from '../support/git/git.ts'
import { rule, TWO_ADMINISTRATORS } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const CHANGED = TWO_ADMINISTRATORS.replace('m1.git', 'x.git')
const HOUR_MS = 3_600_000

async function problemsOf(service: CalledService): Promise<readonly string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems.map(({ subject }) => subject)
}

describe('a recovery', () => {
  it('lets administrators bypass rules for an hour, and says so everywhere', async () => {
    const folder = tempDir()
    const ruled = await rule(await openService([], folder))
    expect((await save(ruled, CHANGED)).status).toBe(403)
    await ruled.close()
    let now = Date.now()
    const service = await openService(['--recovery'], folder, { clock: () => now })
    const end = new Date(now + HOUR_MS).toISOString()
    const said = `The service runs with --recovery: until ${end}, administrators can bypass rules`
    const page = async (as: string) => (await service.fetch('/pipelines', { as })).text()

    expect(await problemsOf(service)).toContain(said)
    expect(await page('viewer:p')).toContain(said)
    const audit = await service.fetch('/api/audit?action=begin-recovery')
    expect(AuditBody.parse(await audit.json()).entries).toMatchObject([{ target: `until ${end}` }])

    expect((await save(service, CHANGED, 'owner:p')).status).toBe(403)
    expect((await save(service, CHANGED)).status).toBe(200)
    const format = '--format=%(trailers:key=Recovered-by,valueonly)'
    expect(git(service.repository, 'log', '-1', format).trim()).toBe('admin two-eyes')
    await expect
      .poll(() => problemsOf(service))
      .toContainEqual(expect.stringContaining('admin bypassed the rule two-eyes in a recovery'))

    now += HOUR_MS
    expect((await save(service, TWO_ADMINISTRATORS)).status).toBe(403)
    expect(await problemsOf(service)).not.toContain(said)
    expect(await page('viewer:p')).not.toContain(said)
  })
})
