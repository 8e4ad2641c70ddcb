import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LogEvent } from '../../../src/lib/log.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { HostileProvider, type Twist } from '../../support/identities/hostile-provider.ts'
import {
  CLIENT_ID,
  flagsFor,
  listen,
  PeopleProvider,
  PUBLIC_URL,
} from '../../support/identities/people-provider.ts'
import { WalkingBrowser } from '../../support/identities/walking-browser.ts'
import { save } from '../../support/service/saving.ts'
import { type CalledService, openService } from '../../support/service/service.ts'
import { addSomeone } from '../../support/service/someone-else.ts'
import { bearer } from '../../support/service/tokens.ts'
import { sourceSeen } from '../../support/identities/user-sources.ts'
import { MadeTokenBody } from '../../../src/wire/identity-bodies.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

const DAY_MS = 86_400_000
const SECURITY = `<server><security><passwordFile path="/u" /><roles>
  <role name="Crew"><users><user>nobody</user></users></role></roles>
  <admins><user>root</user></admins></security></server>`
const DOCUMENT = documentWith('one')
  .replace('<cruise schemaVersion="75">', (root) => root + SECURITY)
  .replace(
    '<pipelines group="first">',
    (group) => `${group}<authorization><view><role>Crew</role></view></authorization>`,
  )
const ANA = { preferred_username: 'Ana', groups: ['crew'] }
const UNFIT = 'The answer of the provider does not fit this log-in: begin again.'

interface World {
  readonly provider: PeopleProvider
  readonly service: CalledService
  readonly browser: WalkingBrowser
}

async function worldWith(
  person: Readonly<Record<string, unknown>>,
  clock = Date.now,
): Promise<World> {
  const provider = await PeopleProvider.start()
  provider.person = person
  const service = await openService(flagsFor(provider.issuer), tempDir(), { clock })
  return { provider, service, browser: new WalkingBrowser(service) }
}

async function whoIs(browser: WalkingBrowser): Promise<unknown> {
  return (await browser.step('/api/whoami')).json()
}

async function auditOf(service: CalledService, query: string) {
  const answer = await service.fetch(`/api/audit?${query}`)
  return AuditBody.parse(await answer.json()).entries
}

/** Whether it says that everybody whom the provider knows is an administrator. */
function isWarning({ level, message }: LogEvent): boolean {
  return level === 'warning' && message.startsWith('Every user of the directory')
}

/** The address at the service that the provider sends a browser to. */
async function callbackOf(browser: WalkingBrowser): Promise<string> {
  let address = '/login/oidc'
  while (!address.startsWith(`${PUBLIC_URL}/login/oidc/callback`)) {
    const answer = await browser.step(address)
    const location = answer.headers.get('location') ?? ''
    address = new URL(location, new URL(address, PUBLIC_URL)).href
  }
  return address
}

