import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openInvitations } from '../support/agents/invitations.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { run, start } from '../support/programs/start.ts'
import { newInvitation } from '../../src/security/issued-secret.ts'
import { AgentEntry } from '../../src/wire/agent-entry.ts'
import { startService } from '../support/service/service.ts'

const WAIT = { timeout: 30_000, interval: 100 }

function agentWith(...flags: string[]) {
  return start(['agent', '--server', 'http://127.0.0.1:1', '--work-dir', tempDir(), ...flags])
}

describe('cairn agent invite', { timeout: 120_000 }, () => {
  it('prints what lets one agent in, and lists and revokes what is open', async () => {
    const service = await startService()
    const place = ['--state-dir', join(service.folder, 'state')]
    const invited = async (...args: string[]) => run(['agent', 'invite', ...args, ...place])
    const readAgents = async () =>
      z.array(AgentEntry).parse(await (await service.fetch('/api/agents')).json())
    const file = join(tempDir(), 'invitation')

    const made = await invited('--resources', 'linux,docker')

    expect(made.stdout).toMatch(/^cairninvite_\w{36}\n$/)
    writeFileSync(file, made.stdout)
    const flags = ['--server', service.url, '--work-dir', tempDir(), '--invitation-file', file]
    start(['agent', ...flags])
    await expect
      .poll(async () => (await readAgents()).map(({ status }) => status), WAIT)
      .toEqual(['Idle'])
    expect((await readAgents())[0]?.resources).toEqual(['docker', 'linux'])
    await expect.poll(() => openInvitations(service), WAIT).toEqual([])
    await invited('--valid-for', '1h')
    const [id = '', maker = '', until = ''] = (await invited('list')).stdout.split('\t')
    expect([await openInvitations(service), maker === '']).toEqual([[id], false])
    expect(until).toMatch(/^expires \d{4}-\d\d-\d\dT\d\d:\d\d$/)
    expect((await invited('revoke', id)).stdout).toBe(`The invitation ${id} is revoked\n`)
    expect(await openInvitations(service)).toEqual([])
    expect((await invited('revoke', id)).stderr).toContain(`There is no invitation ${id}`)
  })

  it('is not taken by an agent with what it did not print, or beside a key', async () => {
    const flags = ['agent', '--server', 'http://127.0.0.1:1', '--work-dir', tempDir()]

    const [wrong, missing, both] = await Promise.all([
      run([...flags, '--invitation', 'cairninvite_cut']),
      run([...flags, '--invitation-file', '/nowhere/invitation']),
      run([...flags, '--invitation', 'x', '--auto-register-key', 'y']),
    ])

    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      'cairn: the invitation is not what `cairn agent invite` prints: copy it again\n',
    ])
    expect(missing.stderr).toBe(
      'cairn: --invitation-file "/nowhere/invitation" cannot be read: a file or folder is missing\n',
    )
    expect(both.stderr).toContain('give one of --auto-register-key, --invitation and')
  })

  it('says that an agent without the key of the server is not asked what it is for', async () => {
    const invitation = newInvitation()
    const [none, invited, keyed] = [
      agentWith('--resources', 'linux'),
      agentWith('--environments', 'prod', '--invitation', invitation),
      agentWith('--resources', 'linux', '--auto-register-key', 'key'),
    ]

    await expect.poll(() => none.stderr, WAIT).toContain('whoever approves the agent')
    await expect.poll(() => invited.stderr, WAIT).toContain('the invitation names its own')
    await expect.poll(() => keyed.stderr, WAIT).toContain('works in')
    expect(keyed.stderr).not.toContain('no effect')
  })
})
