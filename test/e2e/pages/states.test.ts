// @module-tag chromium

import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { keepPicture, LOOKS, troublesOf, useBrowser, visit } from '../../support/pages/browser.ts'
import { git } from '../../support/git/git.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { save } from '../../support/service/saving.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'
import { MADE, NINJA, serviceWithHistory } from '../../support/history/small-history.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const chromium = useBrowser()
const AGENT_KEY = 'let-me-in'

/** Looks at pages one after the other: what is wrong with each, with a picture. */
class Looks {
  readonly #page: Page
  readonly #name: string
  readonly found: Record<string, string[]> = {}

  constructor(page: Page, name: string) {
    this.#page = page
    this.#name = name
  }

  async at(title: string, path?: string): Promise<void> {
    if (path !== undefined) await this.#page.goto(path)
    this.found[title] = await troublesOf(this.#page)
    await keepPicture(this.#page, `states/${title}-${this.#name}`)
  }

  /** What is wrong, of those pages alone that have anything. */
  wrong(): Record<string, string[]> {
    return Object.fromEntries(Object.entries(this.found).filter(([, found]) => found.length > 0))
  }
}

/** A history of the original's, whose second revision is no XML. */
function historyWithGarbage(): string {
  const folder = tempDir()
  const repository = join(folder, 'config-repo')
  mkdirSync(repository)
  git(repository, 'init', '--quiet', '--initial-branch=main')
  for (const document of [MADE, MADE.replace('</cruise>', '<cruise'), NINJA]) {
    const md5 = createHash('md5').update(document).digest('hex')
    const facts = 'user:ana|timestamp:1450718883389|schema_version:75'
    writeFileSync(join(repository, 'config.xml'), document)
    git(repository, 'add', '.')
    const message = `${facts}|go_edition:OpenSource|go_version:14.3.0|md5:${md5}`
    git(repository, 'commit', '--quiet', '--message', message)
  }
  return folder
}

async function joined(service: TestService, hostname: string): Promise<CallingAgent> {
  const agent = new CallingAgent(service)
  agent.facts = { ...agent.facts, hostname }
  await agent.register({ key: AGENT_KEY, resources: ['linux'], environments: [] })
  return agent
}

function withPassword(document: string, password: string): string {
  return document.replace(
    '<git url="https://example.org/billing.git" />',
    `<svn url="https://example.org/billing" username="ana" password="${password}" />`,
  )
}

describe.each(LOOKS)('rare states of pages ($name)', ({ name, ...visitor }) => {
  it('are fine where secrets are shown, and where something is restored or cannot be', async () => {
    const changed = NINJA.replace('name="unit"', 'name="all"')
    const service = await serviceWithHistory()
    await addSomeone(service)
    await save(service, changed, SOMEONE)
    await saveRevisions(service, withPassword(changed, 'one'), withPassword(changed, 'two'))
    const page = await visit(chromium.browser, service.url, visitor)
    const looks = new Looks(page, name)

    await page.goto('/config/compare/r5/r6')
    await page.getByRole('button', { name: 'Reveal secrets' }).click()
    await looks.at('revealed-compare')
    await page.goto('/config/r5')
    await page.getByRole('button', { name: 'Reveal secrets' }).click()
    await looks.at('revealed-snapshot')
    await looks.at('entity-steps', '/config/entity/pipeline/checkout')
    await looks.at('restore-entity', '/config/entity/pipeline/checkout/restore/r2')
    await looks.at('undo', '/config/r6/undo')
    await looks.at('undo-refused', '/config/r3/undo')
    await page.goto('/config/r2/restore')
    await saveRevisions(service, MADE.replace('billing.git', 'invoices.git'))
    await page.getByLabel('Reason').fill('It worked then')
    await page.getByRole('button', { name: 'Restore r2' }).click()
    await page.getByText('The configuration has changed since').waitFor()
    await looks.at('restore-stale')

    expect(looks.wrong()).toEqual({})
  })

  it('are fine where a text of the past is no XML', async () => {
    const service = await startService([], historyWithGarbage())
    const page = await visit(chromium.browser, service.url, visitor)
    const looks = new Looks(page, name)

    await looks.at('garbage-history', '/config')
    for (const [title, path] of [
      ['garbage-compare', '/config/compare/r1/r2'],
      ['garbage-back', '/config/compare/r2/r3'],
      ['garbage-snapshot', '/config/r2'],
      ['garbage-restore', '/config/r2/restore'],
    ] as const) {
      await looks.at(title, path)
    }

    expect(looks.wrong()).toEqual({})
  })

  it('are fine while the file on disk is not valid, on every page', async () => {
    const service = await serviceWithHistory()
    const file = join(service.repository, 'config.xml')
    writeFileSync(file, NINJA.replace('<exec command="ninja" />', '<exec />'))
    const isTold = async () => (await service.fetch('/config')).text()
    await expect.poll(isTold).toContain('the file on disk is not valid')
    const page = await visit(chromium.browser, service.url, visitor)
    const looks = new Looks(page, name)

    for (const path of [
      '/config',
      '/config/edit',
      '/agents',
      '/audit',
      '/config/r99',
      '/problems',
    ]) {
      await looks.at(`invalid${path.replaceAll('/', '-')}`, path)
      expect(await page.getByText(/file (on disk )?is not valid/).count()).toBeGreaterThan(0)
    }

    expect(looks.wrong()).toEqual({})
  })

  it('are fine in a new service, for somebody who is not known, and after log-out', async () => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url, visitor)
    const looks = new Looks(page, name)

    for (const path of ['/config', '/config/current', '/pipelines', '/agents']) {
      await looks.at(`empty${path.replaceAll('/', '-')}`, path)
    }
    await looks.at('logged-out', '/log-out')
    // A browser without a window does not show what stands behind the question for a name.
    const refused = await service.fetch('/config', { as: null })
    const shown = { contentType: 'text/html', body: await refused.text() }
    await page.route('**/config', (route) => route.fulfill(shown))
    await looks.at('not-known', '/config')

    expect(looks.wrong()).toEqual({})
    expect(await page.locator('h1').textContent()).toBe('Log in to see this page')
  })

  it('are fine while agents are removed, and when that is refused', async () => {
    const service = await startService(['--auto-register-key', AGENT_KEY])
    const agents = [
      await joined(service, 'build-01.example.org'),
      await joined(service, 'build-02.example.org'),
    ]
    const page = await visit(chromium.browser, service.url, visitor)
    const looks = new Looks(page, name)

    await page.goto('/agents')
    for (const { facts } of agents) await page.getByLabel(`Select ${facts.hostname}`).check()
    await looks.at('agents-chosen')
    await page.getByRole('button', { name: 'Delete' }).click()
    await looks.at('agents-not-deleted')
    for (const { facts } of agents) await page.getByLabel(`Select ${facts.hostname}`).check()
    await page.getByRole('button', { name: 'Remove safely…' }).click()
    await looks.at('removals')
    await page.getByRole('button', { name: 'Disable 2' }).click()
    await looks.at('removals-disabled')
    await looks.at('agent', `/agents/${agents[0]?.uuid}`)

    expect(looks.wrong()).toEqual({})
  })

  it.skipIf(SHARED_DATA === null)('are fine with the history of a real server', async () => {
    const folder = tempDir()
    const bundle = join(SHARED_DATA ?? '', 'real-config-history.bundle')
    git(folder, 'clone', '--quiet', '-b', 'master', bundle, 'config-repo')
    const service = await startService(['--config-file', 'cruise-config.xml'], folder)
    const page = await visit(chromium.browser, service.url, visitor)
    const looks = new Looks(page, name)

    await page.goto('/config')
    await looks.at('real-history')
    await looks.at('real-current', '/config/current')
    await looks.at('real-blame', '/config/current?blame=1')
    await looks.at('real-compare', '/config/compare/r1/current')
    await looks.at('real-pipelines', '/pipelines')

    expect(looks.wrong()).toEqual({})
  })
})
