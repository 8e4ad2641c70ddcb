import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { git } from '../../support/git/git.ts'
import { pageOf } from '../../support/pages/page-forms.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { addSomeone, ADMIN_ALONE, SOMEONE } from '../../support/service/someone-else.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const Results = z.object({
  groups: z.array(
    z.object({
      title: z.string(),
      count: z.int(),
      hits: z.array(z.object({ title: z.string(), href: z.string() })),
    }),
  ),
})

/** The titles of what is found, by sort. */
async function found(service: TestService, q: string, as?: string) {
  const address = `/search/results.json?q=${encodeURIComponent(q)}`
  const response = await service.fetch(address, as === undefined ? {} : { as })
  const { groups } = Results.parse(await response.json())
  return Object.fromEntries(groups.map(({ title, hits }) => [title, hits.map((hit) => hit.title)]))
}

async function withHistory(): Promise<TestService> {
  const service = await startService(['--auto-register-key', 'let-me-in'])
  await saveRevisions(service, documentWith('checkout'), documentWith('checkout', 'shipping'))
  const agent = new CallingAgent(service)
  agent.facts = { ...agent.facts, hostname: 'shipping-builder-1' }
  await agent.register({ key: 'let-me-in', resources: [], environments: [] })
  await service.fetch('/api/config/revisions?text=shipping&q=shipping')
  return service
}

describe('/search', () => {
  it('finds pipelines, agents, people, revisions and texts at once', async () => {
    const service = await withHistory()
    const head = git(service.repository, 'rev-parse', 'HEAD~1').trim()
    const today = new Date().toISOString().slice(0, 10)

    expect(await found(service, 'SHIPPING')).toMatchObject({
      Pipelines: ['shipping'],
      Agents: ['shipping-builder-1'],
    })
    const texts = (await found(service, 'shipping.git'))['Text in history']
    expect(texts).toEqual([expect.stringMatching(/^r3 · /)])
    expect((await found(service, 'r2'))['Revisions']).toEqual([expect.stringMatching(/^r2 · /)])
    expect((await found(service, head.slice(0, 8)))['Revisions']).toEqual([
      expect.stringMatching(/^r3 · /),
    ])
    expect((await found(service, today))['Revisions']).toHaveLength(5)
    expect((await found(service, 'admi'))['People']).toEqual(['admin'])
    expect(await found(service, 'nothing like it')).toEqual({})
    expect(Object.keys(await found(service, ''))).toEqual(['Pages and actions'])
  })

  it('finds pages and actions, and pipelines that are gone, for those who may go there', async () => {
    const service = await withHistory()
    await saveRevisions(service, documentWith('checkout'))
    await service.fetch('/api/config/revisions?q=shipping')

    expect((await found(service, 'permis'))['Pages and actions']).toEqual(['Permissions'])
    expect((await found(service, 'roles'))['Pages and actions']).toEqual(['Permissions'])
    expect((await found(service, 'trigger check'))['Actions']).toEqual(['Trigger checkout…'])
    expect((await found(service, 'shipping'))['Removed']).toEqual(['shipping'])
    expect((await found(service, 'checkout'))['Removed']).toBeUndefined()
    await addSomeone(service)
    await saveRevisions(
      service,
      documentWith('checkout').replace(/(<cruise[^>]*>)/, `$1${ADMIN_ALONE}`),
    )
    expect(await found(service, 'permis', SOMEONE)).toEqual({})
    expect(await found(service, 'shipping', SOMEONE)).not.toHaveProperty('Removed')
  })

  it('says what revisions of the original server changed, whose commits have no words', async () => {
    const folder = tempDir()
    const repository = join(folder, 'config-repo')
    mkdirSync(repository)
    git(repository, 'init', '--quiet', '--initial-branch=main')
    for (const document of [documentWith('checkout'), documentWith('checkout', 'shipping')]) {
      const md5 = createHash('md5').update(document).digest('hex')
      writeFileSync(join(repository, 'config.xml'), document)
      git(repository, 'add', '.')
      const facts = 'user:ana|timestamp:1450718883389|schema_version:75'
      const message = `${facts}|go_edition:OpenSource|go_version:14.3.0|md5:${md5}`
      git(repository, 'commit', '--quiet', '--message', message)
    }
    const service = await startService([], folder)

    await expect
      .poll(async () => (await found(service, 'shipping'))['Changes'])
      .toEqual(['r2 · Add pipeline shipping'])
  })

  it('is a page with the same results, which works without scripts', async () => {
    const service = await withHistory()

    const page = await pageOf(service, '/search?q=shipping')
    const nothing = await pageOf(service, '/search?q=%3Cscript%3E')

    expect(page).toContain('<a href="/pipelines/shipping">shipping</a>')
    expect(page).toContain('shipping-builder-1')
    expect(page).toMatch(/<form class="bar-search" role="search" action="\/search"/)
    expect(nothing).toContain('Nothing found')
    expect(nothing).not.toContain('<script>')
  })

  it('shows nobody what they may not see', async () => {
    const service = await withHistory()
    await addSomeone(service)
    const shut = '<authorization><view><user>admin</user></view></authorization>'
    const document = git(service.repository, 'show', 'HEAD:config.xml')
      .replace(/(<cruise[^>]*>)/, `$1${ADMIN_ALONE}`)
      .replace(/(<pipelines group="[^"]*">)/, `$1${shut}`)
    await saveRevisions(service, document)

    expect(await found(service, 'shipping', SOMEONE)).toEqual({ Agents: ['shipping-builder-1'] })
    expect(await found(service, 'r2', SOMEONE)).toEqual({})
    expect(await found(service, 'admin', SOMEONE)).toEqual({})
    expect((await service.fetch('/search?q=a', { as: null })).status).toBe(401)
  })
})
