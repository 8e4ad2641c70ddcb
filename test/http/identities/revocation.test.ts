import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { addUser, changePassword, disableUser, removeUser } from '../../../src/security/users.ts'
import { UsersFile } from '../../../src/security/users-file.ts'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { gitLine } from '../../support/git/git.ts'
import { begin } from '../../support/http/begun-request.ts'
import { until } from '../../support/programs/until.ts'
import { openEvents } from '../../support/service/event-reader.ts'
import { save } from '../../support/service/saving.ts'
import { QUICK_COST, startService, type TestService } from '../../support/service/service.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'
import { makeToken } from '../../support/service/tokens.ts'
import { TokenEntry } from '../../../src/wire/identity-bodies.ts'

type Headers = Readonly<Record<string, string>>

/** The promise, as {@link timeUntil} measures. */
const SOON_MS = 1_000
const STEP_MS = 10
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const WATCH = '/api/config/watch?wait=15'

/** A kind of credential: how a service issues and revokes it. */
interface Revocation {
  readonly give: (service: TestService) => Promise<Headers>
  readonly revoke: (service: TestService, headers: Headers, clock: Clock) => Promise<unknown>
}

interface Clock {
  now: number
}

function usersOf({ folder }: TestService): UsersFile {
  return new UsersFile(join(folder, 'state', 'users.htpasswd'))
}

async function tokenOf(service: TestService, expires?: string): Promise<Headers> {
  const options = { as: SOMEONE, ...(expires === undefined ? {} : { expires }) }
  const { token } = await makeToken(service, 'admin', options)
  return { authorization: `Bearer ${token}` }
}

async function sessionOf(service: TestService): Promise<Headers> {
  const [username = '', password = ''] = SOMEONE.split(':')
  const body = new URLSearchParams({ username, password })
  const answer = await service.fetch('/login', { method: 'POST', as: null, headers: FORM, body })
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
}

async function passwordOf(): Promise<Headers> {
  return { authorization: `Basic ${Buffer.from(SOMEONE).toString('base64')}` }
}

function changed(service: TestService): Promise<boolean> {
  const changing = { username: 'someone', password: 'another password', cost: QUICK_COST }
  return changePassword(usersOf(service), changing)
}

async function revokeTokens(service: TestService): Promise<void> {
  const listed = await (await service.fetch('/api/tokens?user=someone')).json()
  for (const { id } of z.array(TokenEntry).parse(listed))
    await service.fetch(`/api/tokens/${id}`, { method: 'DELETE' })
}

const LATER_MS = 3_600_000

const REVOCATIONS: Readonly<Record<string, Revocation>> = {
  'a token is revoked': { give: tokenOf, revoke: revokeTokens },
  'a token expires': {
    give: (service) => tokenOf(service, new Date(Date.now() + LATER_MS).toISOString()),
    revoke: async (_service, _headers, clock) => void (clock.now += 2 * LATER_MS),
  },
  'a session ends': {
    give: sessionOf,
    revoke: (service, headers) =>
      service.fetch('/log-out', {
        method: 'POST',
        as: null,
        headers: { ...FORM, 'sec-fetch-site': 'same-origin', ...headers },
      }),
  },
  'the password of a session changes': { give: sessionOf, revoke: changed },
  'a password changes': { give: passwordOf, revoke: changed },
  'a user is disabled': {
    give: passwordOf,
    revoke: (service) => disableUser(usersOf(service), 'someone'),
  },
  'the user of a token is disabled': {
    give: tokenOf,
    revoke: (service) => service.fetch('/api/users/someone/disable', { method: 'POST' }),
  },
  'the user of a session is removed': {
    give: sessionOf,
    revoke: (service) => removeUser(usersOf(service), 'someone'),
  },
}

/**
 * The milliseconds until something ends, counted by the timers of this process, as those of the
 * service in it are: time in which the machine did other things is none.
 */
async function timeUntil(ended: Promise<unknown>): Promise<number> {
  let steps = 0
  const timer = setInterval(() => (steps += 1), STEP_MS)
  await ended.finally(() => clearInterval(timer))
  return steps * STEP_MS
}

async function openScene(name: string) {
  const clock = { now: Date.now() }
  const service = await startService([], undefined, { clock: () => clock.now })
  await addSomeone(service)
  const revocation = REVOCATIONS[name]
  const headers = (await revocation?.give(service)) ?? {}
  /** Takes the credential away; gives how many milliseconds something took to end after that. */
  const tookAfterRevoking = async (ended: Promise<unknown>) => {
    await revocation?.revoke(service, headers, clock)
    return timeUntil(ended)
  }
  return { service, headers, tookAfterRevoking }
}

