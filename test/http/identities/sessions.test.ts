import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addUser, changePassword, removeUser, writeUser } from '../../../src/security/users.ts'
import { UsersFile } from '../../../src/security/users-file.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import {
  ADMIN_PASSWORD,
  type CalledService,
  openService,
  QUICK_COST,
} from '../../support/service/service.ts'
import { filledFieldsOf } from '../../support/pages/page-forms.ts'
import { addSomeone } from '../../support/service/someone-else.ts'
import { makeToken } from '../../support/service/tokens.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

const HOUR_MS = 3_600_000
const SLOW = { timeout: 10_000 }
const BROWSER = { accept: 'text/html,application/xhtml+xml' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded', ...BROWSER }
const ADMIN = { username: 'admin', password: ADMIN_PASSWORD }

type Fields = Readonly<Record<string, string>>

/** Sends a form without credentials of its own. */
function send(service: CalledService, path: string, fields: Fields, headers: Fields = {}) {
  const body = new URLSearchParams(fields).toString()
  const own = 'origin' in headers ? {} : { 'sec-fetch-site': 'same-origin' }
  const all = { ...FORM, ...own, ...headers }
  return service.fetch(path, { method: 'POST', as: null, headers: all, body })
}

/** The header with which a browser returns the cookies of an answer. */
function cookieOf(answer: Response): Fields {
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  return { cookie }
}

async function logIn(service: CalledService, who: Fields = ADMIN): Promise<Fields> {
  return cookieOf(await send(service, '/login', who))
}

async function statusOf(service: CalledService, path: string, headers: Fields): Promise<number> {
  const answer = await service.fetch(path, { as: null, headers })
  await answer.body?.cancel()
  return answer.status
}

describe('a browser', () => {
  it('is led to the log-in from the page among the calls of programs, which are not', async () => {
    const service = await openService()
    const asked = { as: null, headers: BROWSER }

    const page = await service.fetch('/api', asked)
    const call = await service.fetch('/api/openapi.json', asked)

    expect([page.status, page.headers.get('location')]).toEqual([303, '/login?next=%2Fapi'])
    expect(page.headers.get('www-authenticate')).toBeNull()
    expect(call.status).toBe(401)
  })

  it('is led to the log-in and back, and out again', async () => {
    const service = await openService()

    const asked = await service.fetch('/agents?q=a%20b', { as: null, headers: BROWSER })
    const login = asked.headers.get('location') ?? ''
    const form = await (await service.fetch(login, { as: null, headers: BROWSER })).text()
    const begun = await send(service, '/login', { ...ADMIN, next: '/agents?q=a%20b' })
    const session = cookieOf(begun)
    const whoami = await service.fetch('/api/whoami', { as: null, headers: session })
    const ended = await send(service, '/log-out', {}, session)

    expect([asked.status, login]).toEqual([303, '/login?next=%2Fagents%3Fq%3Da%2520b'])
    expect(form).toContain('name="next" value="/agents?q=a%20b"')
    expect([begun.status, begun.headers.get('location')]).toEqual([303, '/agents?q=a%20b'])
    expect(begun.headers.get('set-cookie')).toMatch(
      /^cairn=\w{30}; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(await whoami.json()).toMatchObject({ name: 'admin', credential: { kind: 'session' } })
    const after = ended.headers.get('location') ?? ''
    expect([ended.status, new URL(after, 'http://x').pathname]).toEqual([303, '/login'])
    const said = await service.fetch(after, { as: null, headers: BROWSER })
    expect(await said.text()).toContain('You are logged out.')
    const again = await service.fetch(after, { as: null, headers: BROWSER })
    expect(await again.text()).not.toContain('You are logged out')
    expect(ended.headers.get('set-cookie')).toMatch(/^cairn=; .*Max-Age=0$/)
    expect(await statusOf(service, '/agents', { ...BROWSER, ...session })).toBe(303)
    expect(await statusOf(service, '/api/agents', session)).toBe(401)
  })

  it('has one session, and a user twenty', async () => {
    const service = await openService()
    const first = await logIn(service)
    const again = cookieOf(await send(service, '/login', ADMIN, first))
    expect(await statusOf(service, '/api/whoami', first)).toBe(401)
    expect(await statusOf(service, '/api/whoami', again)).toBe(200)

    const others = []
    for (let n = 0; n < 20; n += 1) others.push(await logIn(service))

    expect(await statusOf(service, '/api/whoami', again)).toBe(401)
    const [oldest = {}] = others
    expect(await statusOf(service, '/api/whoami', oldest)).toBe(200)
  })

  it('gives a user no more than twenty sessions where many log in at once', async () => {
    const service = await openService()

    const begun: Fields[] = []
    for (let round = 0; round < 2; round += 1)
      begun.push(...(await Promise.all(Array.from({ length: 12 }, () => logIn(service)))))

    const statuses: number[] = []
    for (const each of begun) statuses.push(await statusOf(service, '/api/whoami', each))
    expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  })

  it('is led nowhere but to this service', async () => {
    const service = await openService()
    const hostile = [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/\t/evil.example',
      'javascript:alert(1)',
      'evil.example',
    ]

    const places: unknown[] = []
    for (const next of hostile) {
      const answer = await send(service, '/login', { ...ADMIN, next })
      places.push(answer.headers.get('location'))
    }

    expect(places).toEqual(hostile.map(() => '/'))
  })

  it('is led to addresses with any letters, as a header takes them', async () => {
    const service = await openService()

    const place = '/search?q=ж é 😀#ж'
    const answer = await send(service, '/login', { ...ADMIN, next: place })
    const recoloured = await send(service, '/colours', { colours: 'blue-orange', back: place })

    for (const { status, headers } of [answer, recoloured])
      expect([status, headers.get('location')]).toEqual([
        303,
        '/search?q=%D0%B6%20%C3%A9%20%F0%9F%98%80#%D0%B6',
      ])
    expect(await statusOf(service, '/agents', cookieOf(answer))).toBe(200)
  })

  it(
    'with a wrong password gets the form again, and is slowed down as a program is',
    { tags: ['long'] },
    async () => {
      const service = await openService()
      const wrong = { username: 'admin', password: 'wrong' }

      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          send(service, '/login', { ...wrong, password: `wrong ${n}` }),
        ),
      )

      const statuses = answers.map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set([403, 429]))
      expect(answers.map(({ headers }) => headers.get('set-cookie')).filter(Boolean)).toEqual([])
      const again = await answers[statuses.indexOf(403)]?.text()
      expect(again).toContain('Wrong user name or password.')
      expect(again).toContain('value="admin"')
      expect(again).not.toContain('wrong')
      const audit = await service.fetch('/api/audit?action=log-in&outcome=refused')
      const { entries } = AuditBody.parse(await audit.json())
      expect(entries).toContainEqual(
        expect.objectContaining({ claimed: 'admin', reason: 'wrong-credentials' }),
      )
    },
  )

  it('begins no session with a token, which is good for less', async () => {
    const service = await openService()
    const { token } = await makeToken(service, 'read')

    const answer = await send(service, '/login', { username: 'admin', password: token })

    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
  })

  it('has another site change nothing with its session', async () => {
    const service = await openService()
    const session = await logIn(service)
    const fields = { action: 'create', name: 'one', scope: 'admin' }

    const forged = [
      await send(service, '/tokens', fields, { ...session, 'sec-fetch-site': 'cross-site' }),
      await send(service, '/tokens', fields, { ...session, origin: 'https://evil.example' }),
      await send(service, '/log-out', {}, { ...session, 'sec-fetch-site': 'cross-site' }),
      await send(service, '/login', ADMIN, { 'sec-fetch-site': 'cross-site' }),
    ]

    expect(forged.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(await statusOf(service, '/tokens', session)).toBe(200)
    expect(await (await service.fetch('/api/tokens')).json()).toEqual([])
  })

  it.each(['cairn.example', 'cairn.example:443'])(
    'has a cookie that needs TLS where people use that, as %s',
    async (host) => {
      const service = await openService(['--public-url', 'https://cairn.example'])

      const begun = await send(service, '/login', ADMIN, { host })

      expect(begun.headers.get('set-cookie')).toMatch(
        /^__Host-cairn=\w{30}; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
      )
      const session = { host, ...cookieOf(begun) }
      expect(await statusOf(service, '/agents', session)).toBe(200)
      const own = { ...session, origin: 'https://cairn.example' }
      expect((await send(service, '/log-out', {}, own)).status).toBe(303)
    },
  )
})

