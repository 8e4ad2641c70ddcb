import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { BuildScene } from '../support/builds/build-service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import {
  type AnElement,
  aConfiguration,
  element,
  git,
} from '../support/documents/a-configuration.ts'
import { makeAuthority } from '../support/identities/directory-server.ts'
import { pageOf, sendForm } from '../support/pages/page-forms.ts'
import { atEnd, shared } from '../support/programs/at-end.ts'
import { PostgresCluster } from '../support/programs/postgres-cluster.ts'
import { until } from '../support/programs/until.ts'
import { folderBeside, openOver } from '../support/service/database-server.ts'
import { MailReceiver, type ReceivedMail } from '../support/service/mail-receiver.ts'
import { putRules } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const MANUAL = [{ name: 'build', approval: element('approval', { type: 'manual' }) }]
const MINUTE_MS = 60_000

/** A server element with a mail server, and security where it is asked for. */
function serverWith(
  { port }: Pick<MailReceiver, 'port'>,
  more: Readonly<Record<string, string>> = {},
  children: readonly AnElement[] = [],
): AnElement {
  const mailhost = { hostname: 'localhost', port, tls: 'false', from: 'ci@example.org' }
  const siteUrl = 'https://ci.example.org'
  const host = element('mailhost', { ...mailhost, admin: 'root@example.org', ...more })
  return element('server', { siteUrl }, [...children, host])
}

const SECURITY = element('security', {}, [
  element('passwordFile', { path: '/users' }),
  element('admins', {}, [element('user', {}, ['admin'])]),
])

/** Olga operates and views the pipelines, vera views them. */
const OPERATED = element('authorization', {}, [
  element('view', {}, [element('user', {}, ['vera']), element('user', {}, ['olga'])]),
  element('operate', {}, [element('user', {}, ['olga'])]),
])

type Wishes = Readonly<Record<string, string>>
const OWN_BREAKS: Wishes = { own: '1', breaks: '1', fixed: '1', fails: '1' }

async function subscribe(
  service: Pick<CalledService, 'fetch'>,
  wishes: Wishes,
  as?: string,
): Promise<void> {
  const address = `${as ?? 'admin'}@example.org`
  const answer = await sendForm(service, '/account/mail', { address, ...wishes }, as)
  if (answer.status !== 303) throw new Error(await answer.text())
}

async function runOnce(scene: BuildScene, agent: ProtocolAgent, result: 'Passed' | 'Failed') {
  await scene.schedule()
  await agent.finish(await agent.work(), result)
}

async function mailProblems(service: Pick<CalledService, 'fetch'>): Promise<readonly string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems.map(({ subject }) => subject).filter((subject) => subject.startsWith('Mail'))
}

function headerOf(mail: ReceivedMail | undefined, name: string): string | undefined {
  return mail?.headers.get(name)
}

function passwordOf(name: string): string {
  return name.repeat(3)
}

function subjects({ mails }: MailReceiver): (string | undefined)[] {
  return mails.map(({ headers }) => headers.get('subject'))
}

/** One pipeline that everybody may operate, and an agent that runs it. */
async function sceneWith(receiver: MailReceiver, clock: () => number = Date.now) {
  const scene = await BuildScene.open(
    { server: serverWith(receiver), pipelines: [{ name: 'app', stages: MANUAL }] },
    [],
    clock,
  )
  return { scene, agent: await ProtocolAgent.join(scene.service, 'a1') }
}