describe.each(Object.keys(REVOCATIONS))('when %s', (name) => {
  it('a call that waits is refused, and an event stream ends', async () => {
    const { service, headers, tookAfterRevoking } = await openScene(name)
    const since = gitLine(service.repository, 'rev-parse', 'HEAD')
    const waiting = service.fetch(`${WATCH}&since=${since}`, { as: null, headers })
    const asSomebody = {
      fetch: (path: string, init = {}) => service.fetch(path, { ...init, as: null }),
    }
    const events = await openEvents(asSomebody, '', headers)
    const ended = events.next().catch(() => null)

    const took = await tookAfterRevoking(Promise.all([waiting, ended]))

    expect((await waiting).status).toBe(401)
    expect(await ended).toBeNull()
    expect(took).toBeLessThan(SOON_MS)
  })

  it('a save whose body ends after that is refused', async () => {
    const { service, headers, tookAfterRevoking } = await openScene(name)
    const before = gitLine(service.repository, 'rev-parse', 'HEAD')
    const document = documentWith('late')
    const saving = {
      ...headers,
      'sec-fetch-site': 'same-origin',
      'if-match': '*',
      'content-length': `${document.length}`,
    }
    const { outgoing, answered } = begin(service, '/api/admin/config.xml', {
      method: 'PUT',
      headers: saving,
    })
    outgoing.write(document.slice(0, -1))
    const read = await service.fetch('/api/whoami', { as: null, headers })
    expect(read.status).toBe(200)

    await tookAfterRevoking(Promise.resolve())
    outgoing.end(document.slice(-1))

    expect((await answered).statusCode).toBe(401)
    expect(gitLine(service.repository, 'rev-parse', 'HEAD')).toBe(before)
  })
})

/** A service whose users file is a link: changes of what it leads to are noticed within half a second. */
async function openLinked(folder: TempFolder) {
  const [target, link] = [folder.file('target/users'), folder.file('users')]
  const users = new UsersFile(target)
  const [username = '', password = ''] = SOMEONE.split(':')
  await addUser(users, { username, password, cost: QUICK_COST })
  await addUser(users, { username: 'ana', password, cost: QUICK_COST })
  symlinkSync(target, link)
  const service = await startService(['--users-file', link])
  const headers = { ...(await passwordOf()), 'if-match': '*' }
  const known = () => service.fetch('/api/whoami', { as: null, headers })
  return { service, headers, known, disable: () => disableUser(users, username) }
}

describe('when a user is disabled where no change can be watched', () => {
  it('a save whose body ends right after that is refused', async () => {
    using folder = new TempFolder()
    const { service, headers, known, disable } = await openLinked(folder)
    const before = gitLine(service.repository, 'rev-parse', 'HEAD')
    const document = documentWith('late')
    const { outgoing, answered } = begin(service, '/api/admin/config.xml', {
      method: 'PUT',
      headers: { ...headers, 'content-length': `${document.length}` },
    })
    outgoing.write(document.slice(0, -1))
    expect((await known()).status).toBe(200)

    await disable()
    outgoing.end(document.slice(-1))

    expect((await answered).statusCode).toBe(401)
    expect(gitLine(service.repository, 'rev-parse', 'HEAD')).toBe(before)
  })

  it.each([
    ['DELETE', '/api/config/entities/pipeline/one', ''],
    ['DELETE', '/api/config/entities/pipeline/one', '{}'],
    ['POST', '/api/users/ana/disable', ''],
    ['POST', '/api/users/ana/disable', '{}'],
    ['POST', '/api/pipelines/one/pause', ''],
  ])('a call that takes no body is refused right after that: %s %s with "%s"', async (...call) => {
    const [method, path, body] = call
    using folder = new TempFolder()
    const { service, headers, known, disable } = await openLinked(folder)
    await save(service, documentWith('one'), SOMEONE)
    const before = gitLine(service.repository, 'rev-parse', 'HEAD')
    expect((await known()).status).toBe(200)

    await disable()
    const sent = body === '' ? {} : { body }
    const answer = await service.fetch(path, { method, as: null, headers, ...sent })

    expect(answer.status).toBe(401)
    expect(gitLine(service.repository, 'rev-parse', 'HEAD')).toBe(before)
  })
})

