// @module-tag long
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { tempDir, TempFolder } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import {
  BIND_BY_TLS,
  DirectoryServer,
  makeAuthority,
} from '../../support/identities/directory-server.ts'
import { TcpProxy } from '../../support/programs/tcp-proxy.ts'
import { openEvents } from '../../support/service/event-reader.ts'
import { putRules } from '../../support/service/ruled-service.ts'
import { save } from '../../support/service/saving.ts'
import {
  ADMIN_PASSWORD,
  type CalledService,
  openService,
  startService,
} from '../../support/service/service.ts'
import { sourceSeen } from '../../support/identities/user-sources.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

/** Less than an answer of a directory is waited for. */
const SOON_MS = 4_000
const PEOPLE = 'ou=people,dc=example,dc=org'
const GROUPS = 'ou=groups,dc=example,dc=org'

function person(uid: string, password: string, place = 'people'): string {
  return `dn: uid=${uid},ou=${place},dc=example,dc=org
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
mail: ${uid}@example.org
userPassword: ${password}
`
}

function group(name: string, ...members: readonly string[]): string {
  const lines = members.map((member) => `member: ${member}`)
  return `dn: cn=${name},${GROUPS}\nobjectClass: groupOfNames\ncn: ${name}\n${lines.join('\n')}\n`
}

/** A user of LDIF whose entry and name have letters that are not in ASCII, with the group of that user. */
function cook(uid: string, place: string, of: string): string {
  const [dn, name] = [place, uid].map((text) => Buffer.from(text).toString('base64'))
  return `dn:: ${dn}
objectClass: inetOrgPerson
uid:: ${name}
sn: x
userPassword: a password

dn: cn=${of},${GROUPS}
objectClass: groupOfNames
cn: ${of}
member:: ${dn}
`
}

function unit(name: string, parent = 'dc=example,dc=org'): string {
  return `dn: ou=${name},${parent}\nobjectClass: organizationalUnit\nou: ${name}\n`
}

/** Crew is in Fleet, and each of Fleet and Loop is in the other one. */
const ENTRIES = [
  'dn: dc=example,dc=org\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n',
  `dn: cn=reader,dc=example,dc=org
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: the reader's password
`,
  unit('people'),
  unit('guests', PEOPLE),
  unit('groups'),
  person('ana', 'her: pässword'),
  person('ben', 'his password'),
  person('admin', 'the password of another admin'),
  person('Filesystem', 'a password'),
  person('agent_u_i_h', 'a password'),
  person('twin', 'one password'),
  person('twin', 'one password', 'guests,ou=people'),
  group('Crew', `uid=ana,${PEOPLE}`),
  group('Fleet', `cn=Crew,${GROUPS}`, `cn=Loop,${GROUPS}`),
  group('Loop', `cn=Fleet,${GROUPS}`),
  `dn: cn=Cooks,${GROUPS}\nobjectClass: posixGroup\ncn: Cooks\ngidNumber: 7\nmemberUid: ben\n`,
  cook('Jörg', `cn=Müller\\, Jörg,${PEOPLE}`, 'Bakers'),
].join('\n')

const role = (name: string) => `<role name="${name}"><users><user>nobody</user></users></role>`
const SECURITY = `<server><security><passwordFile path="/u" />
  <roles>${['Crew', 'Fleet', 'Loop', 'Cooks', 'Bakers'].map(role).join('')}</roles>
  <admins><user>root</user><role>Fleet</role></admins></security></server>`
const DOCUMENT = documentWith('one').replace(
  '<cruise schemaVersion="75">',
  (root) => root + SECURITY,
)
const ANA = 'ana:her: pässword'
const BEN = 'ben:his password'
const ADMIN = `admin:${ADMIN_PASSWORD}`