describe('a log-in by OpenID Connect', () => {
  it(
    'leads to the page that was asked for, with the roles that the provider names',
    { tags: ['long'] },
    async () => {
      const { service, browser } = await worldWith(ANA)
      await save(service, DOCUMENT)

      const form = await browser.go('/pipelines?q=a%20b')
      const [, way = ''] = /href="([^"]*\/login\/oidc[^"]*)"/.exec(form.text) ?? []
      const arrival = await browser.go(way.replaceAll('&amp;', '&'))

      expect(form.text).toMatch(/Log in with 127\.0\.0\.1:\d+/)
      expect([arrival.status, arrival.address]).toEqual([200, `${PUBLIC_URL}/pipelines?q=a%20b`])
      expect(browser.cookie('__Host-cairn-login')).toBeNull()
      expect(await whoIs(browser)).toMatchObject({
        name: 'Ana',
        source: 'oidc',
        administrator: false,
        roles: ['Crew'],
        groups: ['first'],
        credential: { kind: 'session' },
      })
      expect(await auditOf(service, 'user=Ana')).toMatchObject([
        { action: 'log-in', target: '/login/oidc/callback', outcome: 'done' },
      ])
    },
  )

  it('leads nowhere but to this service', async () => {
    const { browser } = await worldWith(ANA)

    for (const next of ['//evil.example/', 'https://evil.example/', '/\\evil.example']) {
      const arrival = await browser.go(`/login/oidc?next=${encodeURIComponent(next)}`)
      expect(new URL(arrival.address).origin).toBe(PUBLIC_URL)
    }
  })

  it('leads to an address with any letters', async () => {
    const { browser } = await worldWith(ANA)

    const arrival = await browser.go(`/login/oidc?next=${encodeURIComponent('/search?q=ж')}`)

    expect([arrival.status, arrival.address]).toEqual([200, `${PUBLIC_URL}/search?q=%D0%B6`])
  })

  it('is good once, and only in the browser that began it', async () => {
    const { service, browser } = await worldWith(ANA)
    const callback = await callbackOf(browser)
    const kept = browser.cookie('__Host-cairn-login') ?? ''
    const other = new WalkingBrowser(service)

    const elsewhere = await other.go(callback)
    const first = await browser.go(callback)
    browser.setCookie('__Host-cairn-login', kept)
    const again = await browser.go(callback)

    expect([elsewhere.status, first.status, again.status]).toEqual([403, 200, 403])
    expect(again.text).toContain('This log-in took too long or is over: begin again.')
    expect(other.cookie('__Host-cairn')).toBeNull()
  })

  it('is refused with the answer to another log-in', async () => {
    const { browser } = await worldWith(ANA)
    const callback = await callbackOf(browser)
    await callbackOf(browser)

    const arrival = await browser.go(callback)

    expect([arrival.status, browser.cookie('__Host-cairn')]).toEqual([403, null])
    expect(arrival.text).toContain(UNFIT)
  })

  it('is completed in the tab that began last, whichever comes back first', async () => {
    const { browser } = await worldWith(ANA)
    const [first, last] = [await callbackOf(browser), await callbackOf(browser)]

    const refused = await browser.go(first)
    const arrival = await browser.go(last)

    expect([refused.status, arrival.status]).toEqual([403, 200])
    expect(await whoIs(browser)).toMatchObject({ name: 'Ana' })
    expect(browser.cookie('__Host-cairn-login')).toBeNull()
  })

  it('is refused after ten minutes', async () => {
    let later = 0
    const { browser } = await worldWith(ANA, () => Date.now() + later)
    const callback = await callbackOf(browser)
    later = 11 * 60_000

    expect((await browser.go(callback)).status).toBe(403)
  })

  it('is refused to a name of the users file, also when that comes later', async () => {
    const { provider, service, browser } = await worldWith({ preferred_username: 'ADMIN' })

    const admin = await browser.go('/login/oidc')
    provider.person = { preferred_username: 'SomeOne' }
    await browser.go('/login/oidc')
    const before = await whoIs(browser)
    await addSomeone(service)

    expect(admin.status).toBe(403)
    expect(admin.text).toContain('ADMIN is the name of a user who logs in with a password here.')
    expect(before).toMatchObject({ name: 'SomeOne' })
    await expect.poll(async () => (await browser.step('/api/whoami')).status).toBe(401)
  })

  it('is refused to who has no name that can be one, or an address that is not verified', async () => {
    const { provider, service, browser } = await worldWith({})
    const statuses: number[] = []

    for (const name of [undefined, 42, '', 'a:b', 'a\nb', ' a']) {
      provider.person = { preferred_username: name }
      statuses.push((await browser.go('/login/oidc')).status)
    }

    expect(statuses).toEqual([403, 403, 403, 403, 403, 403])
    expect(service.logged.map(({ message }) => message)).toContain(
      'A log-in by OpenID Connect failed',
    )
  })

  it.each([
    ['Filesystem', 'The user name Filesystem is reserved'],
    ['upgrade', 'The user name upgrade is reserved'],
    ['agent_u_192.0.2.1_host', 'The user name agent_u_192.0.2.1_host is reserved'],
    ['an\u202Ea', 'this one has U+202E'],
    ['ａｎａ', 'in its normal form, which is'],
    ['ana ', 'in its normal form, which is'],
  ])('is refused to %j with a reason', async (name, reason) => {
    const { browser } = await worldWith({ preferred_username: name })

    const { status, text } = await browser.go('/login/oidc')

    expect(status).toBe(403)
    expect(text).toContain(reason)
  })

  it('gives nobody the rights of the first user', async () => {
    const { service, browser } = await worldWith({ preferred_username: 'admin' })
    await save(service, DOCUMENT)
    await addSomeone(service)
    const file = join(service.folder, 'state', 'users.htpasswd')
    writeFileSync(file, '# nobody\nsomeone-else:{SHA}AAAAAAAAAAAAAAAAAAAAAAAAAAA=\n')
    await expect.poll(async () => (await service.fetch('/api/agents')).status).toBe(401)

    await browser.go('/login/oidc')

    expect(await whoIs(browser)).toMatchObject({ name: 'admin', administrator: false })
  })

  it('goes on when the provider has other keys', async () => {
    const { provider, browser, service } = await worldWith(ANA)
    await browser.go('/login/oidc')
    await provider.renewKeys()
    const other = new WalkingBrowser(service)

    await other.go('/login/oidc')

    expect(await whoIs(other)).toMatchObject({ name: 'Ana' })
  })

  it('waits for a provider that is away, while sessions go on', async () => {
    const { provider, service, browser } = await worldWith(ANA)
    await browser.go('/login/oidc')
    const other = new WalkingBrowser(service)
    const callback = await callbackOf(other)

    provider.goAway()
    const refused = [await other.go('/login/oidc'), await other.go(callback)]

    expect(refused.map(({ status }) => status)).toEqual([503, 503])
    for (const { text } of refused) {
      expect(text).toContain('The OpenID Connect provider cannot be reached now')
      expect(text).toContain('name="password"')
    }
    expect(await whoIs(browser)).toMatchObject({ name: 'Ana' })
    expect(await sourceSeen(service, 'oidc')).toEqual({
      status: 200,
      problems: [expect.stringMatching(/^The OpenID Connect provider 127\.0\.0\.1:\d+ has not/)],
      isUp: 0,
    })
    await provider.renewKeys()
    await other.go('/login/oidc')
    expect(await whoIs(other)).toMatchObject({ name: 'Ana' })
    expect(await sourceSeen(service, 'oidc')).toEqual({ status: 200, problems: [], isUp: 1 })
  })
})

