import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../support/disk/temp-folder.ts'
import { aConfiguration, git } from '../support/documents/a-configuration.ts'
import { documentWith } from '../support/documents/documents.ts'
import { makeAuthority } from '../support/identities/directory-server.ts'
import { atEnd, shared } from '../support/programs/at-end.ts'
import { PostgresCluster } from '../support/programs/postgres-cluster.ts'
import { until } from '../support/programs/until.ts'
import { openOver } from '../support/service/database-server.ts'
import { MailReceiver } from '../support/service/mail-receiver.ts'
import {
  MINUTE_MS,
  OWN_BREAKAGES,
  mailProblemsOf,
  mailScene,
  mailServerElement,
  runWith,
  subscribeByForm,
} from '../support/service/mail-scene.ts'
import { save } from '../support/service/saving.ts'
import { currentOf, openTwo } from '../support/service/servers.ts'
import { openService } from '../support/service/service.ts'

describe('a mail server', () => {
  it('that is away is in the health, and gets the mail after a restart', async () => {
    const receiver = await MailReceiver.open()
    const { scene, agent } = await mailScene(receiver)
    await subscribeByForm(scene.service, OWN_BREAKAGES)
    await receiver.stop()
    await runWith(scene, agent, 'Failed')
    await expect
      .poll(() => mailProblemsOf(scene.service))
      .toEqual([
        `Mail is not sent by localhost:${receiver.port}: it could not be reached: nothing listens at its address`,
      ])
    await receiver.start()
    const again = await scene.restart()

    await until(() => receiver.mails.length === 1)
    await expect.poll(() => mailProblemsOf(again.service)).toEqual([])
    expect(receiver.mails[0]?.text).toContain('app/build failed')
  })

  it('that refuses an address gets the mail to others, and the refused one when it takes it', async () => {
    const receiver = await MailReceiver.open()
    const { scene, agent } = await mailScene(receiver)
    await subscribeByForm(scene.service, OWN_BREAKAGES)
    await subscribeByForm(scene.service, OWN_BREAKAGES, 'vera')
    receiver.refused.add('admin@example.org')
    await runWith(scene, agent, 'Failed')
    await until(() => receiver.textsTo('vera@example.org').length === 1)
    await expect
      .poll(() => mailProblemsOf(scene.service))
      .toEqual([expect.stringContaining('for admin@example.org it answered 550 No such mailbox')])
    receiver.refused.clear()

    await until(() => receiver.textsTo('admin@example.org').length === 1)
    expect(receiver.textsTo('vera@example.org')).toHaveLength(1)
    await expect.poll(() => mailProblemsOf(scene.service)).toEqual([])
  })

  it('that ends each connection after a message gets every mail, once', async () => {
    const receiver = await MailReceiver.open()
    const { scene, agent } = await mailScene(receiver)
    for (const as of [undefined, 'vera', 'olga'])
      await subscribeByForm(scene.service, OWN_BREAKAGES, as)
    receiver.takes = 'and ends'
    await runWith(scene, agent, 'Failed')
    await until(() => receiver.mails.length >= 3)
    await expect.poll(() => receiver.isIdle).toBe(true)

    const readers = receiver.mails.flatMap(({ to }) => to).toSorted()
    expect(readers).toEqual(['admin@example.org', 'olga@example.org', 'vera@example.org'])
    expect(await mailProblemsOf(scene.service)).toEqual([])
  })

  it('that was away for a day gets no old news', async () => {
    const receiver = await MailReceiver.open()
    let ahead = 0
    const { scene, agent } = await mailScene(receiver, () => Date.now() + ahead)
    await subscribeByForm(scene.service, OWN_BREAKAGES)
    await receiver.stop()
    await runWith(scene, agent, 'Failed')
    await expect.poll(() => mailProblemsOf(scene.service)).toHaveLength(1)
    ahead += 24 * 60 * MINUTE_MS
    await runWith(scene, agent, 'Passed')
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
          server: mailServerElement(receiver, more),
          pipelines: [{ name, materials: [git('a')] }],
        })
      await save(service, documentOf('one'))
      await subscribeByForm(service, { entities: 'group/defaultGroup' })
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
            server: mailServerElement(receiver, more),
            pipelines: [{ name, materials: [git('a')] }],
          })
        await save(service, documentOf('one'))
        await subscribeByForm(service, { entities: 'group/defaultGroup' })
        await save(service, documentOf('two'))
      }

      await expect
        .poll(() => mailProblemsOf(strange))
        .toEqual([expect.stringContaining('the certificate is not trusted here')])
      await expect
        .poll(() => mailProblemsOf(known))
        .toEqual([expect.stringContaining('it refuses the log-in: 535')])
      expect(JSON.stringify([known.logged, await mailProblemsOf(known)])).not.toContain(
        'wrong words',
      )
      expect(receiver.mails).toEqual([])
    },
  )

  it('that says nothing is in the health, and holds up nothing', { tags: ['long'] }, async () => {
    const receiver = await MailReceiver.open()
    receiver.hangs = true
    const { scene, agent } = await mailScene(receiver)
    await subscribeByForm(scene.service, OWN_BREAKAGES)
    await runWith(scene, agent, 'Failed')
    await until(() => receiver.connections > 0)
    await runWith(scene, agent, 'Passed')
    await expect
      .poll(() => mailProblemsOf(scene.service), { timeout: 30_000 })
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

  it('is sent by the leader, and what waits by the next one', { timeout: 240_000 }, async () => {
    const receiver = await MailReceiver.open()
    const [first, second] = await openSubscribed(cluster().freshSchema(), receiver)
    await receiver.stop()
    await save(second, naming(receiver, 'two'))
    // A leader that saw the first revision after the subscription has sent a mail, and waits a minute.
    await expect.poll(() => mailProblemsOf(first), { timeout: 90_000 }).toHaveLength(1)
    await first.close()
    await receiver.start()

    const ofRename = () =>
      receiver.mails.filter(({ text }) => text.includes('rename pipeline one → two'))
    await expect.poll(ofRename, { timeout: 90_000 }).toHaveLength(1)
  })

  it(
    'names what a revision changed that the leader reads later',
    { timeout: 240_000 },
    async () => {
      const receiver = await MailReceiver.open()
      const [first, second] = await openSubscribed(cluster().freshSchema(), receiver)
      await save(second, documentWith('one'))
      await until(async () => (await currentOf(first)) === documentWith('one'))
      const many = Array.from({ length: 4_000 }, (_, n) => `made-${n}`)

      await save(second, naming(receiver, ...many))

      const ofMany = () => receiver.mails.filter(({ text }) => text.includes('made-0'))
      await expect.poll(ofMany, { timeout: 90_000 }).toHaveLength(1)
    },
  )

  it('reaches a user who asked for it while the leader was waiting for the database', async () => {
    const receiver = await MailReceiver.open()
    const database = cluster().freshSchema()
    const service = await openOver(database, tempDir())
    await using other = await locking(database, 'counter')
    await save(service, naming(receiver, 'one'))
    await until(() => other.isAwaited())
    await subscribeByForm(service, { entities: 'group/defaultGroup' })
    await save(service, naming(receiver, 'two'))
    await other.release()

    await until(() => receiver.mails.length === 1)
    expect(receiver.mails[0]?.text).toContain('rename pipeline one → two')
  })
})

/** Two servers, the leader first, with a pipeline whose changes the administrator hears of by mail. */
async function openSubscribed(database: string, receiver: MailReceiver) {
  const [first, second] = await openTwo(database)
  await save(second, naming(receiver, 'one'))
  await subscribeByForm(second, { entities: 'group/defaultGroup' })
  return [first, second] as const
}

/** A configuration with a pipeline of each name. */
function naming(receiver: MailReceiver, ...names: readonly string[]): string {
  return aConfiguration({
    server: mailServerElement(receiver),
    pipelines: names.map((name) => ({ name, materials: [git('a')] })),
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