describe.each([
  'a token is revoked',
  'a session ends',
  'a password changes',
  'the user of a token is disabled',
])('when %s', (name) => {
  it('a save that waits behind another one is refused', async () => {
    const { service, headers, tookAfterRevoking } = await openScene(name)
    const put = (body: string, caller: object) =>
      service.fetch('/api/admin/config.xml', { method: 'PUT', body, ...caller })
    // The first save waits for git's lock, with a draft beside it, and the other one for the first.
    const heads = join(service.repository, '.git', 'refs', 'heads')
    writeFileSync(join(heads, 'main.lock'), '')
    const first = put(documentWith('first'), { headers: { 'if-match': '*' } })
    await until(() => readdirSync(heads).length === 3)
    const own = { 'if-match': '*', 'sec-fetch-site': 'same-origin', ...headers }
    const second = put(documentWith('second'), { as: null, headers: own })
    await until(async () => (await waitingSaves(service)) === 2)

    await tookAfterRevoking(Promise.resolve())
    rmSync(join(heads, 'main.lock'))

    expect([(await first).status, (await second).status]).toEqual([200, 401])
    const document = await (await service.fetch('/api/admin/config.xml')).text()
    expect(document).toBe(documentWith('first'))
  })
})

describe.each(['a session ends', 'a user is disabled'])('when %s', (name) => {
  it('what waits behind a merge is refused, of the proposal too', async () => {
    const { service, headers, tookAfterRevoking } = await openScene(name)
    const post = (path: string, body: object, caller = {}) =>
      service.fetch(`/api/proposals${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        ...caller,
      })
    const proposed = await post('', { title: 'First', document: documentWith('first') })
    expect(proposed.status).toBe(201)
    const heads = join(service.repository, '.git', 'refs', 'heads')
    writeFileSync(join(heads, 'main.lock'), '')
    const merge = post('/1/merge', {})
    await until(() => readdirSync(heads).length === 3)
    const caller = { as: null, headers: { 'sec-fetch-site': 'same-origin', ...headers } }
    const comment = post('/1/comment', { text: 'Late' }, caller)
    const update = post('/1/update', { document: documentWith('late') }, caller)
    // By then they have come, and wait for the merge.
    await service.fetch('/api/whoami')

    await tookAfterRevoking(Promise.resolve())
    rmSync(join(heads, 'main.lock'))

    expect((await merge).status).toBe(200)
    expect([(await comment).status, (await update).status]).toEqual([401, 401])
    const shown = await (await service.fetch('/api/proposals/1')).json()
    expect(shown).toMatchObject({ state: 'merged', comments: [] })
  })
})

describe.each(['a session ends', 'a user is disabled'])('when %s', (name) => {
  it('a new proposal that waits behind another one is refused', async () => {
    const { service, headers, tookAfterRevoking } = await openScene(name)
    const propose = (title: string, caller = {}) =>
      service.fetch('/api/proposals', {
        method: 'POST',
        body: JSON.stringify({ title, document: documentWith('changed') }),
        ...caller,
      })
    // The first one waits for git's lock, with a draft beside it, and the other one for the first.
    const place = join(service.repository, '.git', 'refs', 'proposals', '1')
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, '1.lock'), '')
    const first = propose('First')
    await until(() => readdirSync(place).length === 2)
    const late = propose('Late', {
      as: null,
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    })
    // By then it has come.
    await service.fetch('/api/whoami')

    await tookAfterRevoking(Promise.resolve())
    rmSync(join(place, '1.lock'))

    expect([(await first).status, (await late).status]).toEqual([201, 401])
    const proposals = await (await service.fetch('/api/proposals')).json()
    expect(proposals).toMatchObject([{ title: 'First' }])
    expect(proposals).toHaveLength(1)
  })
})

describe('a proposal that merges by itself, whose user is disabled,', () => {
  it('stays open, also where its merge waits behind a save', async () => {
    const { service, headers, tookAfterRevoking } = await openScene('a user is disabled')
    await save(service, documentWith('first'))
    const elsewhere = '<environments><environment name="e" /></environments></cruise>'
    const saved = documentWith('first').replace('</cruise>', elsewhere)
    const heads = join(service.repository, '.git', 'refs', 'heads')
    writeFileSync(join(heads, 'main.lock'), '')
    const saving = save(service, saved)
    await until(() => readdirSync(heads).length === 3)
    const document = documentWith('first', 'own')
    const proposed = await service.fetch('/api/proposals', {
      method: 'POST',
      body: JSON.stringify({ title: 'Own', document, when: 'approved' }),
      as: null,
      headers,
    })
    expect(proposed.status).toBe(201)
    await until(async () => (await waitingSaves(service)) === 2)

    await tookAfterRevoking(Promise.resolve())
    rmSync(join(heads, 'main.lock'))

    await saving
    await expect
      .poll(async () => (await service.fetch('/api/proposals/1')).json())
      .toMatchObject({ state: 'open', held: 'The author someone cannot log in any more' })
    expect(await (await service.fetch('/api/admin/config.xml')).text()).toBe(saved)
  })
})

/** The headers of a form as a browser sends it. */
function ofBrowser(headers: Headers): Headers {
  return { ...FORM, ...headers, accept: 'text/html', 'sec-fetch-site': 'same-origin' }
}

describe('when a session ends, what a form has in it', () => {
  const TYPED = 'version: 1\nrules: []\n# typed <here>\n'
  const CARRIED = 'name="kept.text" value="version: 1\nrules: []\n# typed &lt;here&gt;\n"'
  it('is carried by the log-in, where it waited behind a save', async () => {
    const { service, headers, tookAfterRevoking } = await openScene('a session ends')
    const heads = join(service.repository, '.git', 'refs', 'heads')
    writeFileSync(join(heads, 'main.lock'), '')
    const first = save(service, documentWith('first'))
    await until(() => readdirSync(heads).length === 3)
    const body = new URLSearchParams({ action: 'save', text: TYPED, version: '' })
    const form = { method: 'POST', as: null, headers: ofBrowser(headers), body }
    const second = service.fetch('/rules', form)
    // By then it has come, and waits for the save.
    await service.fetch('/api/whoami')

    await tookAfterRevoking(Promise.resolve())
    rmSync(join(heads, 'main.lock'))
    const answer = await second
    const page = await answer.text()

    expect([(await first).status, answer.status]).toEqual([200, 401])
    expect(page).toContain('action="/login"')
    expect(page).toContain(CARRIED)
  })

  it('is carried by the log-in, where its body ends after that', async () => {
    const { service, headers, tookAfterRevoking } = await openScene('a session ends')
    const body = new URLSearchParams({ action: 'save', version: '', text: TYPED }).toString()
    const { outgoing, answered } = begin(service, '/rules', {
      method: 'POST',
      headers: { ...ofBrowser(headers), 'content-length': `${body.length}` },
    })
    outgoing.write(body.slice(0, -1))
    expect((await service.fetch('/api/whoami', { as: null, headers })).status).toBe(200)

    await tookAfterRevoking(Promise.resolve())
    outgoing.end(body.slice(-1))
    const answer = await answered
    const page = await text(answer)

    expect(answer.statusCode).toBe(401)
    expect(page).toContain('action="/login"')
    expect(page).toContain(CARRIED)
  })
})

async function waitingSaves(service: TestService): Promise<number> {
  const metrics = await (await service.fetch('/metrics')).text()
  return Number(/^cairn_writer_queue_length (\d+)$/m.exec(metrics)?.[1])
}

describe('when a token is revoked', () => {
  it('a save whose body never ends is refused at once', async () => {
    const { service, headers, tookAfterRevoking } = await openScene('a token is revoked')
    const { outgoing, answered } = begin(service, '/api/admin/config.xml', {
      method: 'PUT',
      headers: { ...headers, 'if-match': '*', 'content-length': '1000' },
    })
    outgoing.write('<cruise')

    const took = await tookAfterRevoking(answered)

    expect((await answered).statusCode).toBe(401)
    expect(took).toBeLessThan(SOON_MS)
  })

  it('a push that is under way breaks off, and moves nothing', async () => {
    const { service, headers, tookAfterRevoking } = await openScene('a token is revoked')
    const before = gitLine(service.repository, 'rev-parse', 'HEAD')
    const tree = gitLine(service.repository, 'rev-parse', 'HEAD^{tree}')
    const made = gitLine(service.repository, 'commit-tree', '-p', before, '-m', 'x', tree)
    const branch = gitLine(service.repository, 'symbolic-ref', 'HEAD')
    const command = `${before} ${made} ${branch}\0report-status`
    const line = `${(command.length + 4).toString(16).padStart(4, '0')}${command}`
    const { outgoing, answered } = begin(service, '/git/config.git/git-receive-pack', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-git-receive-pack-request' },
    })
    outgoing.write(`${line}0000PACK`)

    const ended = answered.then(text).catch(() => 'cut off')
    const took = await tookAfterRevoking(ended)

    expect(await ended).toBe('cut off')
    expect(took).toBeLessThan(SOON_MS)
    expect(gitLine(service.repository, 'rev-parse', 'HEAD')).toBe(before)
  })
})

describe('when an agent is disabled', () => {
  it('its call for work is refused', async () => {
    const scene = await BuildScene.open({}, ['--auto-register-key', 'key'])
    const { service } = scene
    const agent = new CallingAgent(service)
    await agent.register({ key: 'key', resources: [], environments: [] })
    await agent.contact()
    const waiting = agent.tryWork()
    const disabled = await service.fetch(`/api/agents/${agent.uuid}/disable`, { method: 'POST' })
    expect(disabled.status).toBe(200)

    const took = await timeUntil(waiting)

    expect((await waiting).status).toBe(403)
    expect(took).toBeLessThan(SOON_MS)
  })
})