describe('a service with a provider', () => {
  it('starts while that is away, and warns where everybody would be an administrator', async () => {
    const service = await openService(flagsFor('http://127.0.0.1:1'))
    const browser = new WalkingBrowser(service)

    expect((await browser.go('/login/oidc')).status).toBe(503)
    expect(service.logged.filter(isWarning)).toHaveLength(1)
    await save(service, DOCUMENT)
    await service.close()
    const again = await openService(flagsFor('http://127.0.0.1:1'), service.folder)
    expect(again.logged.filter(isWarning)).toEqual([])
  })

  it('does not start without the file that has its secret', async () => {
    const flags = [...flagsFor('http://127.0.0.1:1'), '--oidc-client-secret-file', '/not-there']

    await expect(openService(flags)).rejects.toThrow('The file /not-there cannot be read')
  })
})

describe('what is issued to a user of a provider', () => {
  it('is good for a day as a session, and as a token for 30 days after the last log-in', async () => {
    let later = 0
    const { provider, service, browser } = await worldWith(ANA, () => Date.now() + later)
    await save(service, DOCUMENT)
    await browser.go('/login/oidc')
    const session = browser.cookie('__Host-cairn') ?? ''
    const own = { host: new URL(PUBLIC_URL).host, origin: PUBLIC_URL }
    const headers = { cookie: `__Host-cairn=${session}`, ...own }
    const body = JSON.stringify({ name: 'nightly', scope: 'read' })
    const made = await service.fetch('/api/tokens', { method: 'POST', as: null, headers, body })
    const { token } = MadeTokenBody.parse(await made.json())
    const ask = async () => (await service.fetch('/api/whoami', bearer(token))).json()

    expect(await ask()).toMatchObject({ name: 'Ana', source: 'oidc', roles: ['Crew'] })
    later = 25 * 60 * 60_000
    expect((await browser.step('/api/whoami')).status).toBe(401)
    later = 29 * DAY_MS
    provider.person = { preferred_username: 'ana' }
    await browser.go('/login/oidc')
    later = 58 * DAY_MS
    expect(await ask()).toMatchObject({ name: 'Ana', source: 'oidc', roles: [] })
    later = 60 * DAY_MS
    expect((await service.fetch('/api/whoami', bearer(token))).status).toBe(401)
  })
})

