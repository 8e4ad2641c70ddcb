// @module-tag long
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { commitFile, identityOf } from '../support/git/git.ts'
import { documentWith } from '../support/documents/documents.ts'
import { placesIn } from '../support/service/backups.ts'
import { callerOf } from '../support/service/service.ts'
import { save } from '../support/service/saving.ts'
import type { Program } from '../support/programs/program.ts'
import { run, start } from '../support/programs/start.ts'

const ADMIN = 'correct horse'
/** The user that the service runs as. No system knows a name for the number. */
const USER = 12_345
const isRoot = process.getuid?.() === 0
const QUIET = ['--port', '0', '--admin-password', ADMIN]

/** Root that may write everywhere, and neither becomes another user nor gives files away. */
const WITHOUT_RIGHTS = [
  'setpriv',
  '--bounding-set=-chown,-setuid,-setgid',
  '--inh-caps=-chown,-setuid,-setgid',
]

/** A folder whose parts belong to the user of the service. */
function ownedFolder(): string {
  const folder = tempDir()
  for (const path of ['', 'state', 'config-repo']) {
    if (path !== '') mkdirSync(join(folder, path))
    chownSync(join(folder, path), USER, USER)
  }
  chmodSync(folder, 0o755)
  return folder
}

async function serve(folder: string, options: { user?: number } = {}) {
  const program = start(['serve', ...QUIET, ...placesIn(folder)], options)
  const url = await program.line(/^cairn ready (\S+)$/m)
  return { program, url, fetch: callerOf(url) }
}

async function stop(program: Program): Promise<void> {
  program.process.kill('SIGTERM')
  expect((await program.ended()).code).toBe(0)
}

/** Paths below a folder that do not belong to the user of the service. */
function foreignBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const { uid, gid } = lstatSync(join(folder, name))
    return uid !== USER || gid !== USER
  })
}

describe.skipIf(!isRoot)('a service in a folder of root that its group may write', () => {
  it('makes its own folders there without a word', async () => {
    const folder = tempDir()
    chownSync(folder, 0, USER)
    chmodSync(folder, 0o2775)

    const { program } = await serve(folder, { user: USER })
    await stop(program)

    expect((await program.ended()).stderr).not.toContain('belongs to')
    expect(foreignBelow(folder)).toEqual([])
  })
})

