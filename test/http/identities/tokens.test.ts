import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { repositoryUrl, runGit } from '../../support/git/git-client.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { save } from '../../support/service/saving.ts'
import { type CalledService, openService, startService } from '../../support/service/service.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import { bearer, makeToken } from '../../support/service/tokens.ts'
import { ErrorBody } from '../../../src/wire/error-body.ts'
import { TokenEntry } from '../../../src/wire/identity-bodies.ts'

const MINUTE_MS = 60_000
const START = Date.parse('2030-01-01T10:00:30Z')
const SECURED = documentWith('one').replace(
  '<cruise schemaVersion="75">',
  (root) => root + ADMIN_ALONE,
)
const [SOMEONE_NAME = ''] = SOMEONE.split(':')

async function statusOf(
  service: CalledService,
  path: string,
  init: Parameters<CalledService['fetch']>[1],
) {
  const answer = await service.fetch(path, init)
  await answer.body?.cancel()
  return answer.status
}

async function listed(service: CalledService, query = ''): Promise<TokenEntry[]> {
  const answer = await service.fetch(`/api/tokens${query}`)
  return z.array(TokenEntry).parse(await answer.json())
}

describe('a token', () => {
  it('stands for its owner, as Bearer and as the password of Basic, until it is revoked', async () => {
    const service = await openService()
    const { id, token } = await makeToken(service, 'read')
    const asks = [bearer(token), { as: `admin:${token}` }, { as: `Admin:${token}` }]
    const before = await Promise.all(asks.map((ask) => statusOf(service, '/api/agents', ask)))

    const revoked = await service.fetch(`/api/tokens/${id}`, { method: 'DELETE' })

    const after = await Promise.all(asks.map((ask) => statusOf(service, '/api/agents', ask)))
    expect(before).toEqual([200, 200, 200])
    expect(await revoked.json()).toEqual({ message: 'The token for read is revoked' })
    expect(after).toEqual([401, 401, 401])
    expect(await listed(service)).toEqual([])
    expect(await statusOf(service, `/api/tokens/${id}`, { method: 'DELETE' })).toBe(404)
  })

  it('is nowhere but in the answer that made it', async () => {
    const service = await openService(['--log-level', 'debug'])
    const { id, token } = await makeToken(service, 'admin')
    await save(service, documentWith('one'))
    const used = await service.fetch('/api/agents/none/enable', {
      method: 'POST',
      ...bearer(token),
    })

    const list = await (await service.fetch('/api/tokens')).text()
    const audit = await (await service.fetch('/api/audit')).text()
    await service.close()

    expect(used.status).toBe(404)
    expect(list).toContain(id)
    expect(JSON.parse(audit)).toMatchObject({
      entries: expect.arrayContaining([
        expect.objectContaining({ action: 'create-token', target: `/api/tokens/${id}` }),
        expect.objectContaining({ action: 'enable-agent', user: 'admin', token: id }),
      ]),
    })
    expect(service.logged.map(({ facts }) => facts?.['token'])).toContain(id)
    const state = readFileSync(join(service.folder, 'state', 'state.sqlite'), 'latin1')
    for (const text of [list, audit, JSON.stringify(service.logged), state]) {
      expect(text).not.toContain(token)
    }
    expect(state).toContain(id)
  })

  it('survives a restart, and says to the minute when it was used last', async () => {
    const folder = tempDir()
    const time = { now: START }
    const clock = { clock: () => time.now }
    const first = await openService([], folder, clock)
    const { id, token } = await makeToken(first, 'read')
    expect(await listed(first)).toMatchObject([
      { id, created: '2030-01-01T10:00:30.000Z', lastUsed: null },
    ])
    await first.close()
    time.now += 5 * MINUTE_MS

    const second = await openService([], folder, clock)

    expect(await statusOf(second, '/api/agents', bearer(token))).toBe(200)
    await expect
      .poll(() => listed(second))
      .toMatchObject([{ id, lastUsed: '2030-01-01T10:05:00.000Z' }])
  })

  it('ends when it expires', async () => {
    const time = { now: START }
    const service = await openService([], tempDir(), { clock: () => time.now })
    const { token } = await makeToken(service, 'read', { expires: '2030-01-01T11:00:00Z' })
    const before = await statusOf(service, '/api/agents', bearer(token))

    time.now = Date.parse('2030-01-01T11:00:00Z')

    expect([before, await statusOf(service, '/api/agents', bearer(token))]).toEqual([200, 401])
    expect(await listed(service)).toHaveLength(1)
  })

  it('is refused by the name of the field that is wrong', async () => {
    const service = await openService()
    const bodies: readonly (readonly [object, string | undefined])[] = [
      [{ scope: 'read' }, 'name'],
      [{ name: ' ', scope: 'read' }, 'name'],
      [{ name: 'a\nb', scope: 'read' }, 'name'],
      [{ name: 'a', scope: 'root' }, 'scope'],
      [{ name: 'a', scope: 'read', expires: 'tomorrow' }, 'expires'],
      [{ name: 'a', scope: 'read', expires: '2030-99-99T00:00:00Z' }, 'expires'],
      [{ name: 'a', scope: 'read', expires: '2030-02-30T00:00:00Z' }, 'expires'],
      [{ name: 'a', scope: 'read', expires: '2001-01-01T00:00:00Z' }, 'expires'],
      [{ name: 'a', scope: 'read', admin: true }, undefined],
    ]

    const found: unknown[] = []
    for (const [body] of bodies) {
      const answer = await service.fetch('/api/tokens', {
        method: 'POST',
        body: JSON.stringify(body),
      })
      const { errors } = ErrorBody.parse(await answer.json())
      found.push([answer.status, errors?.[0]?.path])
    }

    expect(found).toEqual(bodies.map(([, path]) => [400, path]))
    expect(await listed(service)).toEqual([])
  })

  it('makes no other token, whatever it is good for', async () => {
    const service = await openService()
    const { token } = await makeToken(service, 'admin')

    const status = await statusOf(service, '/api/tokens', {
      method: 'POST',
      ...bearer(token),
      body: JSON.stringify({ name: 'another', scope: 'read' }),
    })

    expect(status).toBe(403)
    expect(await listed(service)).toHaveLength(1)
  })

  it('of a user who is removed is dead, also for the next one of that name', async () => {
    const service = await openService()
    const file = join(service.folder, 'state', 'users.htpasswd')
    const alone = readFileSync(file, 'utf8')
    await addSomeone(service)
    const { token } = await makeToken(service, 'read', { as: SOMEONE })
    const withSomeone = readFileSync(file, 'utf8')
    expect(await statusOf(service, '/api/agents', bearer(token))).toBe(200)

    writeFileSync(file, alone)

    await expect.poll(() => listed(service, `?user=${SOMEONE_NAME}`)).toEqual([])
    expect(await statusOf(service, '/api/agents', bearer(token))).toBe(401)
    writeFileSync(file, withSomeone)
    await expect.poll(() => statusOf(service, '/api/agents', { as: SOMEONE })).toBe(200)
    expect(await statusOf(service, '/api/agents', bearer(token))).toBe(401)
  })

  it('is seen and revoked by its owner and by administrators alone', async () => {
    const service = await openService()
    await save(service, SECURED)
    await addSomeone(service)
    const mine = await makeToken(service, 'read')
    const theirs = await makeToken(service, 'read', { as: SOMEONE })
    const revoke = (id: string, as?: string) =>
      statusOf(service, `/api/tokens/${id}`, { method: 'DELETE', ...(as ? { as } : {}) })

    expect(await statusOf(service, '/api/tokens?user=admin', { as: SOMEONE })).toBe(403)
    expect(await listed(service, `?user=${SOMEONE_NAME}`)).toMatchObject([{ id: theirs.id }])
    expect(await revoke(mine.id, SOMEONE)).toBe(404)
    expect(await revoke(theirs.id)).toBe(200)
    expect(await revoke(mine.id)).toBe(200)
  })

  it('clones and pushes with git as far as it is good for that', { tags: ['long'] }, async () => {
    const service = await startService()
    const [reads, changes] = [await makeToken(service, 'read'), await makeToken(service, 'admin')]
    const folder = tempDir()
    const address = (token: string) => repositoryUrl(service.url, `admin:${token}`)
    const cloned = await runGit(folder, ['clone', '-q', address(reads.token), '.'])
    expect(cloned).toMatchObject({ code: 0 })
    writeFileSync(join(folder, 'config.xml'), documentWith('pushed'))
    await runGit(folder, [
      '-c',
      'user.name=Ana',
      '-c',
      'user.email=a@b',
      'commit',
      '-qam',
      'One more',
    ])

    const refused = await runGit(folder, ['push', '-q', address(reads.token), 'HEAD'])
    const pushed = await runGit(folder, ['push', '-q', address(changes.token), 'HEAD'])

    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('403')
    expect(pushed).toMatchObject({ code: 0 })
  })
})
