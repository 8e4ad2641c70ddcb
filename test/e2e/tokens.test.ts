import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandsIn } from '../support/service/audited-commands.ts'
import { command } from '../support/programs/command.ts'
import { run } from '../support/programs/start.ts'
import { startService } from '../support/service/service.ts'
import { bearer } from '../support/service/tokens.ts'

describe('cairn token', { timeout: 120_000 }, () => {
  it('makes, lists and revokes tokens beside a service that runs', async () => {
    const service = await startService()
    const place = ['--state-dir', join(service.folder, 'state')]
    const token = (...args: string[]) => command(['token', ...args, ...place])
    const statusWith = async (secret: string) =>
      (await service.fetch('/api/agents', bearer(secret))).status

    const wanted = ['--user', 'Admin', '--expires', '2099-12-31']
    const made = await run(['token', 'create', 'nightly report', ...wanted, ...place])

    expect(made.stdout).toMatch(/^cairn_\w{36}\n$/)
    expect(await statusWith(made.stdout.trim())).toBe(200)
    const [id = '', ...facts] = (await token('list')).stdout.trim().split('\t')
    expect(facts).toEqual([
      'admin',
      'read',
      expect.stringMatching(/^(never used|last used \d{4}-)/),
      'expires 2099-12-31T00:00',
      'nightly report',
    ])
    expect((await token('revoke', id)).stdout).toBe(
      'The token nightly report of admin is revoked\n',
    )
    await expect.poll(() => statusWith(made.stdout.trim())).toBe(401)
    expect((await token('revoke', id)).stderr).toContain(`There is no token ${id}`)
    expect((await token('create', 'x', '--user', 'nobody')).stderr).toContain(
      'There is no user nobody',
    )
    expect((await token('create', 'x')).code).toBe(2)
    const unknown = await token('create', 'x', '--user', 'admin', '--expires', '2099-02-30')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('is not a date')])
    const user = userInfo().username
    const common = { user, address: 'command line', target: `/api/tokens/${id}`, outcome: 'done' }
    await expect
      .poll(() => commandsIn(service))
      .toMatchObject([
        { action: 'revoke-token', ...common },
        { action: 'create-token', ...common },
      ])
  })

  it('takes a time without a zone for UTC, wherever it runs', async () => {
    const service = await startService()
    const place = ['--state-dir', join(service.folder, 'state')]
    const env = { TZ: 'America/New_York' }
    const wanted = ['--user', 'admin', '--expires', '2099-12-31T05:00']

    expect((await run(['token', 'create', 'x', ...wanted, ...place], { env })).code).toBe(0)

    expect((await run(['token', 'list', ...place], { env })).stdout).toContain(
      '\texpires 2099-12-31T05:00\t',
    )
  })
})
