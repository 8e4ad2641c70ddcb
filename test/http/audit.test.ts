import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../src/core/service/audit.ts'
import { ROUTES } from '../../src/api/resources.ts'
import { PAGE_ROUTES } from '../../src/pages/pages-routes.ts'
import { nameOf, QUIET } from '../../src/api/definition/route-rules.ts'
import { CallingAgent } from '../support/agents/agent-calls.ts'
import { CONTACT_BODY } from '../support/agents/contact-body.ts'
import { git } from '../support/git/git.ts'
import { DescribedApi } from '../support/service/described-api.ts'
import { documentWith } from '../support/documents/documents.ts'
import { aConfiguration } from '../support/documents/a-configuration.ts'
import { jsonOf, SECURED } from '../support/builds/build-service.ts'
import { save } from '../support/service/saving.ts'
import { auditRowsIn } from '../support/service/audit-rows.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { addSomeone, SOMEONE } from '../support/service/someone-else.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const POST = { method: 'POST' }

async function entriesOf(service: TestService, query = ''): Promise<readonly AuditEntry[]> {
  return AuditBody.parse(await jsonOf(await service.fetch(`/api/audit?${query}`))).entries
}

/** Sends many requests, some of them at once, that are refused. */
async function flood(count: number, send: (n: number) => Promise<Response>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n).values()
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (const n of numbers) await (await send(n)).arrayBuffer()
    }),
  )
}

/** The call that does the same as a form, which the log names. */
function callOf(path: string): string {
  return path.replace(/^\/(pipelines\/\d+)\/trigger$/, '/api/$1/schedule')
}

