import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hashPassword } from '../../../src/security/password.ts'
import { disableUser, enableUser } from '../../../src/security/users.ts'
import { UsersFile } from '../../../src/security/users-file.ts'
import { UserCredentialsBody, UserEntry } from '../../../src/wire/identity-bodies.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { html, post } from '../../support/pages/agents-page.ts'
import {
  ADMIN_PASSWORD,
  type CalledService,
  openService,
  QUICK_COST,
} from '../../support/service/service.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'
import { bearer, makeToken } from '../../support/service/tokens.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function call(service: CalledService, method: string, path: string, body?: object, as?: string) {
  return service.fetch(path, {
    method,
    ...(as === undefined ? {} : { as }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function add(service: CalledService, wanted: { name: string; password?: string }) {
  const answer = await call(service, 'POST', '/api/users', wanted)
  expect(answer.status).toBe(200)
  return UserCredentialsBody.parse(await answer.json())
}

async function listOf(service: CalledService): Promise<UserEntry[]> {
  return z.array(UserEntry).parse(await (await service.fetch('/api/users')).json())
}

async function statusFor(service: CalledService, init: RequestInit & { as?: string | null }) {
  const answer = await service.fetch('/api/agents', init)
  await answer.body?.cancel()
  return answer.status
}

/** The lines of users, without comments. */
function readLines({ folder }: CalledService): string[] {
  const text = readFileSync(join(folder, 'state', 'users.htpasswd'), 'utf8')
  return text.split('\n').filter((line) => /^[^#]/.test(line))
}

/** The header of a session that begins now. */
async function sessionOf(service: CalledService, username: string, password: string) {
  const body = new URLSearchParams({ username, password }).toString()
  const begun = await service.fetch('/login', { method: 'POST', as: null, headers: FORM, body })
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';')
  return { as: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } }
}

function lineOf(service: CalledService, name: string): string {
  return readLines(service).find((line) => line.startsWith(`${name}:`)) ?? ''
}

describe('a user', () => {
  it('is added with a password that is made and known once, and can log in at once', async () => {
    const service = await openService()

    const { name, password } = await add(service, { name: 'ana' })

    expect([name, password]).toEqual(['ana', expect.stringMatching(/^[\w-]{20}$/)])
    expect(await statusFor(service, { as: `ana:${password}` })).toBe(200)
    expect(await add(service, { name: 'bo', password: 'eight or more' })).toEqual({
      name: 'bo',
      password: null,
    })
    expect(await statusFor(service, { as: 'bo:eight or more' })).toBe(200)
    expect((await listOf(service)).map((user) => user.name)).toEqual(['admin', 'ana', 'bo'])
  })

  it.each([
    [{ name: 'Admin' }, 409, 'There is a user admin already'],
    [{ name: 'Filesystem' }, 400, 'The user name Filesystem is reserved'],
    [{ name: 'UPGRADE' }, 400, 'The user name UPGRADE is reserved'],
    [{ name: 'agent_u_192.0.2.1_host' }, 400, 'is reserved'],
    [{ name: 'ad\u200Bmin' }, 400, 'this one has U+200B'],
    [{ name: 'nima\u202E' }, 400, 'this one has U+202E'],
    [{ name: 'an\u3164a' }, 400, 'this one has U+3164'],
    [{ name: 'ana\uE000' }, 400, 'this one has U+E000'],
    [{ name: 'ana\u0378' }, 400, 'this one has U+0378'],
    [{ name: 'ａｎａ' }, 400, 'its normal form, which is'],
    [{ name: 'ana ' }, 400, 'its normal form, which is'],
    [{ name: 'ana\u00A0lee' }, 400, 'its normal form, which is'],
    [{ name: 'a:b' }, 400, 'A user name has 1 to 255 characters'],
    [{ name: 'ana', password: 'seven..' }, 400, 'A password has 8 to 72 bytes'],
    [{ name: 'ana', password: 'x'.repeat(73) }, 400, 'A password has 8 to 72 bytes'],
  ])('is not added as %j', async (wanted, status, message) => {
    const service = await openService()

    const answer = await call(service, 'POST', '/api/users', wanted)

    expect(answer.status).toBe(status)
    expect(await answer.text()).toContain(message)
    expect(await listOf(service)).toHaveLength(1)
  })

  it('whom the lines have by a name that nobody gets today goes on', async () => {
    const service = await openService()
    await add(service, { name: 'ana', password: 'eight or more' })
    const hash = lineOf(service, 'ana').slice('ana'.length)
    const names = ['Filesystem', 'ana ', 'ａｎａ', 'an\u200Ba']
    const file = join(service.folder, 'state', 'users.htpasswd')
    appendFileSync(file, names.map((name) => `${name}${hash}\n`).join(''))

    const whoIs = async (name: string) => {
      const answer = await service.fetch('/api/whoami', { as: `${name}:eight or more` })
      return z.object({ name: z.string() }).parse(await answer.json()).name
    }
    await expect.poll(() => statusFor(service, { as: 'Filesystem:eight or more' })).toBe(200)
    expect(await Promise.all(names.map(whoIs))).toEqual(names)
    expect(await whoIs('ANA  ')).toBe('ana')
    const path = '/api/users/Filesystem/password'
    const other = { password: 'eight or more too' }
    expect((await call(service, 'PUT', path, other)).status).toBe(200)
    expect(await statusFor(service, { as: 'Filesystem:eight or more too' })).toBe(200)
    for (const name of names)
      expect((await call(service, 'DELETE', `/api/users/${encodeURIComponent(name)}`)).status).toBe(
        200,
      )
    expect((await listOf(service)).map(({ name }) => name)).toEqual(['admin', 'ana'])
  })

  it('who is disabled is kept out at once, with sessions and tokens, and has the tokens again later', async () => {
    const service = await openService()
    await add(service, { name: 'ana', password: 'eight or more' })
    const { token } = await makeToken(service, 'read', { as: 'ana:eight or more' })
    const session = await sessionOf(service, 'ana', 'eight or more')
    const credentials = [{ as: 'ana:eight or more' }, bearer(token), session]
    const statuses = () => Promise.all(credentials.map((each) => statusFor(service, each)))
    expect(await statuses()).toEqual([200, 200, 200])
    const before = lineOf(service, 'ana')

    expect((await call(service, 'POST', '/api/users/ANA/disable')).status).toBe(200)

    expect(await statuses()).toEqual([401, 401, 401])
    expect(lineOf(service, 'ana')).toBe(before.replace('ana:', 'ana:!'))
    expect((await listOf(service)).find(({ name }) => name === 'ana')).toMatchObject({
      disabled: true,
      administrator: false,
      tokens: 1,
    })
    expect((await call(service, 'POST', '/api/users/ana/enable')).status).toBe(200)
    expect(await statuses()).toEqual([200, 200, 401])
    expect(lineOf(service, 'ana')).toBe(before)
  })

  it('whose line is disabled by hand has no session of before when it is enabled again', async () => {
    const service = await openService()
    await add(service, { name: 'ana', password: 'eight or more' })
    const session = await sessionOf(service, 'ana', 'eight or more')
    const users = new UsersFile(join(service.folder, 'state', 'users.htpasswd'))
    const statuses = () =>
      Promise.all([{ as: 'ana:eight or more' }, session].map((each) => statusFor(service, each)))
    expect(await statuses()).toEqual([200, 200])

    await disableUser(users, 'ana')
    await expect.poll(statuses).toEqual([401, 401])
    await enableUser(users, 'ana')

    await expect.poll(statuses).toEqual([200, 401])
  })

  it('who has two lines is the one of the first that can be used, whatever changes', async () => {
    const service = await openService()
    const hashes = await Promise.all(
      ['first one', 'another one'].map((each) => hashPassword(each, QUICK_COST)),
    )
    const lines = ['$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/', ...hashes].map(
      (hash) => `ana:${hash}\n`,
    )
    appendFileSync(join(service.folder, 'state', 'users.htpasswd'), lines.join(''))
    const passwords = ['first one', 'another one', 'eight or more']
    const statuses = () =>
      Promise.all(passwords.map((password) => statusFor(service, { as: `ana:${password}` })))

    await expect.poll(statuses).toEqual([200, 401, 401])
    await call(service, 'POST', '/api/users/ana/disable')
    expect(await statuses()).toEqual([401, 401, 401])
    await call(service, 'PUT', '/api/users/ana/password', { password: 'eight or more' })
    await call(service, 'POST', '/api/users/ana/enable')
    expect(await statuses()).toEqual([401, 401, 200])
    await call(service, 'DELETE', '/api/users/ana')
    expect(await statuses()).toEqual([401, 401, 401])
  })

  it('stays disabled with another password', async () => {
    const service = await openService()
    await add(service, { name: 'ana' })
    await call(service, 'POST', '/api/users/ana/disable')

    await call(service, 'PUT', '/api/users/ana/password', { password: 'eight or more' })

    expect(lineOf(service, 'ana')).toMatch(/^ana:!\$2/)
    expect(await statusFor(service, { as: 'ana:eight or more' })).toBe(401)
    await call(service, 'POST', '/api/users/ana/enable')
    expect(await statusFor(service, { as: 'ana:eight or more' })).toBe(200)
  })

  it('who is removed loses sessions and tokens, also where somebody gets the name again', async () => {
    const service = await openService()
    await add(service, { name: 'ana', password: 'eight or more' })
    const { token } = await makeToken(service, 'read', { as: 'ana:eight or more' })
    const session = await sessionOf(service, 'ana', 'eight or more')

    expect((await call(service, 'DELETE', '/api/users/ana')).status).toBe(200)
    await add(service, { name: 'ana', password: 'eight or more' })

    expect(await statusFor(service, bearer(token))).toBe(401)
    expect(await statusFor(service, session)).toBe(401)
    expect((await call(service, 'DELETE', '/api/users/nobody')).status).toBe(404)
  })

  it('whose password is set anew keeps tokens and loses sessions', async () => {
    const service = await openService()
    await add(service, { name: 'ana', password: 'eight or more' })
    const { token } = await makeToken(service, 'read', { as: 'ana:eight or more' })
    const session = await sessionOf(service, 'ana', 'eight or more')

    const answer = await call(service, 'PUT', '/api/users/ana/password', {})

    const { password } = UserCredentialsBody.parse(await answer.json())
    expect(await statusFor(service, { as: 'ana:eight or more' })).toBe(401)
    expect(await statusFor(service, session)).toBe(401)
    expect(await statusFor(service, { as: `ana:${password}` })).toBe(200)
    expect(await statusFor(service, bearer(token))).toBe(200)
  })
})

describe('an administrator', () => {
  it('who is the last is not disabled, also when two disable each other at once', async () => {
    const service = await openService()
    await addSomeone(service)
    const both = [
      call(service, 'POST', '/api/users/someone/disable'),
      call(service, 'POST', '/api/users/admin/disable', undefined, SOMEONE),
    ]

    const statuses = (await Promise.all(both)).map(({ status }) => status)

    const [done, ...refused] = statuses.toSorted((one, other) => one - other)
    expect([done, refused.every((status) => [401, 409].includes(status))]).toEqual([200, true])
    expect(readLines(service).filter((line) => !line.includes(':!'))).toHaveLength(1)
  })

  it('is not disabled or removed by the own hand', async () => {
    const service = await openService()
    await addSomeone(service)

    const answers = [
      await call(service, 'POST', '/api/users/Admin/disable'),
      await call(service, 'DELETE', '/api/users/admin'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403])
    expect(await answers[0]?.text()).toContain(
      'Nobody disables their own user: another administrator does',
    )
    expect(await statusFor(service, {})).toBe(200)
  })
})

describe('a token of an administrator', () => {
  it('keeps users out, and lets nobody in', async () => {
    const service = await openService()
    await add(service, { name: 'ana', password: 'eight or more' })
    const { token } = await makeToken(service, 'admin')
    const send = async (method: string, path: string, body?: object) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await service.fetch(path, { method, ...init, ...bearer(token) })
      return [answer.status, await answer.text()] as const
    }
    const refused = [
      403,
      expect.stringContaining('A token lets nobody in and sets no password: log in'),
    ]
    const password = 'another one'

    expect(await send('POST', '/api/users', { name: 'bo', password })).toEqual(refused)
    expect(await send('PUT', '/api/users/ana/password', { password })).toEqual(refused)
    expect((await send('POST', '/api/users/ana/disable'))[0]).toBe(200)
    expect(await send('POST', '/api/users/ana/enable')).toEqual(refused)
    expect((await send('DELETE', '/api/users/ana'))[0]).toBe(200)
    expect((await listOf(service)).map((user) => user.name)).toEqual(['admin'])
  })
})

describe('the audit log', () => {
  it('says who did what to whom, and no password', async () => {
    const service = await openService()
    await add(service, { name: 'ana', password: 'eight or more' })
    for (const action of ['disable', 'enable']) {
      await call(service, 'POST', `/api/users/ana/${action}`)
    }
    await call(service, 'PUT', '/api/users/ana/password', { password: 'nine or more' })
    await call(service, 'DELETE', '/api/users/ana')
    await call(service, 'DELETE', '/api/users/admin')

    const { entries } = AuditBody.parse(await (await service.fetch('/api/audit')).json())

    expect(
      entries.map(({ user, action, outcome }) => [user, action, outcome]).toReversed(),
    ).toEqual([
      ['admin', 'create-user', 'done'],
      ['admin', 'disable-user', 'done'],
      ['admin', 'enable-user', 'done'],
      ['admin', 'reset-password', 'done'],
      ['admin', 'delete-user', 'done'],
      ['admin', 'delete-user', 'refused'],
    ])
    expect(JSON.stringify(entries)).not.toContain('or more')
    expect(await html(service, '/audit')).toContain('Set the password of user')
  })
})

describe('the page of users', () => {
  it('adds one, whose made password it shows once, and refuses two that differ', async () => {
    const service = await openService()

    const differ = await post(service, '/users', [
      ['name', 'ana'],
      ['password', 'eight or more'],
      ['again', 'eight or less'],
    ])
    const made = await (await post(service, '/users', [['name', 'ana']])).text()

    expect(differ.status).toBe(400)
    expect(await differ.text()).toContain('The two passwords differ.')
    const [, password = ''] = /<pre[^>]*>([\w-]{20})<\/pre>/.exec(made) ?? []
    expect(await statusFor(service, { as: `ana:${password}` })).toBe(200)
    const page = await html(service, '/users')
    expect(page).toContain('<a href="/users/ana">ana</a>')
    expect(page).toContain('This service')
    expect(page).not.toContain(password)
  })

  it('disables, enables and removes one, and revokes a token', async () => {
    const service = await openService()
    await add(service, { name: 'ana', password: 'eight or more' })
    const { id } = await makeToken(service, 'read', { as: 'ana:eight or more' })
    const act = async (fields: readonly (readonly [string, string])[]) => {
      const answer = await post(service, '/users/ana', fields)
      expect(answer.status).toBe(303)
      return html(service, answer.headers.get('location') ?? '')
    }

    expect(await act([['action', 'disable']])).toContain('Disabled user ana.')
    expect(await html(service, '/users')).toContain('(disabled)')
    expect(await act([['action', 'enable']])).toContain('Enabled user ana.')
    const revoked = await act([
      ['action', 'revoke'],
      ['token', id],
    ])
    expect(revoked).toContain('Revoked token for read.')
    expect(await act([['action', 'delete']])).toContain('Removed user ana.')
    expect((await service.fetch('/users/ana')).status).toBe(404)
  })

  it('says why it does not', async () => {
    const service = await openService()

    const own = await post(service, '/users/admin', [['action', 'delete']])

    expect(own.status).toBe(403)
    const refused = await own.text()
    expect(refused).toContain('Nobody removes their own user')
    expect(refused).toContain('<h2>Tokens</h2>')
  })
})

describe('the own account', () => {
  it('changes the password for whoever has the old one, which ends all sessions', async () => {
    const service = await openService()
    const session = await sessionOf(service, 'admin', ADMIN_PASSWORD)
    const change = (old: string, password: string) =>
      post(service, '/account', [
        ['old', old],
        ['password', password],
        ['again', password],
      ])

    const wrong = await change('guess', 'eight or more')
    const done = await change(ADMIN_PASSWORD, 'eight or more')

    const refused = await wrong.text()
    expect(wrong.status).toBe(403)
    expect(refused).toContain('The old password is wrong.')
    expect(refused).toContain('name="old"')
    expect(done.status).toBe(303)
    expect(await statusFor(service, session)).toBe(401)
    expect(await statusFor(service, { as: `admin:${ADMIN_PASSWORD}` })).toBe(401)
    expect(await statusFor(service, { as: 'admin:eight or more' })).toBe(200)
  })

  it('is changed once by one old password, also by two at once', async () => {
    const service = await openService([], tempDir(), { hasUsualPasswords: true })
    await addSomeone(service)
    const change = async (password: string) => {
      const fields = [['old', 'a password'] as const, ['password', password] as const]
      const { status } = await post(service, '/account', [...fields, ['again', password]], SOMEONE)
      return status === 303
    }
    const passwords = ['one of the two', 'another of the two']

    const changed = await Promise.all(passwords.map(change))

    const works = passwords.map(async (password) => {
      return (await statusFor(service, { as: `someone:${password}` })) === 200
    })
    expect(await Promise.all(works)).toEqual(changed)
    expect(changed.filter(Boolean)).toHaveLength(1)
  })
})
