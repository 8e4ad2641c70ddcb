import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { pageOf } from '../support/pages/page-forms.ts'
import { saveRevisions } from '../support/service/saved-revisions.ts'
import { save } from '../support/service/saving.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../support/service/someone-else.ts'
import { openService, type CalledService } from '../support/service/service.ts'

const CANDIDATE = documentWith('checkout', 'billing').replace(
  'billing.git"',
  'billing.git" branch="rc-7"',
)

async function commitsOf(service: CalledService, query: Record<string, string>): Promise<string[]> {
  const response = await service.fetch(
    `/api/config/revisions?${new URLSearchParams(query).toString()}`,
  )
  return z
    .array(RevisionEntry)
    .parse(await response.json())
    .map(({ commitSHA }) => commitSHA)
}

function pickaxe({ repository }: CalledService, text: string): string[] {
  return git(repository, 'log', '-S', text, '--format=%H').split('\n').filter(Boolean)
}

describe('GET /api/config/revisions?text=', () => {
  it('finds what stands inside of what was added or removed, as git log -S', async () => {
    const service = await openService()
    await saveRevisions(
      service,
      documentWith('checkout'),
      CANDIDATE,
      documentWith('checkout', 'billing'),
      documentWith('checkout', 'billing', 'shipping'),
    )

    for (const text of ['rc-7', 'billing.git', '<task', 'exec command', 'nowhere', '\n    <']) {
      expect([text, await commitsOf(service, { text })]).toEqual([text, pickaxe(service, text)])
    }
    expect(await commitsOf(service, { text: 'rc-7' })).toHaveLength(2)
  })

  it('combines with names, words, things and times', async () => {
    const service = await openService()
    await addSomeone(service)
    await saveRevisions(service, documentWith('checkout'))
    await save(service, CANDIDATE, SOMEONE)
    await saveRevisions(service, documentWith('checkout', 'billing'), documentWith('checkout'))
    const all = pickaxe(service, 'billing.git')
    const [removed, added] = pickaxe(service, 'rc-7')
    const text = 'rc-7'
    expect([removed, added]).not.toContain(undefined)

    expect(await commitsOf(service, { text, user: 'someone' })).toEqual([added])
    expect(await commitsOf(service, { text, user: 'admin' })).toEqual([removed])
    expect(await commitsOf(service, { text, entity: 'pipeline/checkout' })).toEqual([])
    expect(await commitsOf(service, { text, entity: 'pipeline/billing' })).toEqual([removed, added])
    expect(await commitsOf(service, { text, since: '2015-01-01', until: '2015-12-31' })).toEqual([])
    expect(await commitsOf(service, { text, since: '2015-01-01' })).toEqual([removed, added])
    expect(await commitsOf(service, { text: 'billing.git', q: 'BILLING' })).toEqual(all)
    expect(await commitsOf(service, { text: 'billing.git', q: 'shipping' })).toEqual([])
    expect(await commitsOf(service, { text, limit: '1', offset: '1' })).toEqual([added])
  })

  it('finds summaries of changes by q, which the subject shortens', async () => {
    const service = await openService()
    const names = Array.from({ length: 30 }, (_, n) => `pipeline-number-${n}`)
    await saveRevisions(service, documentWith('first'), documentWith('first', ...names))

    const found = await commitsOf(service, { q: 'PIPELINE-NUMBER-29' })

    expect(git(service.repository, 'log', '-1', '--format=%s')).not.toContain('number-29')
    expect(found).toEqual([git(service.repository, 'rev-parse', 'HEAD').trim()])
  })

  it('knows no secret, neither sealed in time nor committed past the service', async () => {
    const service = await openService(['--poll-interval', '100ms'])
    const secret = 'hunter2-hunter2'
    const withPassword = documentWith('checkout', 'billing').replace(
      '<git url="https://example.org/billing.git" />',
      `<svn url="https://example.org/billing" username="ana" password="${secret}" />`,
    )
    await saveRevisions(service, withPassword, documentWith('checkout'))

    expect(await commitsOf(service, { text: secret })).toEqual([])
    expect(await commitsOf(service, { text: 'encryptedPassword' })).toHaveLength(2)
  })

  it('is for administrators, and refuses what is no time or too long', async () => {
    const service = await openService()
    await addSomeone(service)
    const statusOf = async (query: string, as?: string) =>
      (await service.fetch(`/api/config/revisions?${query}`, as ? { as } : {})).status

    expect(await statusOf('since=yesterday')).toBe(400)
    expect(await statusOf('since=2015-02-29')).toBe(400)
    expect(await statusOf('since=2016-02-29')).toBe(200)
    expect(await statusOf(`text=${'x'.repeat(1_001)}`)).toBe(400)
    await saveRevisions(service, documentWith('a').replace(/(<cruise[^>]*>)/, `$1${ADMIN_ALONE}`))
    expect(await statusOf('text=a', SOMEONE)).toBe(403)
  })
})

describe('/config?text=', () => {
  it('lists the same revisions, and says what is searched', async () => {
    const service = await openService()
    await saveRevisions(service, documentWith('checkout'), CANDIDATE, documentWith('checkout'))

    await commitsOf(service, { text: 'rc-7' })
    const page = await pageOf(service, '/config?text=rc-7')

    const rows = [...page.matchAll(/id="r(\d+)"/g)].map(([, number]) => number)
    expect(rows).toEqual(['4', '3'])
    expect(page).toContain('this text occurs more or less often')
    expect(page).toContain('value="rc-7"')
  })
})