describe('mail about runs', () => {
  it('says what broke and was fixed, in text and HTML with links, in a thread for the pipeline', async () => {
    const receiver = await MailReceiver.open()
    let ahead = 0
    const { scene, agent } = await sceneWith(receiver, () => Date.now() + ahead)
    await subscribe(scene.service, OWN_BREAKS)
    for (const result of ['Passed', 'Failed'] as const) await runOnce(scene, agent, result)
    await until(() => receiver.mails.length === 1 && receiver.isIdle)
    ahead += MINUTE_MS
    await runOnce(scene, agent, 'Passed')
    await until(() => receiver.mails.length === 2)

    expect(subjects(receiver)).toEqual(['[cairn] app/build broke', '[cairn] app/build is fixed'])
    const [broken, fixed] = receiver.mails
    const link = 'https://ci.example.org/stages/app/build/2/1'
    expect(broken?.text).toContain(
      `app/build broke\r\n  Run 2, label 2, started by admin\r\n  ${link}`,
    )
    expect(broken?.html).toContain(`<h3><a href="${link}">app/build broke</a></h3>`)
    expect(broken).toMatchObject({ to: ['admin@example.org'], from: 'ci@example.org' })
    expect(headerOf(broken, 'references')).toMatch(/^<[0-9a-f]{32}@example\.org>$/)
    expect(headerOf(fixed, 'references')).toBe(headerOf(broken, 'references'))
    expect(headerOf(fixed, 'in-reply-to')).toBe(headerOf(broken, 'references'))
    expect(headerOf(fixed, 'message-id')).not.toBe(headerOf(broken, 'message-id'))
    expect(headerOf(broken, 'list-unsubscribe')).toBe('<https://ci.example.org/account>')
  })

  it('comes once a minute at most, with all that has happened', { tags: ['long'] }, async () => {
    const receiver = await MailReceiver.open()
    let ahead = 0
    const { scene, agent } = await sceneWith(receiver, () => Date.now() + ahead)
    await subscribe(scene.service, { own: '1', passes: '1', fails: '1', cancelled: '1' })
    await runOnce(scene, agent, 'Passed')
    await until(() => receiver.mails.length === 1 && receiver.isIdle)
    await receiver.stop()
    await runOnce(scene, agent, 'Passed')
    await runOnce(scene, agent, 'Failed')
    ahead += MINUTE_MS
    await scene.schedule()
    await scene.post('/api/stages/app/build/cancel')
    await expect.poll(() => mailProblems(scene.service)).toHaveLength(1)
    await receiver.start()
    await until(() => receiver.mails.length === 2)

    expect(subjects(receiver)[1]).toBe('[cairn] app/build broke, and 2 more')
    const second = receiver.mails[1]?.text ?? ''
    const lines = second.split('\r\n').filter((line) => line.startsWith('app/'))
    expect(lines).toEqual([
      'app/build broke',
      'app/build was cancelled by admin',
      'app/build passed',
    ])
  })

  it('is only about what its reader asked for and may see, and ends with the user', async () => {
    const receiver = await MailReceiver.open()
    const scene = await BuildScene.open({
      server: serverWith(receiver, {}, [SECURITY]),
      groups: [
        { group: 'guarded', authorization: OPERATED, pipelines: [{ name: 'app', stages: MANUAL }] },
      ],
    })
    const { service } = scene
    const agent = await ProtocolAgent.join(service, 'a1')
    const fails = { own: '1', fails: '1' }
    // Olga operates the pipeline, vera views it, pete does neither, and admin has no part in it.
    await subscribe(service, fails, 'olga')
    await subscribe(service, fails, 'pete')
    await subscribe(service, fails)
    await subscribe(service, { pipelines: 'app/build', fails: '1' }, 'vera')
    const hidden = await sendForm(
      service,
      '/account/mail',
      {
        address: 'p@example.org',
        pipelines: 'app',
      },
      'pete',
    )
    expect([hidden.status, await hidden.text()]).toEqual([
      400,
      expect.stringContaining('There is no pipeline app that you may view'),
    ])
    await runOnce(scene, agent, 'Failed')
    await until(() => receiver.mails.length === 2)
    const readers = () => receiver.mails.flatMap(({ to }) => to).toSorted()
    expect(readers()).toEqual(['olga@example.org', 'vera@example.org'])

    await service.fetch('/api/users/olga', { method: 'DELETE' })
    await subscribe(service, { pipelines: 'app', fails: '1' })
    await runOnce(scene, agent, 'Failed')
    await until(() => receiver.mails.length === 3)
    expect(readers()).toEqual(['admin@example.org', 'olga@example.org', 'vera@example.org'])
    expect(await pageOf(service, '/account', 'vera')).toContain('value="vera@example.org"')
  })
})

