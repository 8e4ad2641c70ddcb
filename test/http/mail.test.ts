import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { BuildScene } from '../support/builds/build-service.ts'
import { aConfiguration, element, git } from '../support/documents/a-configuration.ts'
import { pageOf, sendForm } from '../support/pages/page-forms.ts'
import { until } from '../support/programs/until.ts'
import { MailReceiver, type ReceivedMail } from '../support/service/mail-receiver.ts'
import {
  MANUAL_STAGE,
  MINUTE_MS,
  OWN_BREAKAGES,
  mailProblemsOf,
  mailScene,
  mailServerElement,
  runWith,
  subscribeByForm,
} from '../support/service/mail-scene.ts'
import { putRules } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { openService } from '../support/service/service.ts'

const SECURITY = element('security', {}, [
  element('passwordFile', { path: '/users' }),
  element('admins', {}, [element('user', {}, ['admin'])]),
])

/** Olga operates the pipelines, and others view them beside her. */
function viewedBy(...others: readonly string[]) {
  const viewers = [...others, 'olga'].map((name) => element('user', {}, [name]))
  return element('authorization', {}, [
    element('view', {}, viewers),
    element('operate', {}, [element('user', {}, ['olga'])]),
  ])
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

describe('mail about runs', () => {
  it('says what broke and was fixed, in text and HTML with links, in a thread for the pipeline', async () => {
    const receiver = await MailReceiver.open()
    let ahead = 0
    const { scene, agent } = await mailScene(receiver, () => Date.now() + ahead)
    await subscribeByForm(scene.service, OWN_BREAKAGES)
    for (const result of ['Passed', 'Failed'] as const) await runWith(scene, agent, result)
    await until(() => receiver.mails.length === 1 && receiver.isIdle)
    ahead += MINUTE_MS
    await runWith(scene, agent, 'Passed')
    await until(() => receiver.mails.length === 2)

    expect(subjects(receiver)).toEqual(['[cairn] app/build broke', '[cairn] app/build is fixed'])
    const [broken, fixed] = receiver.mails
    const link = 'https://ci.example.org/stages/app/build/2/1'
    expect(broken?.text).toContain(`app/build broke\r\n  Run 2, started by admin\r\n  ${link}`)
    expect(broken?.html).toContain(`<h3><a href="${link}">app/build broke</a></h3>`)
    expect(broken).toMatchObject({ to: ['admin@example.org'], from: 'ci@example.org' })
    expect(headerOf(broken, 'references')).toMatch(/^<[0-9a-f]{32}@example\.org>$/)
    expect(headerOf(fixed, 'references')).toBe(headerOf(broken, 'references'))
    expect(headerOf(fixed, 'in-reply-to')).toBe(headerOf(broken, 'references'))
    expect(headerOf(fixed, 'message-id')).not.toBe(headerOf(broken, 'message-id'))
    expect(headerOf(broken, 'list-unsubscribe')).toBe('<https://ci.example.org/account>')
  })

  it('says that nobody started a stage that follows another one', async () => {
    const receiver = await MailReceiver.open()
    const stages = [...MANUAL_STAGE, { name: 'ship' }]
    const server = mailServerElement(receiver)
    const scene = await BuildScene.open({ server, pipelines: [{ name: 'app', stages }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await subscribeByForm(scene.service, OWN_BREAKAGES)
    await runWith(scene, agent, 'Passed')
    await agent.finish(await agent.work(), 'Failed')
    await until(() => receiver.mails.length === 1)

    expect(receiver.mails[0]?.text).toContain(
      'app/ship failed\r\n  Run 1, started automatically\r\n',
    )
  })

  it('waits for no mail that a clock put back since says to have been sent tomorrow', async () => {
    const receiver = await MailReceiver.open()
    let ahead = 24 * 60 * MINUTE_MS
    const { scene, agent } = await mailScene(receiver, () => Date.now() + ahead)
    await subscribeByForm(scene.service, OWN_BREAKAGES)
    await runWith(scene, agent, 'Failed')
    await until(() => receiver.mails.length === 1 && receiver.isIdle)
    ahead = 0
    await runWith(scene, agent, 'Passed')
    await until(() => receiver.mails.length === 2)

    expect(subjects(receiver)[1]).toBe('[cairn] app/build is fixed')
  })

  it('comes once a minute at most, with all that has happened', { tags: ['long'] }, async () => {
    const receiver = await MailReceiver.open()
    let ahead = 0
    const { scene, agent } = await mailScene(receiver, () => Date.now() + ahead)
    await subscribeByForm(scene.service, { own: '1', passes: '1', fails: '1', cancelled: '1' })
    await runWith(scene, agent, 'Passed')
    await until(() => receiver.mails.length === 1 && receiver.isIdle)
    await receiver.stop()
    await runWith(scene, agent, 'Passed')
    await runWith(scene, agent, 'Failed')
    ahead += MINUTE_MS
    await scene.schedule()
    await scene.post('/api/stages/app/build/cancel')
    await expect.poll(() => mailProblemsOf(scene.service)).toHaveLength(1)
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
      server: mailServerElement(receiver, {}, [SECURITY]),
      groups: [
        {
          group: 'guarded',
          authorization: viewedBy('vera'),
          pipelines: [{ name: 'app', stages: MANUAL_STAGE }],
        },
      ],
    })
    const { service } = scene
    const agent = await ProtocolAgent.join(service, 'a1')
    const fails = { own: '1', fails: '1' }
    // Olga operates the pipeline, vera views it, pete does neither, and admin has no part in it.
    await subscribeByForm(service, fails, 'olga')
    await subscribeByForm(service, fails, 'pete')
    await subscribeByForm(service, fails)
    await subscribeByForm(service, { pipelines: 'app/build', fails: '1' }, 'vera')
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
    await runWith(scene, agent, 'Failed')
    await until(() => receiver.mails.length === 2)
    const readers = () => receiver.mails.flatMap(({ to }) => to).toSorted()
    expect(readers()).toEqual(['olga@example.org', 'vera@example.org'])

    await service.fetch('/api/users/olga', { method: 'DELETE' })
    await subscribeByForm(service, { pipelines: 'app', fails: '1' })
    await runWith(scene, agent, 'Failed')
    await until(() => receiver.mails.length === 3)
    expect(readers()).toEqual(['admin@example.org', 'olga@example.org', 'vera@example.org'])
    expect(await pageOf(service, '/account', 'vera')).toContain('value="vera@example.org"')
  })

  it('says nothing of what its reader has lost the right to view before it could be sent', async () => {
    const receiver = await MailReceiver.open()
    let ahead = 0
    const configured = (...viewers: readonly string[]) => ({
      server: mailServerElement(receiver, {}, [SECURITY]),
      groups: [
        {
          group: 'guarded',
          authorization: viewedBy(...viewers),
          pipelines: [{ name: 'app', stages: MANUAL_STAGE }],
        },
      ],
    })
    const scene = await BuildScene.open(configured('vera'), [], () => Date.now() + ahead)
    const { service } = scene
    for (const as of ['olga', 'vera'])
      await subscribeByForm(service, { pipelines: 'app', fails: '1', fixed: '1' }, as)
    await receiver.stop()
    await runWith(scene, await ProtocolAgent.join(service, 'a1'), 'Failed')
    await expect.poll(() => mailProblemsOf(service)).toHaveLength(1)
    await scene.configure(configured())
    await receiver.start()
    await until(() => receiver.mails.length > 0 && receiver.isIdle)
    ahead += MINUTE_MS
    await runWith(scene, await ProtocolAgent.join(service, 'a2'), 'Passed')
    await until(() => receiver.textsTo('olga@example.org').length === 2)

    expect(receiver.textsTo('vera@example.org')).toEqual([])
  })

  it('goes to nobody who is disabled while one before it is being sent', async () => {
    const receiver = await MailReceiver.open()
    let ahead = 0
    const configured = {
      server: mailServerElement(receiver, {}, [SECURITY]),
      groups: [
        {
          group: 'guarded',
          authorization: viewedBy('vera'),
          pipelines: [{ name: 'app', stages: MANUAL_STAGE }],
        },
      ],
    }
    const scene = await BuildScene.open(configured, [], () => Date.now() + ahead)
    const { service } = scene
    for (const as of ['olga', 'vera'])
      await subscribeByForm(service, { pipelines: 'app', fails: '1' }, as)
    await receiver.stop()
    await runWith(scene, await ProtocolAgent.join(service, 'a1'), 'Failed')
    await expect.poll(() => mailProblemsOf(service)).toHaveLength(1)
    receiver.meanwhile = async () => {
      const other = receiver.textsTo('olga@example.org').length > 0 ? 'vera' : 'olga'
      const { status } = await service.fetch(`/api/users/${other}/disable`, { method: 'POST' })
      expect(status).toBe(200)
      ahead += 2_000
    }
    await receiver.start()
    await until(() => receiver.mails.length > 0 && receiver.isIdle)

    expect(receiver.mails).toHaveLength(1)
  })
})

describe('mail about the configuration', () => {
  it('tells changes of entities to those who administer them, and of the pipelines in a group', async () => {
    const receiver = await MailReceiver.open()
    const service = await openService()
    const documentOf = (label: string, hidden = 'one') =>
      aConfiguration({
        server: mailServerElement(receiver),
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
    await subscribeByForm(service, { entities: 'group/web' })
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
        server: mailServerElement(receiver),
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
