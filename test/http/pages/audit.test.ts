import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../../src/api/resources.ts'
import { AUDIT_ACTIONS } from '../../../src/pages/audit/audit-sentence.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { save } from '../../support/service/saving.ts'
import { until } from '../../support/programs/until.ts'
import { BuildScene, GUARDED, SECURED } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { ADMIN_PASSWORD, openService } from '../../support/service/service.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { bearer, makeToken } from '../../support/service/tokens.ts'
import { MadeInvitationBody } from '../../../src/wire/identity-bodies.ts'

/** The action and the user of each row, with the links in it. */
function rowsIn(page: string): string[] {
  return Array.from(page.matchAll(/<tr>(<td><time.*?)<\/tr>/gs), ([, row = '']) => row)
}

function rowWith(page: string, text: string): string {
  return rowsIn(page).find((row) => row.includes(text)) ?? ''
}

const DAY_MS = 86_400_000

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

describe('the page of the audit log', () => {
  it('says what was done in words, with links to revision, run, pipeline, agent and user', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await sendForm(scene.service, '/stages/app/build/1/1', { action: 'cancel' })
    await sendForm(scene.service, '/agents', { action: 'disable', agent: 'a1' })

    const page = await pageOf(scene.service, '/audit')

    expect(rowWith(page, 'Saved the configuration')).toMatch(/ as <a href="\/config\/r2">r2<\/a>/)
    expect(rowWith(page, 'Triggered pipeline')).toContain('<a href="/pipelines/app">app</a>')
    expect(rowWith(page, 'Cancelled stage')).toContain(
      '<a href="/stages/app/build/1/1">app / 1 / build / 1</a>',
    )
    expect(rowWith(page, 'Disabled agent')).toContain('<a href="/agents/a1">host-a1</a>')
    expect(rowWith(page, 'Disabled agent')).toContain('<a href="/audit?user=admin">admin</a>')
    expect(rowsIn(page).join('')).not.toMatch(/\/api\/|[0-9a-f]{40}</)
  })

  it('names the host of an agent that is gone', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await sendForm(scene.service, '/agents', { action: 'disable', agent: 'a1' })
    await agent.contact({ jobId: null, stopping: true })
    await sendForm(scene.service, '/agents', { action: 'delete', agent: 'a1' })

    const page = await pageOf(scene.service, '/audit')

    expect(rowWith(page, 'Deleted agent')).toContain('<a href="/agents/a1">host-a1</a>')
    await agent.ask()
    const later = await pageOf(scene.service, '/audit')
    expect(rowWith(later, 'Tried to act on')).toContain('<a href="/agents/a1">agent host-a1</a>')
  })

  it('has one row for each deed, with the revision that it made, below its day', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await ProtocolAgent.join(scene.service, 'a1')
    const body = new URLSearchParams({ scm: 'git', url: 'https://example.org/x.git' }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const created = '/tab/admin/pipelines/made.json'
    await scene.service.fetch(created, { method: 'POST', headers: form, body })
    await sendForm(scene.service, '/agents', { action: 'disable', agent: 'a1' })

    const page = await pageOf(scene.service, '/audit')
    const rows = rowsIn(page).map((row) => row.replaceAll(/<[^>]*>/g, ''))

    expect(rows.filter((row) => row.includes('Created pipeline'))).toEqual([
      expect.stringMatching(/made as r\d/),
    ])
    expect(rows.filter((row) => row.includes('Disabled agent'))).toEqual([
      expect.stringMatching(/as r\d/),
    ])
    expect(rows.filter((row) => /admin.*Changed the configuration/.test(row))).toEqual([])
    expect(page).toMatch(/<tr class="day"><th[^>]*>\w{3}, \d+ \w{3} \d{4}, UTC<\/th><\/tr>/)
  })

  it('names the revision that each save made, also where another has the same text', async () => {
    const service = await openService()
    const [one, two] = [documentWith('one'), documentWith('two')]
    for (const document of [one, two, one]) await save(service, document)

    const rows = rowsIn(await pageOf(service, '/audit')).map((row) =>
      row.replaceAll(/<[^>]*>/g, ''),
    )

    const saves = rows.flatMap((row) => /Saved the configuration +as (r\d+)/.exec(row)?.[1] ?? [])
    expect(saves).toEqual(['r4', 'r3', 'r2'])
  })

  it('says why something was refused in words', async () => {
    const service = await openService()
    const body = new URLSearchParams({ username: 'admin', password: 'wrong' })
    await service.fetch('/login', { method: 'POST', as: null, body })

    const page = await pageOf(service, '/audit')

    expect(rowWith(page, 'Tried to log in')).toContain('> wrong credentials<')
  })

  it('says what was created, pushed or fetched by its name, and who logged in', async () => {
    const service = await openService()
    const body = new URLSearchParams({ scm: 'git', url: 'https://example.org/x.git' }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const created = '/tab/admin/pipelines/my.json.json'
    await service.fetch(created, { method: 'POST', headers: form, body })
    await service.fetch('/git/config.git/git-upload-pack', { method: 'POST', body: '0000' })
    const login = new URLSearchParams({ username: 'admin', password: ADMIN_PASSWORD }).toString()
    await service.fetch('/login', { method: 'POST', as: null, headers: form, body: login })

    const page = await pageOf(service, '/audit')

    expect(rowWith(page, 'Created pipeline')).toContain('<a href="/pipelines/my.json">my.json</a>')
    expect(rowWith(page, 'clone or fetch the configuration')).toContain('refused')
    expect(rowWith(page, 'Logged in')).not.toContain('/login')
  })

  it('says which token somebody came with, and names tokens and invitations by their ids', async () => {
    const service = await openService()
    const { id, token } = await makeToken(service, 'admin')
    const made = await service.fetch('/api/agent-invitations', {
      ...bearer(token),
      method: 'POST',
      body: '{}',
    })
    const invitation = MadeInvitationBody.parse(await made.json())

    const page = await pageOf(service, '/audit')

    expect(rowWith(page, 'Created agent invitation')).toContain(`by token <code>${id}</code>`)
    expect(rowWith(page, 'Created agent invitation')).toContain(`>${invitation.id}</a>`)
    expect(rowWith(page, 'Created token')).toContain(id)
    expect(rowWith(page, 'Created token')).not.toContain('by token')
    expect(rowsIn(page).join('')).not.toContain('/api/')
  })

  it('says what was only tried, in the same words', async () => {
    const groups = [{ authorization: GUARDED, pipelines: [{ name: 'app' }] }]
    const scene = await BuildScene.open({ server: SECURED, groups })
    const { service } = scene
    await scene.post('/api/stages/app/build/cancel', 'vera')
    await sendForm(service, '/users', { action: 'create', name: 'kim' }, 'vera')
    await sendForm(service, '/pipelines/gone', { action: 'pause' }, 'vera')
    await scene.get('/users/kim', 'vera')
    await scene.get('/config/edit', 'vera')
    await scene.get('/config/entity/pipeline/unseen/restore/r1', 'vera')
    await service.fetch('/api/admin/config.xml', { method: 'PUT', as: 'vera:vera', body: '<x/>' })

    const page = await pageOf(service, '/audit?outcome=refused')
    const attempts = rowsIn(page).map((row) => row.replaceAll(/<[^>]*>/g, ' '))

    expect(rowWith(page, 'Tried to cancel stage')).toContain('/stages/app/build">app / build</a>')
    expect(rowWith(page, 'Tried to act on')).toContain('/users')
    expect(rowWith(page, 'Tried to save the configuration')).not.toBe('')
    expect(attempts.join('')).toMatch(/Tried to pause pipeline\s+gone/)
    expect(attempts.join('')).toMatch(/Tried to open\s+user kim/)
    expect(rowWith(page, '/config/edit')).toContain('Tried to open')
    expect(rowWith(page, 'pipeline unseen')).toContain('Tried to open')
    expect(attempts.join('')).not.toMatch(/Cancelled|Saved|:name|GET|POST/)
  })

  it('has one row for a save, and one for a change that no request made', async () => {
    const scene = await BuildScene.open()
    writeFileSync(join(scene.service.folder, 'config-repo', 'config.xml'), documentWith('by-hand'))
    const isThere = async () => (await pageOf(scene.service, '/audit')).includes('File on disk')
    await until(isThere)

    const rows = rowsIn(await pageOf(scene.service, '/audit')).filter((row) => /r[23]</.test(row))
    const changes = rowsIn(await pageOf(scene.service, '/audit?action=change-configuration'))

    expect(rows).toHaveLength(2)
    expect(rows[0]).toContain('Changed the configuration')
    expect(rows[1]).toContain('Saved the configuration')
    expect(changes.length).toBeGreaterThanOrEqual(2)
  })

  it('has words for every action that has a name', () => {
    const names = ROUTES.flatMap(({ audit }) => (typeof audit === 'string' ? [audit] : []))

    expect(names.filter((name) => !AUDIT_ACTIONS.has(name))).toEqual([])
  })

  it('is filtered by days, in its address', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const [yesterday, today, tomorrow] = [-DAY_MS, 0, DAY_MS].map((away) =>
      dayOf(Date.now() + away),
    )
    const rowsOf = async (query: string) => rowsIn(await pageOf(scene.service, `/audit?${query}`))

    const counts = [
      await rowsOf(`since=${yesterday}&until=${tomorrow}`),
      await rowsOf(`since=${tomorrow}`),
      await rowsOf(`until=${yesterday}`),
    ].map(({ length }) => length > 0)
    const page = await pageOf(scene.service, `/audit?since=${yesterday}&outcome=refused`)

    expect(counts).toEqual([true, false, false])
    expect(page).toMatch(new RegExp(`name="since" value="${yesterday}"`))
    expect(page).toContain('No entries match.')
    expect(page).toContain('Clear the filter')
    for (const path of ['/audit', '/api/audit']) {
      expect((await scene.get(`${path}?since=${today}T00:00Z`)).status).toBe(200)
      expect((await scene.get(`${path}?since=today`)).status).toBe(400)
      expect((await scene.get(`${path}?since=2026-02-30`)).status).toBe(400)
    }
  })

  it('stands in the navigation of administrators alone', async () => {
    const scene = await BuildScene.open({ server: SECURED })

    const [admin, vera] = [
      await pageOf(scene.service, '/audit'),
      await pageOf(scene.service, '/pipelines', 'vera'),
    ]

    expect(admin).toContain('<a href="/audit" aria-current="page"')
    expect(vera).not.toContain('href="/audit"')
  })
})
