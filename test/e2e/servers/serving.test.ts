import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { invite, withKey } from '../../support/agents/invitations.ts'
import { AgentProcess } from '../../support/agents/agent-process.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { gitLine } from '../../support/git/git.ts'
import { begin } from '../../support/http/begun-request.ts'
import { answersWith } from '../../support/http/answer-counts.ts'
import { BASIC } from '../../support/http/raw-http.ts'
import { freePort } from '../../support/programs/free-port.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { TcpProxy } from '../../support/programs/tcp-proxy.ts'
import { until } from '../../support/programs/until.ts'
import { md5 } from '../../support/pages/editor-forms.ts'
import { filledFieldsOf, sendForm } from '../../support/pages/page-forms.ts'
import {
  addSomeoneTo,
  currentOf,
  openThree,
  openTwo,
  pausePipeline,
  pausedBy,
  sequenceOf,
  serveThree,
  serveTwo,
  setLease,
  textAt,
} from '../../support/service/servers.ts'
import { openEvents } from '../../support/service/event-reader.ts'
import { folderBeside, kill, openOver, stop } from '../../support/service/database-server.ts'
import { postForm, save } from '../../support/service/saving.ts'
import { bearer, makeToken } from '../../support/service/tokens.ts'

/** Milliseconds. */
const TIMEOUT_MS = 30_000
const SAID_AFTER_MS = 5_000
/** A second, and what a machine that does other things takes. */
const SOON_MS = 5_000
/** Ages are told without milliseconds. */
const SECOND_MS = 1_000
const FORM = 'application/x-www-form-urlencoded'
const AS_OF = /This server shows the configuration as of (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC/

function documentOfAdmin(...pipelines: readonly string[]): string {
  return documentWith(...pipelines).replace(/(<cruise[^>]*>)/, `$1${ADMIN_ALONE}`)
}

/** The answers that deploy/README.md promises while the database is away. */
const ANSWERED = [
  '/api/config/revisions',
  '/git/config.git/info/refs?service=git-upload-pack',
  '/config',
  '/search?q=one',
  '/api/agents',
  '/health',
  '/metrics',
  '/problems',
  '/servers',
]
const UNANSWERED = [
  '/pipelines',
  '/api/pipelines/one/status',
  '/audit',
  '/api/users',
  '/api/tokens',
]

describe('several servers of one database', { tags: ['postgresql'] }, () => {
  let cluster: PostgresCluster

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })

  afterAll(() => cluster[Symbol.asyncDispose]())

  it('save and read on each of them, with the same answers', { tags: ['long'] }, async () => {
    const servers = await openThree(cluster.freshSchema())
    const [first, second, third] = servers

    const saved = []
    for (const [n, server] of servers.entries()) {
      saved.push(await save(server, documentWith(`p${n}`)))
    }

    const newest = sequenceOf(saved.at(-1) ?? new Response())
    expect(saved.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(saved.map(sequenceOf).toSorted()).toEqual(saved.map(sequenceOf))
    const paths = ['/api/admin/config.xml', '/api/config/revisions', '/api/pipelines/p2/status']
    for (const path of paths) {
      const texts = await Promise.all(servers.map((server) => textAt(server, path, newest)))
      expect(new Set(texts).size).toBe(1)
    }
    const heads = servers.map(({ folder }) => gitLine(`${folder}/config-repo`, 'rev-parse', 'HEAD'))
    expect(new Set(heads).size).toBe(1)
    for (const page of ['/config', '/pipelines', '/config/edit']) {
      expect(await textAt(second, page, newest)).toContain('<html')
    }
    await until(
      async () => (await textAt(second, '/servers', newest)).includes(third.url),
      TIMEOUT_MS,
    )
    expect(await textAt(second, '/servers', newest)).toContain(`${first.url} runs builds`)
    expect(await textAt(third, '/metrics', newest)).toContain('cairn_log_lag 0')
    expect(JSON.parse(await textAt(third, '/health', newest))).toMatchObject({
      servers: { holder: first.url, lag: 0, servers: { length: 3 } },
    })
    expect(await pausePipeline(third, 'p2', 'release')).toBe(200)
    expect(await pausedBy(first, 'p2')).toMatchObject({ paused: true })
    expect(await pausedBy(second, 'p2')).toMatchObject({ paused: true })
  })

  it(
    'let nobody in who may not, and hold what a save adds, wherever they are asked',
    { tags: ['long'] },
    async () => {
      const database = cluster.freshSchema()
      const [first, second] = await openTwo(database)
      const saved = await save(first, documentOfAdmin('app'))
      await textAt(second, '/api/admin/config.xml', sequenceOf(saved))
      await addSomeoneTo(database, [first, second])

      const byNobody = await second.fetch('/api/agents', { as: null })
      const bySomeone = await second.fetch('/api/audit', { as: SOMEONE })
      const savedBySomeone = await save(second, documentWith('other'), SOMEONE)
      const forwardedTwice = await second.fetch('/api/agents', {
        headers: { 'x-cairn-forwarded': '1' },
      })
      const held = await second.fetch('/api/admin/config.xml', {
        method: 'PUT',
        headers: { 'if-match': '*', 'x-cairn-hold': 'pipelines' },
        body: documentOfAdmin('app', 'held'),
      })

      expect(byNobody.status).toBe(401)
      expect(bySomeone.status).toBe(403)
      expect(savedBySomeone.status).toBe(403)
      expect(forwardedTwice.status).toBe(503)
      expect(forwardedTwice.headers.get('retry-after')).toBe('1')
      expect(held.status).toBe(200)
      expect(await pausedBy(second, 'held')).toMatchObject({ paused: true })
      expect(await pausedBy(second, 'app')).toMatchObject({ paused: false })
    },
  )

  it(
    'let in with what another issued, and refuse what another revoked',
    { tags: ['long'] },
    async () => {
      const [first, second] = await openTwo(cluster.freshSchema())
      const { id, token } = await makeToken(first, 'read')
      const statusOf = async (server: Pick<typeof first, 'fetch'>, as: RequestInit) => {
        const answer = await server.fetch('/api/whoami', as)
        await answer.body?.cancel()
        return answer.status
      }
      await until(async () => (await statusOf(second, bearer(token))) === 200, TIMEOUT_MS)
      const revoked = await second.fetch(`/api/tokens/${id}`, { method: 'DELETE' })
      expect(revoked.status).toBe(200)
      await until(async () => (await statusOf(first, bearer(token))) === 401, TIMEOUT_MS)
      expect(await statusOf(second, bearer(token))).toBe(401)

      const { invitation } = await invite(second)
      const [agent, other] = [new CallingAgent(first), new CallingAgent(second)]
      expect((await agent.register(withKey(invitation))).configStatus).toBe('Enabled')
      expect((await other.tryRegister(withKey(invitation))).status).toBe(403)
    },
  )

  it('end what a token holds open when another revokes it', { tags: ['long'] }, async () => {
    const [first, second] = await openTwo(cluster.freshSchema())
    const saved = await save(first, documentWith('p'))
    await textAt(second, '/api/admin/config.xml', sequenceOf(saved))
    const { id, token } = await makeToken(first, 'admin')
    const headers = { authorization: `Bearer ${token}` }
    const anonymous = (server: Pick<typeof first, 'fetch'>) => ({
      fetch: (path: string, init = {}) => server.fetch(path, { ...init, as: null }),
    })
    const held = []
    for (const server of [first, second]) {
      await until(async () => (await server.fetch('/api/whoami', bearer(token))).ok, TIMEOUT_MS)
      const since = gitLine(`${server.folder}/config-repo`, 'rev-parse', 'HEAD')
      const { next } = await openEvents(anonymous(server), `since=${since}`, headers)
      const sent = { ...headers, 'content-length': '100', 'content-type': FORM }
      // A follower passes it on while it comes.
      const { outgoing, answered } = begin(server, '/api/pipelines/p/pause', {
        method: 'POST',
        headers: sent,
      })
      outgoing.write('pauseCause=')
      held.push({ ended: next().catch(() => null), answered })
    }

    expect((await second.fetch(`/api/tokens/${id}`, { method: 'DELETE' })).status).toBe(200)
    const began = performance.now()
    const ends = await Promise.all(held.map(({ ended }) => ended))
    const answers = await Promise.all(held.map(({ answered }) => answered))

    expect(performance.now() - began).toBeLessThan(SOON_MS)
    expect(ends).toEqual([null, null])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401])
    expect(await pausedBy(first, 'p')).toMatchObject({ paused: false })
  })

  it('have no fault of a client that goes within a request that is passed on', async () => {
    const [first, second] = await openTwo(cluster.freshSchema())
    await textAt(second, '/api/whoami', sequenceOf(await save(first, documentWith('p'))))
    const headers = { 'content-length': '100', 'content-type': FORM, authorization: BASIC }
    const { outgoing } = begin(second, '/api/pipelines/p/pause', { method: 'POST', headers })
    outgoing.write('pauseCause=')

    await expect.poll(() => second.fetch('/api/pipelines/p/status').then(({ ok }) => ok)).toBe(true)
    outgoing.destroy()

    await expect.poll(() => answersWith(second, '400')).toBe(1)
    expect(await answersWith(second, '5')).toBe(0)
    const logged = [...first.logged, ...second.logged]
    expect(logged.filter(({ level }) => level === 'error')).toEqual([])
    expect(await pausedBy(first, 'p')).toMatchObject({ paused: false })
  })

  it('wait for an entry of the log that a request asks for', { tags: ['long'] }, async () => {
    const [, second] = await openTwo(cluster.freshSchema())

    const asked = (entry: string) =>
      second.fetch('/api/admin/config.xml', {
        headers: { 'x-cairn-at-least': entry },
      })
    const [early, bad] = await Promise.all([asked('1000'), asked('soon')])

    expect(early.status).toBe(503)
    expect(early.headers.get('retry-after')).toBe('1')
    expect(bad.status).toBe(400)
    expect(await bad.text()).toContain('X-Cairn-At-Least')
  })

  it('go on when the leader is lost', async () => {
    const database = cluster.freshSchema()
    const [first, second, third] = await serveThree(database)
    const before = await save(first, documentWith('one'))
    await textAt(second, '/api/admin/config.xml', sequenceOf(before))
    await kill(first)
    await setLease(database, '1 hour')

    const read = await second.fetch('/api/admin/config.xml')
    const saved = await save(third, documentWith('one', 'two'))
    const refused = await second.fetch('/api/agents')
    const noted = await second.fetch('/api/audit')
    const pageOf = async (path: string) => {
      const answer = await second.fetch(path)
      return `${answer.status} ${await answer.text()}`
    }
    const history = '/config/entity/pipeline/one'
    // The history is indexed a moment after a start.
    await until(async () => (await pageOf(history)).startsWith('200'), TIMEOUT_MS)
    const [known, found, offered, audit] = await Promise.all(
      [history, '/search?q=one', '/search/results.json?q=one', '/audit'].map(pageOf),
    )
    const away = await Promise.all(
      ['/pipelines', '/pipelines/one', '/config/edit', '/config/r1/restore'].map(pageOf),
    )
    await setLease(database, '0')
    await until(async () => (await pausePipeline(second, 'one', 'release')) === 200, TIMEOUT_MS)

    expect(read.status).toBe(200)
    expect(saved.status).toBe(200)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(noted.status).toBe(200)
    const silent = 'the server that runs builds does not answer at the moment'
    expect(known).toContain(`Runs are not shown: ${silent}`)
    expect(found).toContain(`Agents are not searched: ${silent}`)
    expect(found).toContain('href="/pipelines/one"')
    expect(offered).toContain(`Agents are not searched: ${silent}`)
    expect(audit).toContain(`Agents are shown by their IDs: ${silent}`)
    expect(audit).toContain('Saved the configuration')
    for (const page of away) {
      expect(page).toMatch(/^503 .*The server that runs builds does not answer\./s)
    }
    expect(await pageOf(history)).not.toContain(silent)
    expect(await pausedBy(third, 'one')).toMatchObject({ paused: true })
    expect(await textAt(second, '/api/admin/config.xml', sequenceOf(saved))).toContain('two')
  })

  it('take what forms send, which is a revision on each of them', { tags: ['long'] }, async () => {
    const [first, second] = await openTwo(cluster.freshSchema())
    const saved = await save(first, documentWith('app'))
    const current = await textAt(second, '/api/admin/config.xml', sequenceOf(saved))

    const posted = documentWith('app', 'posted')
    const byForm = await postForm(second, { xmlFile: posted, md5: md5(current) })
    const editor = await textAt(second, '/config/edit', sequenceOf(byForm))
    const edited = documentWith('app', 'posted', 'edited')
    const fields = new Map(filledFieldsOf(editor)).set('xml', edited).set('action', 'save')
    const byEditor = await sendForm(second, '/config/edit', [...fields])
    const shown = await second.fetch(byEditor.headers.get('location') ?? '')

    expect([byForm.status, byEditor.status, shown.status]).toEqual([200, 303, 200])
    expect(await shown.text()).toContain('edited')
    for (const server of [first, second]) {
      const listed = await textAt(server, '/api/config/revisions', sequenceOf(byEditor))
      expect(JSON.parse(listed)).toMatchObject([
        { md5: md5(edited), username: 'admin' },
        { md5: md5(posted), username: 'admin' },
        { md5: md5(current) },
        {},
      ])
    }
  })

  it(
    'say on every page how old it is while they do not hear of saves, and no longer than that',
    { tags: ['long'] },
    async () => {
      const database = cluster.freshSchema()
      await using line = await TcpProxy.open(database)
      const began = Date.now()
      const first = await openOver(database)
      const second = await openOver(line.through(database), folderBeside(first))
      const saved = await save(first, documentWith('one'))
      await textAt(second, '/api/admin/config.xml', sequenceOf(saved))
      const ageOn = async (path: string) => {
        const page = await second.fetch(path)
        return { status: page.status, age: AS_OF.exec(await page.text())?.[1] }
      }

      line.deafen()
      await save(first, documentWith('two'))
      await until(async () => (await ageOn('/config')).age !== undefined, TIMEOUT_MS)
      const [{ age = '' }, onAnother] = [await ageOn('/config'), await ageOn('/config/r1')]
      const current = await currentOf(second)
      line.heal()

      expect(current).toContain('one')
      expect(onAnother).toEqual({ status: 200, age })
      const at = Date.parse(`${age.replace(' ', 'T')}Z`)
      expect(at).toBeGreaterThan(began - SECOND_MS)
      expect(at).toBeLessThan(Date.now() - SAID_AFTER_MS)
      await until(async () => {
        const { status, age: stillOld } = await ageOn('/config')
        return status === 200 && stillOld === undefined
      }, TIMEOUT_MS)
      // It hears that the database is there before it has read what came meanwhile.
      await until(async () => (await currentOf(second)).includes('two'), TIMEOUT_MS)
      await second.close()
    },
  )

  it(
    'answer soon where only the connection to the leader is dead',
    { tags: ['long'] },
    async () => {
      const database = cluster.freshSchema()
      const port = await freePort()
      await using line = await TcpProxy.to(port)
      const advertised = line.through('http://127.0.0.1:1')
      const first = await openOver(database, tempDir(), { port, advertised })
      const second = await openOver(database, folderBeside(first))
      await save(first, documentWith('app'))
      await until(async () => (await pausePipeline(second, 'app', 'before')) === 200, TIMEOUT_MS)

      line.deafen()
      const path = '/api/pipelines/app/pause'
      const body = new URLSearchParams({ pauseCause: 'meanwhile' })
      const started = performance.now()
      const changed = await second.fetch(path, { method: 'POST', body })
      const took = performance.now() - started
      const read = await second.fetch('/api/pipelines/app/status')
      line.heal()

      expect(changed.status).toBe(503)
      expect(changed.headers.get('retry-after')).toBe('1')
      expect(await changed.text()).toContain('whether this was done is known when it does')
      expect(took).toBeLessThan(TIMEOUT_MS)
      expect(read.status).toBe(503)
      expect(await read.text()).not.toContain('whether')
      await until(async () => (await pausePipeline(second, 'app', 'after')) === 200, TIMEOUT_MS)
      expect((await save(second, documentWith('app', 'two'))).status).toBe(200)
    },
  )

  it('give an agent work whose first server is lost', { tags: ['long'] }, async () => {
    const database = cluster.freshSchema()
    const [first, second] = await serveTwo(database)
    await using agent = new AgentProcess({
      server: first.url,
      others: [second.url],
      workDir: join(tempDir(), 'agent'),
    })
    const listed = async () => (await second.fetch('/api/agents')).text()
    await until(async () => (await listed()).includes('Pending'), TIMEOUT_MS)
    await kill(first)
    await setLease(database, '0')

    await until(async () => (await listed()).includes('Pending'), TIMEOUT_MS)
    const [uuid = ''] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(await listed()) ?? []
    const enabled = await second.fetch(`/api/agents/${uuid}/enable`, { method: 'POST' })
    expect(enabled.status).toBe(200)
    await until(async () => (await listed()).includes('"Idle"'), TIMEOUT_MS)
    await until(() => agent.output.includes('The server lists this agent as Enabled'), TIMEOUT_MS)
  })

  it('read while the database is away, and save when it is back', { tags: ['long'] }, async () => {
    await using away = await PostgresCluster.start()
    const [first, second] = await serveTwo(away.freshSchema())
    const saved = await save(first, documentWith('one'))
    await textAt(second, '/api/admin/config.xml', sequenceOf(saved))

    await away.stop()
    const read = await second.fetch('/api/admin/config.xml')
    const refused = await save(second, documentWith('two'))
    const ready = await second.fetch('/health/ready')
    const statuses = async (paths: readonly string[]) =>
      Promise.all(paths.map(async (path) => (await second.fetch(path)).status))
    const [answered, unanswered] = [await statuses(ANSWERED), await statuses(UNANSWERED)]
    await until(async () => (await (await second.fetch('/health')).text()).includes('database'))
    await away.startAgain()

    expect(await read.text()).toContain('one')
    expect(refused.status).toBe(503)
    expect(ready.status).toBe(503)
    expect(answered).toEqual(ANSWERED.map(() => 200))
    expect(unanswered).toEqual(UNANSWERED.map(() => 503))
    await until(async () => (await save(second, documentWith('three'))).status === 200, TIMEOUT_MS)
    await until(async () => (await pausePipeline(second, 'three', 'release')) === 200, TIMEOUT_MS)
    expect(await stop(second)).toMatchObject({ code: 0 })
  })
})
