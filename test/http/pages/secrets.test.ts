import { describe, expect, it } from 'vitest'
import { RevisionEntry } from '../../../src/wire/revision-bodies.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

/** A value in the form of the original, by a key that is not ours. */
const FOREIGN = 'AES:bm9uY2Vub25jZW5vbmNlMQ==:Y2lwaGVyIHRleHQgb2YgYW5vdGhlciBzZXJ2ZXI='

function withSecrets(password: string, server = ''): string {
  return documentWith('alpha', 'beta')
    .replace('  <pipelines', `  ${server}\n  <pipelines`)
    .replace(
      '<git url="https://example.org/alpha.git" />',
      `<svn url="https://example.org/alpha" username="ana" password="${password}" />`,
    )
    .replace(
      '<git url="https://example.org/beta.git" />',
      `<svn url="https://example.org/beta" username="ana" encryptedPassword="${FOREIGN}" />`,
    )
}

async function withRevisions(): Promise<TestService> {
  const service = await startService()
  await saveRevisions(service, withSecrets('hunter2 &lt;x&gt;'), withSecrets('correct horses'))
  return service
}

async function commitsOf(service: TestService): Promise<string[]> {
  const list: unknown = await (await service.fetch('/api/config/revisions')).json()
  return RevisionEntry.array()
    .parse(list)
    .map(({ commitSHA }) => commitSHA)
}

async function pageOf(service: TestService, path: string): Promise<string> {
  return (await service.fetch(path)).text()
}

/** Where the form of a page sends the wish to see its secrets. */
function actionOf(html: string): string {
  const [, action = ''] = /<form method="post" action="([^"]*\/reveal[^"]*)"/.exec(html) ?? []
  return action.replaceAll('&amp;', '&')
}

const POST = { method: 'POST' }

describe('the secrets of a comparison', () => {
  it('are shown to an administrator who asks, those alone that this server sealed', async () => {
    const service = await withRevisions()
    const hidden = await pageOf(service, '/config/compare/r2/r3?ctx=whole')

    const revealed = await service.fetch(actionOf(hidden), POST)
    const html = await revealed.text()

    expect(hidden).not.toMatch(/hunter2|correct horses/)
    expect(html).toContain('<del><span class="secret">hunter2 &lt;x&gt;</span></del>')
    expect(html).toContain('<ins><span class="secret">correct horses</span></ins>')
    expect(html).toContain('2 secrets shown')
    expect(html).toContain('2 secrets still hidden: encrypted with another key.')
    expect(html).not.toContain(FOREIGN)
    expect(revealed.headers.get('cache-control')).toBe('no-store')
  })

  it('are hidden again everywhere else', async () => {
    const service = await withRevisions()
    const hidden = await pageOf(service, '/config/compare/r2/r3')
    await service.fetch(actionOf(hidden), POST)

    const again = await pageOf(service, '/config/compare/r2/r3')
    const asked = await service.fetch(actionOf(hidden))

    expect(again).not.toMatch(/hunter2|correct horses/)
    expect(asked.status).toBe(303)
    expect(await pageOf(service, asked.headers.get('location') ?? '')).not.toContain(
      'correct horses',
    )
  })

  it('are noted in the audit log: who looked, and at which revisions', async () => {
    const service = await withRevisions()
    const [after, before] = await commitsOf(service)
    await service.fetch(actionOf(await pageOf(service, '/config/compare/r2/r3')), POST)

    const log: unknown = await (await service.fetch('/api/audit?action=reveal-secrets')).json()

    expect(AuditBody.parse(log).entries).toEqual([
      expect.objectContaining({
        user: 'admin',
        target: `/config/compare/${before}/${after}/reveal`,
        outcome: 'done',
      }),
    ])
  })

  it('are for administrators, who name exact revisions on pages of this service', async () => {
    const service = await startService()
    await addSomeone(service)
    await save(service, withSecrets('plain', ADMIN_ALONE))
    const [commit = ''] = await commitsOf(service)
    const address = `/config/${commit}/reveal`

    const [other, forged, vague] = await Promise.all([
      service.fetch(address, { ...POST, as: SOMEONE }),
      service.fetch(address, { ...POST, headers: { 'sec-fetch-site': 'cross-site' } }),
      service.fetch('/config/current/reveal', POST),
    ])

    expect([other.status, forged.status, vague.status]).toEqual([403, 403, 400])
  })

  it('are not offered where there are none', async () => {
    const service = await startService()
    await saveRevisions(service, documentWith('alpha'))

    expect(actionOf(await pageOf(service, '/config/compare/r1/r2'))).toBe('')
    expect(actionOf(await pageOf(service, '/config/r2'))).toBe('')
  })
})

describe('the secrets of a snapshot', () => {
  it('are shown to an administrator who asks', async () => {
    const service = await withRevisions()
    const hidden = await pageOf(service, '/config/r2?blame=1')

    const revealed = await service.fetch(actionOf(hidden), POST)
    const html = await revealed.text()

    expect(hidden).not.toContain('hunter2')
    expect(html).toContain('<span class="secret">hunter2 &lt;x&gt;</span>')
    expect(html).toContain('1 secret shown')
    expect(html).toContain('1 secret still hidden: encrypted with another key.')
    expect(html).toContain('class="listing code blamed"')
    expect(revealed.headers.get('cache-control')).toBe('no-store')
  })
})