describe.skipIf(!isRoot)('what root does with the folders of a service of another user', () => {
  it('belongs to that user, beside the service', async () => {
    const folder = ownedFolder()
    const { program, fetch } = await serve(folder, { user: USER })
    const state = ['--state-dir', join(folder, 'state')]

    const added = await run(['user', 'add', 'bob', ...state], { input: 'secret-pass\n' })
    const made = await run(['token', 'create', 't', '--user', 'bob', ...state])
    const invited = await run(['agent', 'invite', ...state])
    const answer = await fetch('/api/admin/config.xml', { as: 'bob:secret-pass' })

    expect([added, made, invited].map(({ code }) => code)).toEqual([0, 0, 0])
    expect(added.stderr).toContain(`${join(folder, 'state')} belongs to uid ${USER}`)
    expect(answer.status).toBe(200)
    expect(foreignBelow(folder)).toEqual([])
    await stop(program)
  })

  it('belongs to that user, with the service stopped', async () => {
    const first = ownedFolder()
    const { program, url } = await serve(first)
    for (const name of ['a', 'b', 'c']) await save({ fetch: callerOf(url) }, documentWith(name))
    await stop(program)
    const other = tempDir()
    execFileSync('git', ['init', '--quiet', other])
    writeFileSync(join(other, 'config.xml'), documentWith('imported'))
    commitFile(other, { name: 'config.xml', message: 'one', env: identityOf('native') })
    execFileSync('chown', ['-R', `${USER}:${USER}`, other])
    const dump = join(tempDir(), 'dump')
    const places = placesIn(first)
    const state = ['--state-dir', join(first, 'state')]

    const rotated = await run(['secrets', 'rotate', ...places])
    const imported = await run(['import', other, ...places])
    const mended = await run(['doctor', '--repair', ...places])
    writeFileSync(dump, (await run(['state', 'dump', ...state])).stdout)
    const second = ownedFolder()
    const loaded = await run(['state', 'load', dump, '--state-dir', join(second, 'state')])
    const again = await serve(first, { user: USER })

    expect([rotated, imported, mended, loaded].map(({ code }) => code)).toEqual([0, 0, 0, 0])
    expect((await again.fetch('/api/admin/config.xml')).status).toBe(200)
    await stop(again.program)
    expect([...foreignBelow(first), ...foreignBelow(second)]).toEqual([])
  })

  it('is restored for the owner of the folder, from a backup that only root can read', async () => {
    const from = ownedFolder()
    const { program, fetch } = await serve(from, { user: USER })
    await save({ fetch }, documentWith('a'))
    const file = join(tempDir(), 'backup')
    const backup = await run(['backup', file, ...placesIn(from)])
    await stop(program)
    const into = tempDir()
    chownSync(into, USER, USER)
    chmodSync(into, 0o755)

    const restored = await run(['restore', file, ...placesIn(join(into, 'new'))])
    const again = await serve(join(into, 'new'), { user: USER })

    expect([backup.code, restored.code]).toEqual([0, 0])
    expect(foreignBelow(into)).toEqual([])
    expect(foreignBelow(from)).toEqual([])
    expect((await again.fetch('/api/admin/config.xml')).status).toBe(200)
    await stop(again.program)
  })

  it('keeps owner, group and mode of a file in a folder of somebody else', async () => {
    const state = join(ownedFolder(), 'state')
    const etc = tempDir()
    const users = join(etc, 'users')
    writeFileSync(users, '')
    chownSync(users, 0, USER)
    chmodSync(users, 0o640)
    const flags = ['--users-file', users, '--state-dir', state]

    const added = await run(['user', 'add', 'bob', ...flags], { input: 'secret-pass\n' })

    expect(added.code).toBe(0)
    expect(added.stderr).toContain('goes on as root')
    const { uid, gid, mode } = statSync(users)
    expect([uid, gid, mode & 0o777]).toEqual([0, USER, 0o640])
    expect(readdirSync(state, { recursive: true }).length).toBeGreaterThan(0)
    expect(readdirSync(etc)).toEqual(['users'])
  })

  it('is refused where the owner could not read it', async () => {
    const state = join(ownedFolder(), 'state')
    const { code, stderr } = await run(['user', 'add', 'bob', '--state-dir', state], {
      input: 'secret-pass\n',
      through: WITHOUT_RIGHTS,
    })

    expect(code).toBe(1)
    expect(stderr).toContain(`users.htpasswd belongs to the user with the number ${USER}`)
  })
})

describe.skipIf(!isRoot)('a users file that the service cannot read', () => {
  it('is a problem of its health, makes it not ready, and shows no path', async () => {
    const folder = ownedFolder()
    const { program, fetch } = await serve(folder, { user: USER })
    const users = join(folder, 'state', 'users.htpasswd')
    expect((await fetch('/health/ready', { as: null })).status).toBe(200)

    chownSync(users, 0, 0)

    await expect
      .poll(async () => (await fetch('/health/ready', { as: null })).json())
      .toEqual({ status: 'unavailable', reasons: ['The users cannot be read'] })
    const health: unknown = await (await fetch('/health', { as: null })).json()
    expect(health).toMatchObject({ status: 'degraded', problemCount: 1 })
    const refused = await fetch('/api/agents', { as: 'nobody:at-all' })
    expect(refused.status).toBe(503)
    expect(await refused.text()).not.toContain(folder)

    chownSync(users, USER, USER)
    await expect.poll(async () => (await fetch('/health/ready', { as: null })).status).toBe(200)
    await stop(program)
  })
})