describe('mail about the configuration', () => {
  it('tells changes of entities to those who administer them, and of the pipelines in a group', async () => {
    const receiver = await MailReceiver.open()
    const service = await openService()
    const documentOf = (label: string, hidden = 'one') =>
      aConfiguration({
        server: serverWith(receiver),
        groups: [
          {
            group: 'web',
            pipelines: [
              {
                name: 'shop',
                attributes: { labeltemplate: `${label}-\${COUNT}` },
                materials: [git('a')],
              },
            ],
          },
          {
            group: 'other',
            pipelines: [
              {
                name: 'far',
                attributes: { labeltemplate: `${hidden}-\${COUNT}` },
                materials: [git('b')],
              },
            ],
          },
        ],
      })
    await save(service, documentOf('one'))
    await subscribe(service, { entities: 'group/web' })
    await save(service, documentOf('one', 'two'))
    await save(service, documentOf('<b>"two"'.replaceAll(/["<>]/g, '')))
    await until(() => receiver.mails.length === 1)

    expect(subjects(receiver)).toEqual(['[cairn] admin changed group web'])
    expect(receiver.mails[0]?.text).toContain('btwo-${COUNT}')
    expect(receiver.mails[0]?.text).toMatch(
      /https:\/\/ci\.example\.org\/config\/entity\/group\/web\/\S+/,
    )
    expect(receiver.mails[0]?.text).not.toContain('far')
    const strange = await sendForm(service, '/account/mail', {
      address: 'a@b',
      entities: 'group/none',
    })
    expect(await strange.text()).toContain('There is no group/none whose changes you may see')
  })

  it('tells of a proposal those for whom it waits, without running what is in its title', async () => {
    const receiver = await MailReceiver.open()
    const service = await openService()
    const documentOf = (label: string) =>
      aConfiguration({
        server: serverWith(receiver),
        pipelines: [
          {
            name: 'shop',
            attributes: { labeltemplate: `${label}-\${COUNT}` },
            materials: [git('a')],
          },
        ],
      })
    await save(service, documentOf('one'))
    for (const name of ['ann', 'bea']) {
      const body = JSON.stringify({ name, password: passwordOf(name) })
      const headers = { 'content-type': 'application/json' }
      await service.fetch('/api/users', { method: 'POST', body, headers })
    }
    await putRules(
      service,
      'version: 1\nrules:\n  - name: ask\n    match: { entity: [pipeline/shop] }\n    need: [{ approvals: 1, of: user/ann }]\n',
      `admin:correct horse`,
    )
    for (const name of ['ann', 'bea']) {
      const body = new URLSearchParams({ address: `${name}@example.org`, proposals: '1' })
      await service.fetch('/account/mail', {
        method: 'POST',
        body,
        as: `${name}:${passwordOf(name)}`,
      })
    }
    const title = 'Label <img src=x onerror=alert(1)>'
    const body = JSON.stringify({ title, document: documentOf('two') })
    const headers = { 'content-type': 'application/json' }
    const proposed = await service.fetch('/api/proposals', { method: 'POST', body, headers })
    expect(proposed.status).toBe(201)
    await until(() => receiver.mails.length === 1)

    const [mail] = receiver.mails
    expect(mail?.to).toEqual(['ann@example.org'])
    expect(mail?.html).not.toContain('<img')
    expect(mail?.html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(mail?.text).toContain('https://ci.example.org/proposals/1')
  })

  it('goes to one address, which is one', async () => {
    const service = await openService()
    for (const address of [
      'a@b\r\nBcc: c@d',
      'a@b, c@d',
      'Kim <kim@b>',
      'kim',
      `${'k'.repeat(260)}@b.c`,
    ]) {
      const answer = await sendForm(service, '/account/mail', { address })
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining('is not an address such as kim@example.org'),
      ])
    }
  })
})

describe('a mail server', () => {
  it('that is away is in the health, and gets the mail after a restart', async () => {
    const receiver = await MailReceiver.open()
    const { scene, agent } = await sceneWith(receiver)
    await subscribe(scene.service, OWN_BREAKS)
    await receiver.stop()
    await runOnce(scene, agent, 'Failed')
    await expect
      .poll(() => mailProblems(scene.service))
      .toEqual([
        `Mail is not sent by localhost:${receiver.port}: it could not be reached: ECONNREFUSED`,
      ])
    await receiver.start()
    const again = await scene.restart()

    await until(() => receiver.mails.length === 1)
    await expect.poll(() => mailProblems(again.service)).toEqual([])
    expect(receiver.mails[0]?.text).toContain('app/build failed')
  })

  it('that refuses an address gets the mail to others, and the refused one when it takes it', async () => {
    const receiver = await MailReceiver.open()
    const { scene, agent } = await sceneWith(receiver)
    await subscribe(scene.service, OWN_BREAKS)
    await subscribe(scene.service, OWN_BREAKS, 'vera')
    receiver.refused.add('admin@example.org')
    await runOnce(scene, agent, 'Failed')
    await until(() => receiver.textsTo('vera@example.org').length === 1)
    await expect
      .poll(() => mailProblems(scene.service))
      .toEqual([expect.stringContaining('for admin@example.org it answered 550 No such mailbox')])
    receiver.refused.clear()

    await until(() => receiver.textsTo('admin@example.org').length === 1)
    expect(receiver.textsTo('vera@example.org')).toHaveLength(1)
    await expect.poll(() => mailProblems(scene.service)).toEqual([])
  })

  it('that was away for a day gets no old news', async () => {
    const receiver = await MailReceiver.open()
    let ahead = 0
    const { scene, agent } = await sceneWith(receiver, () => Date.now() + ahead)
    await subscribe(scene.service, OWN_BREAKS)
    await receiver.stop()
    await runOnce(scene, agent, 'Failed')
    await expect.poll(() => mailProblems(scene.service)).toHaveLength(1)
    ahead += 24 * 60 * MINUTE_MS
    await runOnce(scene, agent, 'Passed')
    await receiver.start()

    await until(() => receiver.mails.length === 1)
    expect(receiver.mails[0]?.text).toContain('app/build is fixed')
    expect(receiver.mails[0]?.text).not.toContain('failed')
  })

  it.each([
    { tls: 'at once', wanted: 'true' },
    { tls: 'by STARTTLS', wanted: 'true' },
    { tls: 'by STARTTLS', wanted: 'false' },
  ] as const)(
    'gets the mail over TLS $tls, with the password that the document seals, where tls is $wanted',
    async ({ tls, wanted }) => {
      const folder = tempDir()
      const authority = makeAuthority(folder)
      const logIn = { user: 'ci', pass: 'pass word of the mail server' }
      const receiver = await MailReceiver.open({ tls, authority, logIn })
      const trusted = wanted === 'true' ? ['--mail-ca-file', authority.ca] : []
      const service = await openService(trusted, folder)
      const more = { tls: wanted, username: logIn.user, password: logIn.pass }
      const documentOf = (name: string) =>
        aConfiguration({
          server: serverWith(receiver, more),
          pipelines: [{ name, materials: [git('a')] }],
        })
      await save(service, documentOf('one'))
      await subscribe(service, { entities: 'group/defaultGroup' })
      await save(service, documentOf('two'))
      await until(() => receiver.mails.length === 1)

      expect(receiver.mails[0]).toMatchObject({ isSecure: true, user: 'ci' })
      const kept = await (await service.fetch('/api/admin/config.xml')).text()
      expect(kept).not.toContain(logIn.pass)
      expect(readFileSync(`${service.repository}/config.xml`, 'utf8')).not.toContain(logIn.pass)
    },
  )

  it(
    'that nobody vouches for, or that refuses the log-in, gets none',
    { tags: ['long'] },
    async () => {
      const folder = tempDir()
      const authority = makeAuthority(folder)
      const receiver = await MailReceiver.open({
        tls: 'at once',
        authority,
        logIn: { user: 'ci', pass: 'right' },
      })
      const strange = await openService([], tempDir())
      const known = await openService(['--mail-ca-file', authority.ca], tempDir())
      const more = { tls: 'true', username: 'ci', password: 'wrong words' }
      for (const service of [strange, known]) {
        const documentOf = (name: string) =>
          aConfiguration({
            server: serverWith(receiver, more),
            pipelines: [{ name, materials: [git('a')] }],
          })
        await save(service, documentOf('one'))
        await subscribe(service, { entities: 'group/defaultGroup' })
        await save(service, documentOf('two'))
      }

      await expect
        .poll(() => mailProblems(strange))
        .toEqual([expect.stringContaining('UNABLE_TO_VERIFY_LEAF_SIGNATURE')])
      await expect
        .poll(() => mailProblems(known))
        .toEqual([expect.stringContaining('it refuses the log-in: 535')])
      expect(JSON.stringify([known.logged, await mailProblems(known)])).not.toContain('wrong words')
      expect(receiver.mails).toEqual([])
    },
  )

  it('that says nothing is in the health, and holds up nothing', { tags: ['long'] }, async () => {
    const receiver = await MailReceiver.open()
    receiver.hangs = true
    const { scene, agent } = await sceneWith(receiver)
    await subscribe(scene.service, OWN_BREAKS)
    await runOnce(scene, agent, 'Failed')
    await until(() => receiver.connections > 0)
    await runOnce(scene, agent, 'Passed')
    await expect
      .poll(() => mailProblems(scene.service), { timeout: 30_000 })
      .toEqual([expect.stringContaining('it did not answer in time')])
    const begun = Date.now()
    await scene.service.close()
    expect(Date.now() - begun).toBeLessThan(5_000)
  })
})

describe('mail of several servers', { tags: ['postgresql', 'long'] }, () => {
  const cluster = shared(async () => {
    const started = await PostgresCluster.start()
    atEnd(() => started[Symbol.asyncDispose]())
    return started
  })

  it('is sent by the leader, and what waits by the next one', async () => {
    const receiver = await MailReceiver.open()
    const database = cluster().freshSchema()
    const first = await openOver(database, tempDir())
    const second = await openOver(database, folderBeside(first))
    await save(second, naming(receiver, 'one'))
    await subscribe(second, { entities: 'group/defaultGroup' })
    await receiver.stop()
    await save(second, naming(receiver, 'two'))
    await expect.poll(() => mailProblems(first)).toHaveLength(1)
    await first.close()
    await receiver.start()

    await expect.poll(() => receiver.mails.length, { timeout: 60_000 }).toBe(1)
    expect(receiver.mails[0]?.text).toContain('rename pipeline one → two')
  })

  it('reaches a user who asked for it while the leader was waiting for the database', async () => {
    const receiver = await MailReceiver.open()
    const database = cluster().freshSchema()
    const service = await openOver(database, tempDir())
    await using other = await locking(database, 'counter')
    await save(service, naming(receiver, 'one'))
    await until(() => other.isAwaited())
    await subscribe(service, { entities: 'group/defaultGroup' })
    await save(service, naming(receiver, 'two'))
    await other.release()

    await until(() => receiver.mails.length === 1)
    expect(receiver.mails[0]?.text).toContain('rename pipeline one → two')
  })
})

/** A configuration with a pipeline of this name. */
function naming(receiver: MailReceiver, name: string): string {
  return aConfiguration({
    server: serverWith(receiver),
    pipelines: [{ name, materials: [git('a')] }],
  })
}

/** Holds a table of the database, so that each question about it waits. */
async function locking(database: string, table: string) {
  const sql = postgres(database, { max: 1 })
  const held = await sql.reserve()
  await held`BEGIN`
  await held`LOCK TABLE ${held(table)} IN ACCESS EXCLUSIVE MODE`
  const release = async () => {
    await held`ROLLBACK`
  }
  return {
    release,
    isAwaited: async () => (await held`SELECT 1 FROM pg_locks WHERE NOT granted`).length > 0,
    async [Symbol.asyncDispose]() {
      await release()
      held.release()
      await sql.end()
    },
  }
}
