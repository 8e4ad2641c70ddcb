// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run, start } from '../support/programs/start.ts'
import { commandsIn } from '../support/service/audited-commands.ts'
import { startService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

describe('cairn user', { timeout: 120_000 }, () => {
  it.each([6, 20])('keeps all of %d users that are added at once', async (count) => {
    const place = ['--users-file', join(tempDir(), 'users')]
    const names = Array.from({ length: count }, (_, n) => `user${n}`)

    const added = await Promise.all(
      names.map((name) => run(['user', 'add', name, ...place], { input: 'hunter2 and more\n' })),
    )

    const listed = await run(['user', 'list', ...place])
    expect(added.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(listed.stdout.split('\n').filter(Boolean).toSorted()).toEqual(names.toSorted())
  })

  it('disables a user, whose line says so to every reader, and enables it again', async () => {
    const file = join(tempDir(), 'users')
    const user = (...args: string[]) => run(['user', ...args, '--users-file', file])
    await run(['user', 'add', 'ana', '--users-file', file], { input: 'hunter2 and more\n' })
    const before = readFileSync(file, 'utf8')

    expect((await user('disable', 'ana')).stdout).toBe('User ana is disabled\n')

    expect(readFileSync(file, 'utf8')).toBe(before.replace('ana:', 'ana:!'))
    expect((await user('list')).stdout).toBe('ana\tdisabled\n')
    expect((await user('enable', 'ana')).stdout).toBe('User ana is enabled\n')
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect((await user('disable', 'nobody')).stderr).toContain('There is no user nobody')
  })

  it('leaves what it did in the audit log of the service that runs', async () => {
    const service = await startService()
    const user = (verb: string, name: string) =>
      run(['user', verb, name, '--state-dir', join(service.folder, 'state')], {
        input: 'hunter2 and more\n',
      })
    for (const verb of ['add', 'passwd', 'disable', 'enable', 'remove']) await user(verb, 'ana')
    expect((await user('remove', 'ana')).code).toBe(1)

    const actions = ['delete-user', 'enable-user', 'disable-user', 'reset-password', 'create-user']
    const about = { target: '/api/users/ana', address: 'command line', outcome: 'done' }
    await expect
      .poll(() => commandsIn(service))
      .toMatchObject(actions.map((action) => ({ action, ...about })))
  })

  it('takes the passwords that calls take; the first start takes a short one, too', async () => {
    const cwd = tempDir()
    const long = 'x'.repeat(72)
    const rule = 'A password has 8 to 72 bytes, and no line breaks'
    const user = (verb: string, input: string) => run(['user', verb, 'ana'], { cwd, input })
    const firstStart = (password: string) =>
      run(['serve', '--port', '0', '--admin-password', password], { cwd })

    for (const bad of ['seven..', `${long}y`, 'a tab\tin it']) {
      expect(await user('add', `${bad}\n`)).toMatchObject({ code: 1, stdout: '' })
    }
    for (const bad of [`${long}y`, 'a tab\tin it']) {
      const started = await firstStart(bad)
      expect(started).toMatchObject({ code: 2, stderr: `cairn: --admin-password: ${rule}\n` })
    }
    expect((await user('add', `${long}\n`)).code).toBe(0)
    const refused = await user('passwd', 'seven..\n')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(rule)])
    expect((await user('passwd', 'or eight\n')).code).toBe(0)
    for (const folder of [cwd, tempDir()]) {
      const started = start(['serve', '--port', '0', '--admin-password', 'short'], { cwd: folder })
      await started.line(/^cairn ready (\S+)\n$/)
    }
  })

  it('refuses a name that differs from another only in case', async () => {
    const place = ['--users-file', join(tempDir(), 'users')]
    await run(['user', 'add', 'ana', ...place], { input: 'hunter2 and more\n' })

    const again = await run(['user', 'add', 'Ana', ...place], { input: 'hunter2 and more\n' })

    expect(again.code).toBe(1)
    expect(again.stderr).toContain('There is a user ana already')
  })
})