describe('a form that is sent without a session', () => {
  const typed = { action: 'create', name: ' a "name" <b>&amp;', scope: 'read', expires: '' }
  const carried = Object.entries(typed)

  it('comes back with what was typed after the log-in, and is sent by nobody but the person', async () => {
    const service = await openService()
    const tokens = async () => (await service.fetch('/api/tokens')).json()
    const logInWith = (html: string, password: string) =>
      send(service, '/login', {
        ...Object.fromEntries(filledFieldsOf(html)),
        username: 'admin',
        password,
      })

    const asked = await send(service, '/tokens', typed)
    const refused = await logInWith(await asked.text(), 'wrong')
    const begun = await logInWith(await refused.text(), ADMIN_PASSWORD)
    const page = await begun.text()

    expect([asked.status, refused.status, begun.status]).toEqual([401, 403, 200])
    expect(asked.headers.get('www-authenticate')).toBe(null)
    expect(page).toContain('action="/tokens"')
    expect(filledFieldsOf(page)).toEqual(expect.arrayContaining(carried))
    expect(await tokens()).toEqual([])
    const again = Object.fromEntries(filledFieldsOf(page))
    expect((await send(service, '/tokens', again, cookieOf(begun))).status).toBe(200)
    expect(await tokens()).toMatchObject([{ name: typed.name, scope: 'read' }])
  })

  it('keeps a text to the letter, and every value of a field', async () => {
    const service = await openService()
    const xml = '\n<a b="1">\n  \'&lt;\'\n</a>\n'
    const body = new FormData()
    for (const [name, value] of [
      ['xml', xml],
      ['agent', 'one'],
      ['agent', 'two'],
    ] as const)
      body.append(name, value)

    const asked = await service.fetch('/config/edit?entity=x', {
      method: 'POST',
      as: null,
      headers: BROWSER,
      body,
    })
    const fields = filledFieldsOf(await asked.text()).filter(([name]) => name.startsWith('kept.'))
    const login = new FormData()
    for (const [name, value] of [...fields, ['to', '/config/edit?entity=x']] as const)
      login.append(name, value)
    for (const [name, value] of Object.entries(ADMIN)) login.set(name, value)
    const begun = await service.fetch('/login', { method: 'POST', as: null, body: login })
    const page = await begun.text()

    expect(page).toContain('action="/config/edit?entity=x"')
    expect(filledFieldsOf(page)).toEqual(
      expect.arrayContaining([
        ['agent', 'one'],
        ['agent', 'two'],
        ['xml', xml.replaceAll('\n', '\r\n')],
      ]),
    )
  })

  it('goes on where somebody has logged in in another tab', async () => {
    const service = await openService()
    const kept = { to: '/tokens', 'kept.name': 'nightly', step: 'continue' }

    const early = await send(service, '/login', kept)
    const later = await send(service, '/login', kept, await logIn(service))

    expect([early.status, later.status]).toEqual([401, 200])
    expect(await early.text()).toContain('You are not logged in yet.')
    expect(filledFieldsOf(await later.text())).toContainEqual(['name', 'nightly'])
  })

  it('keeps no password, nothing that is too large, and nothing for another site', async () => {
    const service = await openService()
    const secrets = { old: 'hidden-1', password: 'hidden-2', again: 'hidden-3', name: 'bo' }
    const variables = { 'secure_variables[KEY]': 'hidden-4', scm_password: 'hidden-5' }

    const kept = await (await send(service, '/users', { ...secrets, ...variables })).text()
    const large = await send(service, '/config/edit', { xml: 'x'.repeat(1_100_000) })
    const foreign = await send(service, '/tokens', typed, { origin: 'https://evil.example' })
    const away = await send(service, '/login', { ...ADMIN, to: '//evil.example/', 'kept.a': 'b' })

    expect(filledFieldsOf(kept)).toContainEqual(['kept.name', 'bo'])
    expect(kept).not.toContain('hidden-')
    const told = await large.text()
    expect([large.status, told.length < 20_000]).toEqual([401, true])
    expect(told).toContain('too large to keep here')
    expect([foreign.status, (await foreign.text()).includes('kept.')]).toEqual([403, false])
    expect([away.status, away.headers.get('location')]).toEqual([303, '/'])
  })
})

