import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placesIn } from '../support/backups.ts'
import { startService } from '../support/service.ts'
import { run } from '../support/start.ts'

async function aStoppedService(): Promise<string> {
  const service = await startService()
  await service.close()
  return service.folder
}

function doctor(folder: string, ...flags: readonly string[]) {
  return run(['doctor', ...placesIn(folder), ...flags])
}

describe('cairn doctor', () => {
  it('ends with 1 for what it finds, mends it when told to, and ends with 0', async () => {
    const folder = await aStoppedService()
    writeFileSync(join(folder, 'config-repo', '.git', 'index.lock'), '')

    const seen = await doctor(folder)
    const mended = await doctor(folder, '--repair')
    const again = await doctor(folder)

    expect(seen.code).toBe(1)
    expect(seen.stdout).toMatch(/index\.lock was left .* would be mended with --repair/)
    expect(mended.code).toBe(0)
    expect(mended.stdout).toMatch(/moved aside is in .*\.git\/cairn\/doctor/)
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.stdout).toMatch(/config-repo is whole\n.*state\.sqlite is whole\n$/)
  })

  it('says that a damaged state is to be restored from a backup', async () => {
    const folder = await aStoppedService()
    truncateSync(join(folder, 'state', 'state.sqlite'), 5_000)

    const { code, stderr } = await doctor(folder, '--repair')

    expect(code).toBe(1)
    expect(stderr).toContain('restore a backup')
  })
})