describe('the audit log', () => {
  it('has what many saves at once have made in the order of their commits', async () => {
    const service = await startService()
    const names = Array.from({ length: 12 }, (_, n) => `one-${n}`)
    await Promise.all(names.map((name) => save(service, documentWith(name))))

    const entries = await entriesOf(service, 'action=change-configuration&limit=12')
    const commits = git(service.repository, 'rev-list', '--max-count=12', 'HEAD').trim().split('\n')
    expect(entries.map(({ target }) => target)).toEqual(commits)
  })

  it('says who saved what from where, and which configuration came of it', async () => {
    const service = await startService()
    const saved = await save(service, documentWith('one'))
    const digest = saved.headers.get('x-service-config-md5')

    const [request, revision] = await entriesOf(service)

    expect(request).toMatchObject({
      user: 'admin',
      action: 'save-configuration',
      target: '/api/admin/config.xml',
      address: '127.0.0.1',
      outcome: 'done',
      status: 200,
      md5: digest,
      request: saved.headers.get('x-request-id'),
    })
    expect(revision).toMatchObject({ action: 'change-configuration', user: 'admin', md5: digest })
  })

  it('names the door of each change, and the entities that it is about', async () => {
    const service = await startService()
    const text = documentWith('one')
    await save(service, text)
    const path = '/api/config/entities/pipeline/one'
    const body = await (await service.fetch(path)).text()
    const headers = { 'if-match': '*' }
    await service.fetch(path, { method: 'PUT', headers, body: body.replace('make', 'ls') })
    writeFileSync(join(service.repository, 'config.xml'), text.replace('make', 'touch'))
    await service.fetch(path, { method: 'DELETE', headers })

    const changes = await entriesOf(service, 'action=change-configuration&limit=4')

    const pipeline = ['pipeline/one']
    expect(changes.map(({ door, entities }) => ({ door, entities }))).toEqual([
      { door: 'entity', entities: pipeline },
      { door: 'live-file', entities: pipeline },
      { door: 'entity', entities: pipeline },
      { door: 'put', entities: expect.arrayContaining(['group/first', 'pipeline/one']) },
    ])
    expect(await (await service.fetch('/audit')).text()).toContain('pipeline/one')
  })

  it('is on disk when the action is answered', async () => {
    const service = await startService()
    await service.fetch('/api/agents/nobody/enable', POST)

    expect(auditRowsIn(join(service.folder, 'state')).join('\n')).toContain(
      '"action":"enable-agent"',
    )
    await save(service, documentWith('one'))
    expect(auditRowsIn(join(service.folder, 'state')).join('\n')).toContain(
      '"action":"save-configuration"',
    )
  })

  it('has what was refused, and why', async () => {
    const service = await startService()
    await addSomeone(service)
    await save(service, aConfiguration({ server: SECURED }))

    await service.fetch('/api/agents/a/disable', { ...POST, as: SOMEONE })
    await service.fetch('/api/admin/config.xml', { as: SOMEONE })
    await service.fetch('/api/admin/config.xml', { as: 'admin:wrong' })
    await service.fetch('/api/admin/config.xml', { as: null })
    const refused = await entriesOf(service, 'outcome=refused')

    expect(
      refused.map(({ user, claimed, status, reason }) => [user || claimed, status, reason]),
    ).toEqual([
      ['admin', 401, 'wrong-credentials'],
      ['someone', 403, 'not-permitted'],
      ['someone', 403, 'not-permitted'],
    ])
  })

  it('says why a form of the original was refused', async () => {
    const service = await startService()
    const post = (path: string, form: Record<string, string>) =>
      service.fetch(path, { ...POST, body: new URLSearchParams(form) })
    const configuration = '/api/admin/config.xml'
    const current = await service.fetch(configuration)
    const md5 = current.headers.get('x-service-config-md5') ?? ''
    const pipeline = '/tab/admin/pipelines/one.json'
    const invalid = documentWith('one', 'ONE')

    await post(configuration, { xmlFile: invalid, md5 })
    await post(configuration, { xmlFile: documentWith('one'), md5: '0'.repeat(32) })
    await save(service, documentWith('one'))
    await post(pipeline, { scm: 'svn' })
    await post(pipeline, { scm: 'svn', url: 'http://scm/r', builder: 'ant' })
    const refused = await entriesOf(service, 'outcome=refused')

    expect(refused.map(({ target, status, reason }) => [target, status, reason])).toEqual([
      [pipeline, 409, 'name-in-use'],
      [pipeline, 400, 'malformed-request'],
      [configuration, 409, 'config-stale'],
      [configuration, 409, 'config-invalid'],
    ])
  })

  it('has one entry for many equal attempts of nobody, and their number', async () => {
    const service = await startService()
    const url = '/api/agents-protocol/a1/contact'
    const body = CONTACT_BODY
    await service.fetch('/api/agents-protocol/register', {
      ...POST,
      as: null,
      body: JSON.stringify({
        ...JSON.parse(body),
        uuid: 'a1',
        claim: 'c'.repeat(40),
        auto_register: null,
      }),
    })
    const headers = { authorization: 'Bearer forged' }

    for (let n = 0; n < 5; n += 1) await service.fetch(url, { ...POST, as: null, headers, body })
    const during = await entriesOf(service, 'outcome=refused')
    await service.close()
    const again = await startService([], service.folder)
    const after = await entriesOf(again, 'outcome=refused')

    expect(during).toHaveLength(1)
    expect(after.map(({ times }) => times)).toEqual([4, undefined])
  })

  it('names agents that register, and a few of very many', async () => {
    const service = await startService()
    for (let n = 0; n < 9; n += 1) await new CallingAgent(service, `box-${n}`).register()
    const page = await (await service.fetch('/audit')).text()
    await service.close()
    const again = await startService([], service.folder)

    const entries = await entriesOf(again, 'action=register-agent')

    const paths = Array.from({ length: 9 }, (_, n) => `/api/agents/box-${n}`)
    expect(entries.map(({ target, times }) => [target, times])).toEqual([
      [paths[1], 8],
      [paths[0], undefined],
    ])
    expect(entries[0]?.targets).toEqual(paths.slice(1, 6))
    expect(page).toMatch(/Registered agent\s*<a href="\/agents\/box-0">/)
  })

  it('has an entry for every call that may change something, with no exception but the quiet ones', async () => {
    const service = await startService()
    const { operations } = await DescribedApi.read(service)
    const changing = operations.filter(({ method }) => !['get', 'head'].includes(method))
    for (const { method, path } of changing) {
      const filled = path.replaceAll(/\{\w+\}/g, '1')
      await service.fetch(filled, { method: method.toUpperCase() })
    }

    await service.close()
    const again = await startService([], service.folder)
    const entries = await entriesOf(again, 'limit=1000')
    const targets = new Set(entries.flatMap((entry) => [entry.target, ...(entry.targets ?? [])]))

    const forgotten = changing.filter(
      ({ path }) => !targets.has(callOf(path.replaceAll(/\{\w+\}/g, '1'))),
    )
    const quiet = new Set(
      [...ROUTES, ...PAGE_ROUTES]
        .filter(({ audit }) => audit === QUIET)
        .map(({ path }) => path.replaceAll(/:\w+(\{[^}]*\})?/g, '{}')),
    )
    expect(changing.length).toBeGreaterThan(15)
    expect(
      forgotten
        .map(({ path }) => path.replaceAll(/\{\w+\}/g, '{}'))
        .filter((path) => !quiet.has(path)),
    ).toEqual([])
  })

  it('is quiet about agents at work, and about plans, replays and four forms, which change nothing', () => {
    const ofUsers = ROUTES.filter(({ audit, caller }) => audit === QUIET && caller !== 'agent')
    const ofPages = PAGE_ROUTES.filter(({ audit }) => audit === QUIET)

    expect(ofUsers.map(nameOf)).toEqual(['POST /api/admin/rules/replay', 'POST /api/config/plan'])
    expect(ofPages.map(nameOf)).toEqual([
      'POST /colours',
      'POST /config/edit/check',
      'POST /rules/form',
      'POST /rules/replay',
    ])
  })

  it('is read page by page, and by user, action and outcome', async () => {
    const service = await startService()
    for (let n = 0; n < 5; n += 1) await service.fetch(`/api/agents/a${n}/enable`, POST)
    await service.fetch('/api/agents/a0/delete', POST)

    const first = AuditBody.parse(await jsonOf(await service.fetch('/api/audit?limit=4')))
    const second = AuditBody.parse(
      await jsonOf(await service.fetch(`/api/audit?limit=4&before=${first.next}`)),
    )
    const deleted = await entriesOf(service, 'action=delete-agent&user=ADMIN')

    expect([...first.entries, ...second.entries].map(({ target }) => target).slice(0, 6)).toEqual([
      '/api/agents/a0/delete',
      ...[4, 3, 2, 1, 0].map((n) => `/api/agents/a${n}/enable`),
    ])
    expect(deleted.map(({ target }) => target)).toEqual(['/api/agents/a0/delete'])
  })

  it('is for administrators, as a page too', async () => {
    const service = await startService()
    await addSomeone(service)
    await save(service, aConfiguration({ server: SECURED }))

    const page = await (await service.fetch('/audit?action=save-configuration')).text()

    expect(page).toContain('save-configuration')
    expect(page).not.toContain('change-configuration</td>')
    expect((await service.fetch('/audit', { as: SOMEONE })).status).toBe(403)
    expect((await service.fetch('/api/audit', { as: SOMEONE })).status).toBe(403)
  })

  it('shows nothing that an attacker wrote as markup', async () => {
    const service = await startService()
    await service.fetch('/api/agents/%3Cscript%3Ealert(1)%3C%2Fscript%3E/enable', POST)
    await service.fetch('/config', { as: '<img src=x>:x' })

    const page = await (await service.fetch('/audit')).text()

    expect(page).toContain('&lt;img src=x&gt;')
    expect(page).not.toContain('<img src=x>')
    expect(page).not.toContain('<script>alert')
  })

  it('drops its oldest entries when it is full, and says so', async () => {
    const service = await startService(['--max-audit', '4KiB'])

    for (let n = 0; n < 20; n += 1) await save(service, documentWith(`pipeline-${n}`))
    const shortened = await entriesOf(service, 'action=shorten-audit-log')

    expect(shortened[0]?.target).toMatch(/^entries \d+ to \d+$/)
    expect(service.logged.some(({ message }) => message.includes('The audit log is full'))).toBe(
      true,
    )
  })

  it(
    'keeps what administrators did, however many requests are refused',
    { tags: ['long'] },
    async () => {
      const service = await startService(['--max-audit', '64KiB'])
      await addSomeone(service)
      await save(service, aConfiguration({ server: SECURED }))
      await service.fetch('/api/agents/a1/enable', POST)
      await service.fetch('/api/agents', { as: SOMEONE })
      const before = await entriesOf(service, 'user=admin&outcome=done')

      await flood(500, (n) => service.fetch(`/api/agents?${n}`, { ...POST, as: `user${n}:wrong` }))
      await flood(500, (n) =>
        service.fetch(`/api/agents-protocol/agent-${n}/contact`, {
          ...POST,
          as: null,
          headers: { authorization: 'Bearer forged' },
          body: CONTACT_BODY,
        }),
      )
      await flood(500, (n) => service.fetch(`/api/agents/a${n}/disable`, { ...POST, as: SOMEONE }))
      await service.close()
      const again = await startService(['--max-audit', '64KiB'], service.folder)

      expect(before.length).toBeGreaterThan(1)
      expect(await entriesOf(again, 'user=admin&outcome=done')).toEqual(before)
      const refused = await entriesOf(again, 'user=someone&outcome=refused')
      expect(refused).toHaveLength(11)
      expect(refused[0]).toMatchObject({ action: 'disable-agent', status: 403, times: 490 })
      const { first = 0, last = 0, targets = [] } = refused[0] ?? {}
      expect(last).toBeGreaterThanOrEqual(first)
      expect(first).toBeGreaterThanOrEqual(refused[1]?.time ?? Infinity)
      expect(targets).toHaveLength(5)
      expect(targets).toContain(refused[0]?.target)
      const page = await (await again.fetch('/audit?user=someone')).text()
      const agents = targets.map((target) => target.split('/').at(-2))
      expect(page).toContain(agents.join(', '))
    },
  )
})