describe('a program', () => {
  it('without credentials gets a challenge, and a script of a page does not', async () => {
    const service = await openService()
    const challengeOf = async (path: string, headers: Fields) => {
      const answer = await service.fetch(path, { as: null, headers })
      return [answer.status, answer.headers.get('www-authenticate')]
    }
    const script = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }

    expect(await challengeOf('/agents', {})).toEqual([401, 'Basic realm="cairn"'])
    expect(await challengeOf('/api/agents', BROWSER)).toEqual([401, 'Basic realm="cairn"'])
    expect(await challengeOf('/search/results.json?q=a', script)).toEqual([401, null])
  })
})

describe('a session', () => {
  it('survives a restart, and ends when it was not used for 12 hours', async () => {
    const folder = tempDir()
    const time = { now: Date.parse('2030-01-01T10:00:00Z') }
    const clock = { clock: () => time.now }
    const first = await openService([], folder, clock)
    const session = await logIn(first)
    await first.close()
    const second = await openService([], folder, clock)

    time.now += 11 * HOUR_MS
    const early = await statusOf(second, '/agents', session)
    await second.close()
    const third = await openService([], folder, clock)
    time.now += 11 * HOUR_MS
    const used = await statusOf(third, '/agents', session)
    await third.close()
    const fourth = await openService([], folder, clock)
    time.now += 12 * HOUR_MS + 60_001

    expect([early, used, await statusOf(fourth, '/agents', session)]).toEqual([200, 200, 401])
  })

  it('ends everywhere at once when its user says so, and those of others do not', async () => {
    const service = await openService()
    await addSomeone(service)
    const [one, other] = [await logIn(service), await logIn(service)]
    const theirs = await logIn(service, { username: 'someone', password: 'a password' })

    const answer = await send(service, '/tokens', { action: 'log-out-everywhere' }, one)

    const after = answer.headers.get('location') ?? ''
    expect([answer.status, new URL(after, 'http://x').pathname]).toEqual([303, '/login'])
    const said = await service.fetch(after, { as: null, headers: BROWSER })
    expect(await said.text()).toContain('You are logged out everywhere.')
    const statuses = [one, other, theirs].map((session) => statusOf(service, '/agents', session))
    expect(await Promise.all(statuses)).toEqual([401, 401, 200])
  })

  it('ends when the password changes, and when the user is removed', async () => {
    const service = await openService()
    await addSomeone(service)
    const users = new UsersFile(join(service.folder, 'state', 'users.htpasswd'))
    const session = await logIn(service)
    const theirs = await logIn(service, { username: 'someone', password: 'a password' })
    expect(await statusOf(service, '/agents', theirs)).toBe(200)

    await writeUser(users, { username: 'admin', password: 'another one', cost: QUICK_COST })
    await removeUser(users, 'someone')

    await expect.poll(() => statusOf(service, '/agents', session), SLOW).toBe(401)
    await expect.poll(() => statusOf(service, '/agents', theirs), SLOW).toBe(401)
  })

  it('does not begin by a password that is changed while it is compared', async () => {
    const service = await openService()
    const users = new UsersFile(join(service.folder, 'state', 'users.htpasswd'))
    const [before, after] = ['the former password', 'the later password']
    // Each comparison takes as long as that of the most expensive one.
    await addUser(users, { username: 'slow', password: before, cost: 11 })
    await addUser(users, { username: 'ana', password: before, cost: QUICK_COST })
    await expect
      .poll(async () => (await service.fetch('/api/users/slow/enable', { method: 'POST' })).status)
      .toBe(200)

    const login = send(service, '/login', { username: 'ana', password: before })
    await changePassword(users, { username: 'ana', password: after, cost: QUICK_COST })
    const answer = await login

    expect(await statusOf(service, '/api/whoami', cookieOf(answer))).toBe(401)
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('Wrong user name or password.')
    const again = await logIn(service, { username: 'ana', password: after })
    expect(await statusOf(service, '/api/whoami', again)).toBe(200)
  })
})
