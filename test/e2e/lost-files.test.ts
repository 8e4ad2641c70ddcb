import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placesIn } from '../support/service/backups.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService } from '../support/service/service.ts'
import { run } from '../support/programs/start.ts'

/** A stopped service whose configuration has a sealed secret. */
async function aStoppedService(): Promise<string> {
  const service = await startService()
  const svn = '<svn url="https://example.org/a" username="ana" password="hunter2-in-plain" />'
  const document = documentWith('a').replace('<git url="https://example.org/a.git" />', svn)
  expect((await save(service, document)).status).toBe(200)
  await service.close()
  return service.folder
}

function serve(folder: string) {
  return run(['serve', '--port', '0', ...placesIn(folder)])
}

describe('secret keys that are missing beside sealed secrets', () => {
  it('keep the service from starting until they are back', async () => {
    const folder = await aStoppedService()
    const [keys, away] = [join(folder, 'state', 'secret.keys'), join(folder, 'away')]
    renameSync(keys, away)

    const refused = await serve(folder)
    const isMade = existsSync(keys)
    renameSync(away, keys)
    const again = await startService([], folder)

    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^cairn: .*secret\.keys is missing.*--begin-anew$/m)
    expect(isMade).toBe(false)
    expect((await again.fetch('/api/admin/config.xml')).status).toBe(200)
  })

  it('are made anew when the operator says so', async () => {
    const folder = await aStoppedService()
    const keys = join(folder, 'state', 'secret.keys')
    const before = readFileSync(keys, 'utf8')
    rmSync(keys)

    const service = await startService(['--begin-anew'], folder)

    expect((await service.fetch('/api/admin/config.xml')).status).toBe(200)
    expect(readFileSync(keys, 'utf8')).not.toBe(before)
  })

  it('are missed though the live file is gone too, and by a rotation', async () => {
    const folder = await aStoppedService()
    rmSync(join(folder, 'state', 'secret.keys'))
    rmSync(join(folder, 'config-repo', 'config.xml'))

    const served = await serve(folder)
    const rotated = await run(['secrets', 'rotate', ...placesIn(folder)])

    expect([served.code, rotated.code]).toEqual([1, 1])
    expect(rotated.stderr).toContain('secret.keys is missing')
    expect(existsSync(join(folder, 'state', 'secret.keys'))).toBe(false)
  })

  it('are nothing that a repository without sealed secrets needs', async () => {
    const service = await startService()
    await save(service, documentWith('a'))
    await service.close()
    rmSync(join(service.folder, 'state'), { recursive: true })

    const again = await startService([], service.folder)

    expect(git(again.repository, 'status', '--porcelain')).toBe('')
  })
})

describe('a state file that is missing beside artifacts', () => {
  it('keeps the service from starting until it is back, or given up', async () => {
    const folder = await aStoppedService()
    const state = join(folder, 'state')
    const artifact = join(state, 'artifacts/a/1/test/1/unit')
    mkdirSync(artifact, { recursive: true })
    writeFileSync(join(artifact, 'report.txt'), 'all passed\n')
    for (const name of ['state.sqlite', 'state.sqlite-wal', 'state.sqlite-shm'])
      rmSync(join(state, name), { force: true })

    const refused = await serve(folder)
    const isMade = existsSync(join(state, 'state.sqlite'))
    const anew = await startService(['--begin-anew'], folder)

    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^cairn: .*state\.sqlite is missing.*--begin-anew$/m)
    expect(isMade).toBe(false)
    expect((await anew.fetch('/api/agents')).status).toBe(200)
  })
})