describe('a provider that cannot be believed', () => {
  const twists: Record<string, Twist> = {
    'another nonce': { claims: () => ({ nonce: 'another' }) },
    'another issuer': { claims: () => ({ iss: 'https://evil.example' }) },
    'another audience': { claims: () => ({ aud: 'another-client' }) },
    'another party': { claims: () => ({ azp: 'another-client' }) },
    'a party that is no name': { claims: () => ({ azp: null }) },
    'another party of several': {
      claims: () => ({ aud: [CLIENT_ID, 'another-client'], azp: 'another-client' }),
    },
    'a token that is over': { claims: (now) => ({ exp: now - 60 }) },
    'a token without a signature': { signature: 'none' },
    'a signature by another key': { signature: 'other-key' },
    'no token': { isMissing: true },
  }

  it.each(Object.entries(twists))(
    'lets nobody in by %s',
    { tags: ['long'] },
    async (_what, twist) => {
      const { arrival, browser, service } = await loginWith(twist)

      expect([arrival.status, browser.cookie('__Host-cairn')]).toEqual([403, null])
      expect(arrival.text).toContain(UNFIT)
      const failed = 'A log-in by OpenID Connect failed'
      const refused = service.logged.find(({ message }) => message === failed)
      expect(refused?.facts).toMatchObject({ detail: expect.stringMatching(/\w{5}/) })
      expect(await auditOf(service, 'outcome=refused')).toMatchObject([{ action: 'log-in' }])
    },
  )

  it('is not heard to the end where it sends without end', async () => {
    let sent = 0
    const provider = createServer((_request, response) => {
      const chunk = Buffer.alloc(1_048_576, ' ')
      const send = () => {
        do sent += chunk.length
        while (!response.destroyed && response.write(chunk))
      }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.on('drain', send)
      send()
    })
    onTestFinished(() => void provider.close())
    const service = await openService(flagsFor(`http://127.0.0.1:${await listen(provider)}`))

    const { status, text } = await new WalkingBrowser(service).go('/login/oidc')

    expect(status).toBe(503)
    expect(text).toContain('name="password"')
    expect(sent).toBeLessThan(64 * 1_048_576)
  })

  it('lets nobody in by the nonce of an earlier log-in', async () => {
    const { provider, browser } = await hostileWorld()
    const earlier = await begun(browser)
    const { state } = await begun(browser)
    provider.nonce = earlier.nonce

    const arrival = await browser.go(`/login/oidc/callback?code=a-code&state=${state}`)

    expect([arrival.status, browser.cookie('__Host-cairn')]).toEqual([403, null])
  })

  it.each([[CLIENT_ID], [[CLIENT_ID, 'another-client']]])(
    'is believed where the token for %j was issued to this client',
    async (aud) => {
      const { browser } = await loginWith({ claims: () => ({ aud, azp: CLIENT_ID }) })

      expect(await whoIs(browser)).toMatchObject({ name: 'ana' })
    },
  )

  it('is believed with a clock that goes differently by less than half a minute', async () => {
    const { browser } = await loginWith({
      claims: (now) => ({ iat: now + 15, exp: now - 5 }),
    })

    expect(await whoIs(browser)).toMatchObject({ name: 'ana' })
  })

  it(
    'is refused to who is disabled here, whose session and tokens end',
    { tags: ['long'] },
    async () => {
      const { service, browser } = await worldWith(ANA)
      await browser.go('/login/oidc')
      expect(await whoIs(browser)).toMatchObject({ name: 'Ana' })
      const act = (way: string, method = 'POST') =>
        service.fetch(`/api/users/ana${way}`, { method })

      expect((await act('/disable')).status).toBe(200)

      expect((await browser.step('/api/whoami')).status).toBe(401)
      expect((await browser.go('/login/oidc')).text).toContain('The user Ana is disabled here.')
      expect(await (await service.fetch('/api/users')).json()).toContainEqual(
        expect.objectContaining({ name: 'Ana', source: 'oidc', disabled: true }),
      )
      expect((await act('/enable')).status).toBe(200)
      await browser.go('/login/oidc')
      expect(await whoIs(browser)).toMatchObject({ name: 'Ana' })
      expect((await act('', 'DELETE')).status).toBe(200)
      expect((await browser.step('/api/whoami')).status).toBe(401)
      expect((await act('/disable')).status).toBe(200)
      expect((await browser.go('/login/oidc')).text).toContain('The user Ana is disabled here.')
    },
  )

  it('gives sessions and tokens of before the roles of now, and nothing to another account of the name', async () => {
    const { service, provider, browser } = await worldWith(ANA)
    await save(service, DOCUMENT)
    await browser.go('/login/oidc')
    const first = await whoIs(browser)
    provider.person = { ...ANA, groups: [] }
    const elsewhere = new WalkingBrowser(service)
    await elsewhere.go('/login/oidc')

    expect(first).toMatchObject({ roles: ['Crew'] })
    expect(await whoIs(browser)).toMatchObject({ roles: [] })
    const made = await sendToken(browser, service)
    provider.account = 'another-person'
    const another = new WalkingBrowser(service)
    await another.go('/login/oidc')
    expect(await whoIs(another)).toMatchObject({ name: 'Ana' })
    expect(await (await another.step('/api/tokens')).json()).toEqual([])
    expect((await service.fetch('/api/whoami', bearer(made))).status).toBe(200)
  })

  it('replaces the session that the browser had, and keeps a cookie that browsers take', async () => {
    const { service, browser } = await worldWith(ANA)
    await browser.go('/login/oidc')
    const before = browser.cookie('__Host-cairn') ?? ''
    const next = encodeURIComponent(`/pipelines?q=${'x'.repeat(6_000)}`)

    const sentOn = await browser.step(`/login/oidc?next=${next}`)
    const arrival = await browser.go(sentOn.headers.get('location') ?? '')

    expect(sentOn.headers.get('set-cookie')?.length).toBeLessThan(4_096)
    expect(arrival.address).toBe(`${PUBLIC_URL}/pipelines`)
    const old = new WalkingBrowser(service)
    old.setCookie('__Host-cairn', before)
    expect((await old.step('/api/whoami')).status).toBe(401)
  })
})