describe('users of a directory', { tags: ['slapd', 'openssl'] }, () => {
  const folder = new TempFolder()
  let files: ReturnType<typeof makeFiles>
  let directory: DirectoryServer

  beforeAll(async () => {
    files = makeFiles(folder.path)
    directory = await DirectoryServer.start(folder.path, ENTRIES, files)
  }, 120_000)
  afterAll(async () => {
    await directory.stop()
    folder[Symbol.dispose]()
  })

  function flagsFor(urls: string, ...more: readonly string[]): string[] {
    const reader = ['--ldap-bind-dn', 'cn=reader,dc=example,dc=org']
    const password = ['--ldap-bind-password-file', files.password]
    const bases = ['--ldap-user-base', PEOPLE, '--ldap-group-base', GROUPS]
    return ['--ldap-url', urls, ...reader, ...password, ...bases, ...more]
  }

  function serviceWith(urls: string, ...more: readonly string[]): Promise<CalledService> {
    return openService(flagsFor(urls, '--ldap-ca-file', files.ca, ...more))
  }

  it('log in by Basic and on the page, with their groups as roles', async () => {
    const service = await serviceWith(directory.secureUrl)
    await save(service, DOCUMENT)

    const body = new URLSearchParams({ username: 'ana', password: 'her: pässword' }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const login = await service.fetch('/login', { method: 'POST', as: null, headers: form, body })
    const [cookie = ''] = login.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')

    expect(await whoIs(service, ANA)).toEqual({
      name: 'ana',
      source: 'ldap',
      administrator: true,
      roles: ['Crew', 'Fleet', 'Loop'],
      groups: ['first'],
      credential: { kind: 'password', scope: 'admin' },
    })
    expect(await whoIs(service, 'BEN:his password')).toMatchObject({
      name: 'ben',
      administrator: false,
      roles: ['Cooks'],
    })
    const session = await service.fetch('/api/whoami', { as: null, headers: { cookie } })
    expect(await session.json()).toMatchObject({ name: 'ana', source: 'ldap', administrator: true })
    expect(await auditOf(service, 'user=ana')).toMatchObject([
      { action: 'log-in', outcome: 'done' },
    ])
  })

  it('have names and entries with any letters', async () => {
    const service = await serviceWith(
      directory.url,
      '--ldap-user-filter',
      '(&(uid={user})(!(cn=J\\c3\\b6rg)))',
    )
    await save(service, DOCUMENT)

    expect(await whoIs(service, 'jörg:a password')).toMatchObject({
      name: 'Jörg',
      roles: ['Bakers'],
    })
  })

  it('are disabled though they have left nothing here, before they come as well', async () => {
    const service = await serviceWith(directory.secureUrl)
    await whoIs(service, BEN)
    const asked = async (login: string) =>
      (await service.fetch('/api/whoami', { as: login })).status
    const act = async (name: string, way: string, from = '') =>
      (await service.fetch(`/api/users/${name}/${way}${from}`, { method: 'POST' })).status

    const disabled = [await act('Ben', 'disable'), await act('ana', 'disable')]

    expect(disabled).toEqual([200, 200])
    expect([await asked(BEN), await asked(ANA)]).toEqual([401, 401])
    expect(await (await service.fetch('/api/users')).json()).toContainEqual(
      expect.objectContaining({ name: 'ana', source: 'ldap', disabled: true }),
    )
    expect([await act('ben', 'enable'), await asked(BEN), await asked(ANA)]).toEqual([
      200, 200, 401,
    ])
    expect(await act('nobody', 'disable', '?source=oidc')).toBe(404)
  })

  it('approve nothing any more while they are disabled', async () => {
    const service = await serviceWith(directory.secureUrl)
    const json = { 'content-type': 'application/json' }
    const post = async (path: string, as: string, body: object = {}) => {
      const init = { method: 'POST', as, headers: json, body: JSON.stringify(body) }
      return (await service.fetch(path, init)).status
    }
    await putRules(
      service,
      'version: 1\nrules:\n  - { name: ask, need: [{ approvals: 1, of: user/ben }] }\n',
      ADMIN,
    )
    const change = { title: 'Two', document: documentWith('two') }

    const statuses = [
      await post('/api/proposals', ADMIN, change),
      await post('/api/proposals/1/approve', BEN),
      await post('/api/users/ben/disable', ADMIN),
      await post('/api/proposals/1/merge', ADMIN),
      await post('/api/users/ben/enable', ADMIN),
      await post('/api/proposals/1/merge', ADMIN),
    ]

    expect(statuses).toEqual([201, 200, 200, 403, 200, 200])
  })

  it('administer agents where a group of theirs does', async () => {
    const service = await serviceWith(directory.secureUrl)
    const agent = '<agents><agent uuid="a1" hostname="one" ipaddress="192.0.2.7" /></agents>'
    await save(service, DOCUMENT.replace('</cruise>', `${agent}</cruise>`))
    const ask = async (as: string, method: string, path: string, body = '') => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await service.fetch(`/api/agents/a1${path}`, { as, method, headers, body })).status
    }
    const asked = async (as: string) => [
      await ask(as, 'POST', '/disable'),
      await ask(as, 'PATCH', '', 'hostname=two'),
      await ask(as, 'POST', '/enable'),
    ]

    expect(await asked(BEN)).toEqual([403, 403, 403])
    expect(await asked(ANA)).toEqual([200, 200, 200])
  })

  it('are nobody by a wrong password, none, or a name that means more than itself', async () => {
    const service = await serviceWith(directory.secureUrl)
    const refused = [
      'ana:wrong',
      'ana:',
      '*:her: pässword',
      'a*:her: pässword',
      'ana)(uid=*:her: pässword',
      'ana)(|(uid=*:her: pässword',
      '\\61na:her: pässword',
      'ana\0:her: pässword',
      'twin:one password',
      'nobody:her: pässword',
      'admin:the password of another admin',
      'admin :the password of another admin',
    ]

    const statuses: unknown[] = []
    for (const as of refused) {
      statuses.push([as, (await service.fetch('/api/whoami', { as })).status])
    }

    expect(statuses).toEqual(refused.map((as) => [as, 401]))
    expect(service.logged.map(({ message }) => message)).toContain(
      'A name means several entries of the directory, and none of them is let in',
    )
    expect(await whoIs(service, ANA)).toMatchObject({ name: 'ana' })
    const failures = await auditOf(service, 'outcome=refused')
    expect(failures).toContainEqual(expect.objectContaining({ claimed: 'ana', status: 401 }))
  })

  it('are slowed down where their passwords are guessed, and nobody else is', async () => {
    const service = await serviceWith(directory.secureUrl)
    const guesses = Array.from({ length: 25 }, (_, n) => `ana:guess ${n}`)

    const answers = await Promise.all(
      guesses.map(async (as) => (await service.fetch('/api/whoami', { as })).status),
    )
    const more = await service.fetch('/api/whoami', { as: 'ana:one more' })

    expect(answers.filter((status) => status === 401)).toHaveLength(20)
    expect(answers.filter((status) => status === 429)).toHaveLength(5)
    expect(more.status).toBe(429)
    expect(Number(more.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await whoIs(service, BEN)).toMatchObject({ name: 'ben' })
    expect((await service.fetch('/api/whoami')).status).toBe(200)
  })

  it('have one limit for guesses, however their names are written and found', async () => {
    const filter = '(&(objectClass=inetOrgPerson)(|(uid={user})(mail={user})))'
    const service = await serviceWith(directory.secureUrl, '--ldap-user-filter', filter)
    const names = [
      'ana',
      'ana ',
      ' ana',
      'ａｎａ',
      'a\u00ADna',
      'ana@example.org',
      'ANA@example.org ',
    ]
    const guesses = names.flatMap((name) => Array.from({ length: 7 }, (_, n) => `${name}:no ${n}`))

    const answers = await Promise.all(
      guesses.map(async (as) => (await service.fetch('/api/whoami', { as })).status),
    )

    expect(await whoIs(service, 'ｂｅｎ :his password')).toMatchObject({ name: 'ben' })
    expect(answers.filter((status) => status === 401)).toHaveLength(20)
    expect(answers.filter((status) => status === 429)).toHaveLength(29)
  })

  it('are refused by names that the service signs revisions with, who know their password', async () => {
    const service = await serviceWith(directory.secureUrl)
    const tried = ['filesystem:a password', 'agent_u_i_h:a password', 'Filesystem:wrong']

    const answers = await Promise.all(tried.map((as) => service.fetch('/api/whoami', { as })))

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 401])
    expect(await answers[0]?.json()).toEqual({
      message: expect.stringContaining('The user name Filesystem is reserved'),
    })
  })

  it('go by one name, by whatever the filter finds them', async () => {
    const filter = '(&(objectClass=inetOrgPerson)(|(uid={user})(mail={user})))'
    const service = await serviceWith(directory.secureUrl, '--ldap-user-filter', filter)

    const ana = await whoIs(service, 'Ana@example.org:her: pässword')
    const admin = await service.fetch('/api/whoami', {
      as: 'admin@example.org:the password of another admin',
    })

    expect([ana, admin.status]).toMatchObject([{ name: 'ana' }, 401])
  })

  it('are asked for over StartTLS, from a server with a certificate that is trusted', async () => {
    const service = await serviceWith(directory.url, '--ldap-start-tls')
    const untrusting = [
      await openService(flagsFor(directory.secureUrl)),
      await openService(flagsFor(directory.url, '--ldap-start-tls')),
      await serviceWith(directory.secureUrl.replace('localhost', '127.0.0.1')),
      await serviceWith(directory.url.replace('localhost', '127.0.0.1'), '--ldap-start-tls'),
    ]

    const statuses = await Promise.all(
      untrusting.map(async (each) => (await each.fetch('/api/whoami', { as: ANA })).status),
    )

    expect(await whoIs(service, ANA)).toMatchObject({ name: 'ana' })
    expect(statuses).toEqual([503, 503, 503, 503])
  })

  it('wait for a directory that is away; users of the users file do not', async () => {
    const service = await serviceWith(directory.url)
    await addSomeone(service)
    expect(await whoIs(service, ANA)).toMatchObject({ name: 'ana' })

    await directory.stop()
    const away = await service.fetch('/api/whoami', { as: BEN })
    const sick = await sourceSeen(service, 'ldap')
    const local = await service.fetch('/api/whoami', { as: SOMEONE })
    const remembered = await service.fetch('/api/whoami', { as: ANA })
    await directory.startAgain()

    expect([away.status, local.status, remembered.status]).toEqual([503, 200, 200])
    expect(await away.json()).toEqual({ message: 'The directory of users cannot be reached now' })
    expect(sick).toEqual({
      status: 200,
      problems: [
        expect.stringMatching(
          /^The directory of users has not answered since \d{4}-.*: its users cannot log in, those of this service can/,
        ),
      ],
      isUp: 0,
    })
    expect(await whoIs(service, BEN)).toMatchObject({ name: 'ben' })
    expect(await sourceSeen(service, 'ldap')).toEqual({ status: 200, problems: [], isUp: 1 })
  })

  it('are not told of a wrong password by a server that checks none, and are asked for at the next one', async () => {
    using place = new TempFolder()
    await using strict = await DirectoryServer.start(place.path, ENTRIES, files, BIND_BY_TLS)
    const bases = ['--ldap-user-base', PEOPLE, '--ldap-ca-file', files.ca]
    const service = await openService(['--ldap-url', strict.url, ...bases])
    const both = await openService(['--ldap-url', `${strict.url},${strict.secureUrl}`, ...bases])

    const refused = await service.fetch('/api/whoami', { as: ANA })

    expect(refused.status).toBe(503)
    expect(service.logged).toContainEqual(
      expect.objectContaining({ message: 'A directory server fails' }),
    )
    expect(await whoIs(both, ANA)).toMatchObject({ name: 'ana' })
    expect((await both.fetch('/api/whoami', { as: `${ANA}!` })).status).toBe(401)
  })

  it('hold no revocation up while the directory does not answer, neither of others nor of themselves', async () => {
    const clock = { now: Date.now() }
    const proxy = await TcpProxy.to(directory.port)
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    const flags = flagsFor(proxy.through('ldap://localhost:1'))
    const service = await startService(flags, tempDir(), { clock: () => clock.now })
    await addSomeone(service)
    const endings: Promise<unknown>[] = []
    for (const as of [ANA, BEN, 'Jörg:a password', SOMEONE]) {
      const events = await openEvents(service, '', {}, as)
      endings.push(events.next().catch(() => null))
    }
    const [anas, , , theirs] = endings
    const disable = (name: string) =>
      service.fetch(`/api/users/${name}/disable`, { method: 'POST', body: '{}' })

    proxy.deafen()
    // What was right is asked for again.
    clock.now += 61_000
    const statuses = [(await disable('someone')).status, (await disable('ana')).status]
    const ended = await Promise.race([Promise.all([theirs, anas]), wait(SOON_MS, 'too late')])

    expect(statuses).toEqual([200, 200])
    expect(ended).toEqual([null, null])
  })

  it('are asked for at the next server where one does not answer', async () => {
    const proxy = await TcpProxy.to(directory.port)
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    proxy.deafen()
    const first = proxy.through('ldap://localhost:1')
    const service = await serviceWith(`${first},${directory.url}`)

    const [ana, admin] = await Promise.all([
      whoIs(service, ANA),
      service.fetch('/api/whoami').then(({ status }) => status),
    ])

    expect([ana, admin]).toMatchObject([{ name: 'ana' }, 200])
    expect(await whoIs(service, BEN)).toMatchObject({ name: 'ben' })
    const failed = service.logged.filter(({ message }) => message === 'A directory server fails')
    expect(failed).toHaveLength(1)
  })
})

function makeFiles(folder: string) {
  const password = join(folder, 'password')
  writeFileSync(password, "the reader's password\n")
  return { password, ...makeAuthority(folder) }
}

async function whoIs(service: CalledService, as: string): Promise<unknown> {
  return (await service.fetch('/api/whoami', { as })).json()
}

async function auditOf(service: CalledService, query: string) {
  const answer = await service.fetch(`/api/audit?${query}`)
  return AuditBody.parse(await answer.json()).entries
}
