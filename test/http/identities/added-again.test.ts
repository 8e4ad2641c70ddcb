import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/security/password.ts'
import { withKey } from '../../support/agents/invitations.ts'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { run } from '../../support/programs/start.ts'
import { type CalledService, openService, QUICK_COST } from '../../support/service/service.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'
import { bearer, makeToken } from '../../support/service/tokens.ts'
import { MadeInvitationBody } from '../../../src/wire/identity-bodies.ts'

const PASSWORD = 'long enough'
const KIM = `kim:${PASSWORD}`

function fileIn(folder: string): string {
  return join(folder, 'state', 'users.htpasswd')
}

/** Changes the users from outside, as operators do. */
async function user(folder: string, ...words: readonly string[]): Promise<void> {
  const state = ['--state-dir', join(folder, 'state')]
  const { code, stderr } = await run(['user', ...words, ...state], { input: `${PASSWORD}\n` })
  if (code !== 0) throw new Error(stderr)
}

/** Replaces the line of a user as `htpasswd` does; null removes it. */
function writeLine(folder: string, name: string, line: string | null): void {
  const lines = readFileSync(fileIn(folder), 'utf8').split('\n')
  const others = lines.filter((each) => !each.startsWith(`${name}:`))
  writeFileSync(fileIn(folder), [...others.slice(0, -1), ...(line ? [line] : []), ''].join('\n'))
}

async function statusOf(service: CalledService, init: RequestInit & { as?: string | null }) {
  const answer = await service.fetch('/api/whoami', init)
  await answer.body?.cancel()
  return answer.status
}

async function serviceWithKim() {
  const service = await openService()
  const body = JSON.stringify({ name: 'kim', password: PASSWORD })
  expect((await service.fetch('/api/users', { method: 'POST', body })).status).toBe(200)
  return service
}

describe('somebody who is removed and added again', () => {
  it('while the service is stopped has no token of before', async () => {
    const service = await serviceWithKim()
    const { folder } = service
    const { token } = await makeToken(service, 'admin', { as: KIM })
    await service.close()
    await user(folder, 'remove', 'kim')
    await user(folder, 'add', 'kim')

    const again = await openService([], folder)

    expect(await statusOf(again, { as: KIM })).toBe(200)
    expect(await statusOf(again, bearer(token))).toBe(401)
  })

  it('has none either where the line was written by another tool', async () => {
    const first = await openService()
    const { folder } = first
    await addSomeone(first)
    const { token } = await makeToken(first, 'admin', { as: SOMEONE })
    await first.close()
    const same = await openService([], folder)
    expect(await statusOf(same, bearer(token))).toBe(200)
    await same.close()
    await user(folder, 'remove', 'someone')
    await user(folder, 'add', 'someone')

    const again = await openService([], folder)

    expect(await statusOf(again, bearer(token))).toBe(401)
  })

  it('has none while the file has a line that cannot be used', async () => {
    const service = await openService()
    const { folder } = service
    await addSomeone(service)
    const { token } = await makeToken(service, 'admin', { as: SOMEONE })
    const line = `someone:${await hashPassword('a password', QUICK_COST)}`
    appendFileSync(fileIn(folder), 'no line of a user\n')

    writeLine(folder, 'someone', null)
    await expect.poll(() => statusOf(service, bearer(token))).toBe(401)
    await expect
      .poll(async () => (await service.fetch('/api/tokens?user=someone')).json())
      .toEqual([])
    writeLine(folder, 'someone', line)

    await expect.poll(() => statusOf(service, { as: SOMEONE })).toBe(200)
    expect(await statusOf(service, bearer(token))).toBe(401)
  })

  it('keeps the tokens over another password, a disabled while, and a start', async () => {
    const service = await serviceWithKim()
    const { folder } = service
    const { token } = await makeToken(service, 'read', { as: KIM })
    const body = JSON.stringify({ password: 'another password' })
    await service.fetch('/api/users/kim/password', { method: 'PUT', body })
    await user(folder, 'disable', 'kim')
    await expect.poll(() => statusOf(service, bearer(token))).toBe(401)
    await user(folder, 'enable', 'kim')
    await expect.poll(() => statusOf(service, bearer(token))).toBe(200)
    await service.close()

    expect(await statusOf(await openService([], folder), bearer(token))).toBe(200)
  })

  it('leaves a file that other tools read: comments, names and hashes', async () => {
    const { folder } = await serviceWithKim()

    const lines = readFileSync(fileIn(folder), 'utf8').trimEnd().split('\n')

    const users = lines.filter((line) => !line.startsWith('#'))
    expect(users).toHaveLength(2)
    for (const line of users) expect(line).toMatch(/^[^:]+:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/)
  })
})

describe('an invitation', () => {
  const names = { resources: [], environments: [] }

  it('ends with the user who made it', async () => {
    const service = await serviceWithKim()
    const made = await service.fetch('/api/agent-invitations', {
      method: 'POST',
      as: KIM,
      body: JSON.stringify(names),
    })
    const { invitation } = MadeInvitationBody.parse(await made.json())
    expect((await service.fetch('/api/users/kim', { method: 'DELETE' })).status).toBe(200)

    const tried = await new CallingAgent(service).tryRegister(withKey(invitation))

    expect(tried.status).toBe(403)
    expect(await (await service.fetch('/api/agent-invitations')).json()).toEqual([])
  })

  it('lasts no longer than the token that made it', async () => {
    const service = await openService()
    const expires = new Date(Date.now() + 3_600_000).toISOString()
    const { id, token } = await makeToken(service, 'admin', { expires })
    const made = await service.fetch('/api/agent-invitations', {
      method: 'POST',
      ...bearer(token),
      body: JSON.stringify(names),
    })
    const { invitation } = MadeInvitationBody.parse(await made.json())
    const listed = await (await service.fetch('/api/agent-invitations')).json()
    expect(listed).toMatchObject([{ expires }])
    await service.fetch(`/api/tokens/${id}`, { method: 'DELETE' })

    const tried = await new CallingAgent(service).tryRegister(withKey(invitation))

    expect(tried.status).toBe(403)
  })
})

describe('a password of more than 72 bytes', () => {
  const long = 'x'.repeat(72)

  it('is refused, and is not the one of its beginning', async () => {
    const folder = tempDir()
    const service = await openService([], folder)
    const create = (password: string) =>
      service.fetch('/api/users', {
        method: 'POST',
        body: JSON.stringify({ name: 'kim', password }),
      })

    expect((await create(`${long}y`)).status).toBe(400)
    expect((await create(long)).status).toBe(200)
    expect(await statusOf(service, { as: `kim:${long}` })).toBe(200)
    expect(await statusOf(service, { as: `kim:${long}y` })).toBe(401)
    const state = ['--state-dir', join(folder, 'state')]
    const added = await run(['user', 'add', 'lee', ...state], { input: `${long}y\n` })
    expect(added.code).toBe(1)
    expect(added.stderr).toContain('72 bytes')
  })
})