/** Makes a token with the session of a browser. */
async function sendToken(browser: WalkingBrowser, service: CalledService): Promise<string> {
  const answer = await service.fetch('/api/tokens', {
    method: 'POST',
    as: null,
    headers: {
      host: new URL(PUBLIC_URL).host,
      cookie: `__Host-cairn=${browser.cookie('__Host-cairn') ?? ''}`,
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({ name: 'one', scope: 'read' }),
  })
  return MadeTokenBody.parse(await answer.json()).token
}

async function hostileWorld() {
  const provider = await HostileProvider.start()
  const service = await openService(flagsFor(provider.issuer))
  return { provider, service, browser: new WalkingBrowser(service) }
}

/** The parameters that the browser takes to the provider. */
async function begun(browser: WalkingBrowser) {
  const { headers } = await browser.step('/login/oidc')
  const { searchParams } = new URL(headers.get('location') ?? '')
  return { state: searchParams.get('state') ?? '', nonce: searchParams.get('nonce') ?? '' }
}

async function loginWith(twist: Twist) {
  const { provider, service, browser } = await hostileWorld()
  const { state, nonce } = await begun(browser)
  provider.nonce = nonce
  provider.twist = twist
  const arrival = await browser.go(`/login/oidc/callback?code=a-code&state=${state}`)
  return { arrival, browser, service }
}
