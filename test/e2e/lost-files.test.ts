// @module-tag long
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placesIn } from '../support/service/backups.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService } from '../support/service/service.ts'
import { run } from '../support/programs/start.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

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

describe('what is missing where a service has run', () => {
  it.each([
    ['state.sqlite', ['state/state.sqlite', 'state/state.sqlite-wal', 'state/state.sqlite-shm']],
    ['users.htpasswd', ['state/users.htpasswd']],
    ['config-repo has no history', ['config-repo']],
  ])('keeps the service from beginning anew without %s', async (named, lost) => {
    const folder = await aStoppedService()
    const before = git(join(folder, 'config-repo'), 'rev-parse', 'HEAD')
    for (const name of lost) {
      if (existsSync(join(folder, name)))
        renameSync(join(folder, name), join(folder, name + '.away'))
    }

    const refused = await serve(folder)
    const isMade = lost.some((name) => existsSync(join(folder, name)))
    for (const name of lost) {
      if (existsSync(join(folder, name + '.away')))
        renameSync(join(folder, name + '.away'), join(folder, name))
    }
    const again = await startService([], folder)

    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(new RegExp(`^cairn: .*${named}.*--begin-anew$`, 'm'))
    expect(isMade).toBe(false)
    expect((await again.fetch('/api/admin/config.xml')).status).toBe(200)
    expect(git(again.repository, 'rev-parse', 'HEAD')).toBe(before)
  })

  it.each(['state.sqlite', 'users.htpasswd'])('is missed by a link to %s, too', async (name) => {
    const folder = await aStoppedService()
    const [file, away] = [join(folder, 'state', name), join(folder, 'mount', name)]
    rmSync(file)
    symlinkSync(away, file)

    const refused = await serve(folder)

    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(new RegExp(`^cairn: .*${name} is missing.*--begin-anew$`, 'm'))
    expect(existsSync(join(folder, 'mount'))).toBe(false)
  })

  it('is nothing that stands in the way of a first start', async () => {
    const folder = tempDir()
    const places = placesIn(folder)
    const [, state = ''] = places.slice(places.indexOf('--state-dir'))
    mkdirSync(state)
    const added = await run(['user', 'add', 'ana', '--state-dir', state], { input: 'a-password\n' })

    const service = await startService([], folder)

    expect(added.code).toBe(0)
    expect(readFileSync(join(state, 'users.htpasswd'), 'utf8')).toMatch(/^ana:/m)
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
  })

  it('is made anew when the operator says so', async () => {
    const folder = await aStoppedService()
    rmSync(join(folder, 'state', 'users.htpasswd'))

    const service = await startService(['--begin-anew'], folder)

    expect((await fetch(`${service.url}/health`)).status).toBe(200)
    expect(readFileSync(join(folder, 'state', 'users.htpasswd'), 'utf8')).toMatch(/^admin:/m)
  })
})

describe('a file of the state that holds something else', () => {
  it.each([
    ['secret.keys', ''],
    ['secret.keys', 'garbage\n'],
    ['secret.keys', `${'A'.repeat(22)}==\n`],
    ['users.htpasswd', 'garbage\n\u0000\u0001:\n'],
    ['state.sqlite', ''],
    ['state.sqlite', 'garbage'.repeat(1_000)],
    ['webhooks.json', 'garbage'],
  ])('keeps the service from starting: %s', { tags: ['long'] }, async (name, content) => {
    const folder = await aStoppedService()
    const file = join(folder, 'state', name)
    writeFileSync(file, content)

    const { code, stderr } = await serve(folder)
    const complaints = stderr.split('\n').filter((line) => line.startsWith('cairn: '))

    expect(code).toBe(1)
    expect(complaints.join()).toContain(name)
    expect(complaints).toHaveLength(1)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(readFileSync(file, 'utf8')).toBe(content)
  })
})
