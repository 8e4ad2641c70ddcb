import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../support/programs/start.ts'
import { commandsIn } from '../support/service/audited-commands.ts'
import { startService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'

describe('cairn user', { timeout: 120_000 }, () => {
  it.each([6, 20])('keeps all of %d users that are added at once', async (count) => {
    const place = ['--users-file', join(tempDir(), 'users')]
    const names = Array.from({ length: count }, (_, n) => `user${n}`)

    const added = await Promise.all(
      names.map((name) => run(['user', 'add', name, ...place], { input: 'hunter2\n' })),
    )

    const listed = await run(['user', 'list', ...place])
    expect(added.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(listed.stdout.split('\n').filter(Boolean).toSorted()).toEqual(names.toSorted())
  })

  it('disables a user, whose line says so to every reader, and enables it again', async () => {
    const file = join(tempDir(), 'users')
    const user = (...args: string[]) => run(['user', ...args, '--users-file', file])
    await run(['user', 'add', 'ana', '--users-file', file], { input: 'hunter2\n' })
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
        input: 'hunter2\n',
      })
    for (const verb of ['add', 'passwd', 'disable', 'enable', 'remove']) await user(verb, 'ana')
    expect((await user('remove', 'ana')).code).toBe(1)

    const actions = ['delete-user', 'enable-user', 'disable-user', 'reset-password', 'create-user']
    const about = { target: '/api/users/ana', address: 'command line', outcome: 'done' }
    await expect
      .poll(() => commandsIn(service))
      .toMatchObject(actions.map((action) => ({ action, ...about })))
  })

  it('refuses a name that differs from another only in case', async () => {
    const place = ['--users-file', join(tempDir(), 'users')]
    await run(['user', 'add', 'ana', ...place], { input: 'hunter2\n' })

    const again = await run(['user', 'add', 'Ana', ...place], { input: 'hunter2\n' })

    expect(again.code).toBe(1)
    expect(again.stderr).toContain('There is a user ana already')
  })
})
