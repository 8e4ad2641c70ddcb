// @module-tag chromium

import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { CallingAgent } from '../../support/agents/agent-calls.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene, GUARDED, SECURED } from '../../support/builds/build-service.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { git } from '../../support/git/git.ts'
import { MADE, NINJA, serviceWithHistory } from '../../support/history/small-history.ts'
import { keepPicture, useBrowser, visit } from '../../support/pages/browser.ts'
import { troublesOf } from '../../support/pages/inspection.ts'
import { PostgresCluster } from '../../support/programs/postgres-cluster.ts'
import { SHARED_DATA } from '../../support/programs/shared-data.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { save } from '../../support/service/saving.ts'
import { serveTwo } from '../../support/service/servers.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { addSomeone, SOMEONE } from '../../support/service/someone-else.ts'

/** The log-in page has another way in. */
const WITH_PROVIDER = [
  '--oidc-issuer',
  'https://id.example',
  '--oidc-client-id',
  'cairn',
  '--public-url',
  'https://cairn.example',
]
/** A machine may be busy with other tests. */
const PATIENCE = { timeout: 600_000 }
const WITHIN = { timeout: 60_000 }
const AGENT_KEY = 'let-me-in'

const chromium = useBrowser()

/** Looks at states of pages one after the other: what is wrong with each, with a picture. */
class Walk {
  readonly page: Page
  readonly #found: Record<string, string[]> = {}

  constructor(page: Page) {
    this.page = page
  }

  /** The state that the page is in, or the page of an address. */
  async at(title: string, path?: string, status = 200): Promise<void> {
    const answer = path === undefined ? null : await this.page.goto(path)
    const given = answer?.status() ?? status
    const found = given === status ? [] : [`status ${given}`]
    this.#found[title] = [...found, ...(await troublesOf(this.page))]
    await keepPicture(this.page, `states/${title}`)
  }

  /** Pages by their titles, all of which are answered with one status. */
  async through(pages: Readonly<Record<string, string>>, status = 200): Promise<void> {
    for (const [title, path] of Object.entries(pages)) await this.at(title, path, status)
  }

  click(name: string | RegExp): Promise<void> {
    return this.page.getByRole('button', { name }).first().click()
  }

  /** What is wrong, of those states alone that have anything. */
  wrong(): Record<string, string[]> {
    return Object.fromEntries(Object.entries(this.#found).filter(([, found]) => found.length > 0))
  }
}

async function walkOf({ url }: Pick<TestService, 'url'>, username?: string): Promise<Walk> {
  const as = username === undefined ? {} : { as: { username, password: username } }
  return new Walk(await visit(chromium.browser, url, as))
}

/** Names are as long as those of real servers, without a place to break. */
const LONG = 'GENIVI_Baseline_Continuous_Layer_Integration_of_the_next_release'
const STAGE = 'build_and_copy_to_the_web_server_of_the_project'
const RUN = `/stages/${LONG}/${STAGE}/1/1`
const ENTITY = `/config/entity/pipeline/${LONG}`

const LONG_NAMES = {
  history: '/config',
  'history-keys': '/config#keys',
  'history-filtered': '/config?q=parameter',
  'history-none': '/config?q=nowhere',
  compare: '/config/compare/r2/r4',
  'compare-unified': '/config/compare/r2/r4?view=unified&ctx=10',
  'compare-same': '/config/compare/r2/r2',
  'compare-first': '/config/compare/r1/r2',
  first: '/config/r1',
  snapshot: '/config/current',
  blame: '/config/current?blame=1',
  'snapshot-found': '/config/r4?find=stage&line=1',
  'snapshot-none': '/config/r4?find=nothing-like-this',
  entity: ENTITY,
  'entity-stage': `/config/entity/stage/${LONG}%2F${STAGE}`,
  'entity-group': `/config/entity/group/${LONG}`,
  'entity-compare': `${ENTITY}/compare/r2/r4`,
  'restore-entity': `${ENTITY}/restore/r2`,
  restore: '/config/r2/restore',
  'restore-unified': '/config/r2/restore?view=unified',
  'restore-same': '/config/r4/restore',
  undo: '/config/r3/undo',
  edit: '/config/edit',
  'edit-entity': `/config/edit?entity=pipeline%2F${LONG}`,
  'live-file-valid': '/config/live',
  pipelines: '/pipelines',
  'pipelines-none': '/pipelines?q=nothing',
  pipeline: `/pipelines/${LONG}`,
  stage: `/stages/${LONG}/${STAGE}`,
  'stage-run': RUN,
  'stage-cancel': `/stages/${LONG}/${STAGE}?ask=cancel`,
  'job-scheduled': `${RUN}/unit`,
  'new-pipeline': '/config/new-pipeline',
  'agents-none': '/agents',
  audit: '/audit',
  'audit-filtered': '/audit?user=admin&outcome=done',
  'audit-none': '/audit?user=nobody',
  search: '/search',
  'search-many': '/search?q=a',
  'search-none': '/search?q=nothing-like-this',
  problems: '/problems',
  servers: '/servers',
  tokens: '/tokens',
  account: '/account',
  users: '/users',
  user: '/users/admin',
  'users-none': '/users?q=nobody',
  api: '/api',
}

/** Three revisions of one pipeline with long names, and a run of it. */
async function sceneWithLongNames(): Promise<BuildScene> {
  const pipelineWith = (size: string) => ({
    name: LONG,
    params: { [`A_PARAMETER_WITH_A_LONG_NAME_${LONG}`]: `${size}-${LONG}` },
    stages: [{ name: STAGE, jobs: [{ name: 'unit' }] }],
  })
  const withSize = (size: string) => ({
    groups: [{ group: LONG, pipelines: [pipelineWith(size)] }],
  })
  const scene = await BuildScene.open(withSize('1'))
  await scene.configure(withSize('2'))
  await scene.configure(withSize('3'))
  await scene.schedule(LONG)
  return scene
}

/** Pipelines whose runs have ended in every way, are in progress, or cannot begin. */
async function sceneWithEveryOutcome() {
  const manual = element('approval', { type: 'manual' })
  const pipelineOf = (name: string, more = {}) => ({
    name,
    stages: [
      { name: 'build', approval: manual, jobs: [{ name: 'unit', ...more }] },
      { name: 'ship' },
    ],
  })
  const scene = await BuildScene.open({
    server: SECURED,
    groups: [
      {
        group: 'shop',
        authorization: GUARDED,
        pipelines: ['passed', 'failed', 'cancelled', 'building'].map((name) => pipelineOf(name)),
      },
      {
        group: 'others',
        pipelines: [pipelineOf('waiting', { resources: ['docker'] }), pipelineOf('paused')],
      },
    ],
  })
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  for (const result of ['Passed', 'Failed'] as const) {
    await scene.schedule(result.toLowerCase())
    const job = await agent.work()
    await agent.append(job.jobId, 0, `10:00:00.000 \u001b[31mred\u001b[0m\n${'x'.repeat(300)}\n`)
    await agent.upload(job.jobId, 'reports/unit/index.html', '<b>ok</b>')
    await agent.finish(job, result)
    if (result === 'Passed') await agent.finish(await agent.work())
  }
  await scene.schedule('cancelled')
  await agent.contact({ jobId: (await agent.work()).jobId })
  await scene.post('/api/stages/cancelled/build/cancel')
  await scene.schedule('building')
  const builder = await ProtocolAgent.join(scene.service, 'a2')
  const { jobId } = await builder.work()
  await builder.report(jobId, { state: 'Building' })
  await builder.append(jobId, 0, '10:00:00.000 started\n')
  await scene.schedule('waiting')
  await scene.post('/api/pipelines/paused/pause', 'admin', 'pauseCause=release+freeze')
  return scene
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

async function joined(service: TestService, hostname: string, key = AGENT_KEY) {
  const agent = new CallingAgent(service)
  agent.facts = { ...agent.facts, hostname }
  await agent.register(key === '' ? null : { key, resources: ['linux'], environments: [] })
  return agent
}

function withPassword(document: string, password: string): string {
  return document.replace(
    '<git url="https://example.org/billing.git" />',
    `<svn url="https://example.org/billing" username="ana" password="${password}" />`,
  )
}

/** Types over everything in the editor, as with a keyboard. */
async function retype(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

describe('every state of a page fits, and has nothing against accessibility', PATIENCE, () => {
  it('with long names, in lists and forms, and after an error', async () => {
    const { service } = await sceneWithLongNames()
    const walk = await walkOf(service)

    await walk.through(LONG_NAMES)
    await walk.through({ missing: '/config/r99', nowhere: '/nothing', gone: '/stages/a/b' }, 404)
    await walk.through(
      { 'bad-request': '/config?since=never', 'bad-time': '/config/at/never' },
      400,
    )
    await walk.page.goto('/config/new-pipeline')
    await walk.page.getByLabel('Name', { exact: true }).fill('a b')
    await walk.page.getByLabel('URL').fill('https://example.org/a.git')
    await walk.click('Preview')
    await walk.at('new-pipeline-refused')
    await walk.page.getByLabel('Name', { exact: true }).fill('another')
    await walk.page.getByLabel('Command').fill('make')
    await walk.click('Preview')
    await walk.at('new-pipeline-preview')
    await walk.click('Create pipeline')
    await walk.at('new-pipeline-created')

    expect(walk.wrong()).toEqual({})
  })

  it('with runs in every state, for an administrator and for a viewer', async () => {
    const scene = await sceneWithEveryOutcome()
    const walk = await walkOf(scene.service)

    await walk.through({
      'runs-pipelines': '/pipelines',
      'runs-pipelines-failed': '/pipelines?status=failed',
      'runs-passed': '/stages/passed/build',
      'job-passed': '/stages/passed/build/1/1/unit',
      'runs-failed': '/stages/failed/build/1/1',
      'job-failed': '/stages/failed/build/1/1/unit',
      'runs-cancelled': '/stages/cancelled/build/1/1',
      'job-cancelled': '/stages/cancelled/build/1/1/unit',
      'pipeline-failed': '/pipelines/failed',
      'pipeline-paused': '/pipelines/paused',
      'runs-building': '/stages/building/build/1/1',
      'job-building': '/stages/building/build/1/1/unit',
      'agent-building': '/agents/a2',
      'runs-waiting': '/stages/waiting/build/1/1',
      'job-waiting': '/stages/waiting/build/1/1/unit',
      'agent-idle': '/agents/a1',
      'agents-filtered': '/agents?q=status:idle',
      'entity-with-runs': '/config/entity/pipeline/failed',
    })
    const viewer = await walkOf(scene.service, 'vera')
    await viewer.through({
      'viewer-pipelines': '/pipelines',
      'viewer-pipeline': '/pipelines/failed',
      'viewer-stage': '/stages/failed/build/1/1',
      'viewer-job': '/stages/failed/build/1/1/unit',
      'viewer-agents': '/agents',
      'viewer-search': '/search?q=failed',
    })
    await viewer.through({ 'viewer-refused': '/audit', 'viewer-no-history': '/config' }, 403)

    expect({ ...walk.wrong(), ...viewer.wrong() }).toEqual({})
  })

  it('in the editor: problems, preview, conflict, saved', async () => {
    const service = await startService()
    await saveRevisions(service, MADE)
    const walk = await walkOf(service)
    const { page } = walk

    await page.goto('/config/edit')
    await page.locator('.cm-content').waitFor()
    await walk.at('editor')
    await retype(page, MADE.replace('<exec command="make" />', '<exec />'))
    await page.locator('.problems li').first().waitFor()
    await walk.at('editor-problems')
    await retype(page, NINJA)
    await page.locator('.problems').waitFor({ state: 'detached' })
    await walk.click('Preview changes')
    await page.getByRole('heading', { name: 'Preview changes' }).waitFor()
    await walk.at('editor-preview')
    await saveRevisions(service, MADE.replace('command="make"', 'command="bazel"'))
    await walk.click('Save')
    await page.getByText('Keep mine').waitFor()
    await walk.at('editor-conflict')
    await page.getByText('Keep mine').click()
    await walk.click('Save merged')
    await page.getByText('Saved as r4.').waitFor()
    await walk.at('editor-saved')

    expect(walk.wrong()).toEqual({})
  })

  it('where secrets are shown, and where something is restored or cannot be', async () => {
    const changed = NINJA.replace('name="unit"', 'name="all"')
    const service = await serviceWithHistory()
    await addSomeone(service)
    await save(service, changed, SOMEONE)
    await saveRevisions(service, withPassword(changed, 'one'), withPassword(changed, 'two'))
    const walk = await walkOf(service)
    const { page } = walk

    await page.goto('/config/compare/r5/r6')
    await walk.click('Reveal secrets')
    await walk.at('revealed-compare')
    await page.goto('/config/r5')
    await walk.click('Reveal secrets')
    await walk.at('revealed-snapshot')
    await page.goto('/config/entity/pipeline/checkout')
    for (const closed of await page.locator('details.step-diff').all()) {
      await closed.locator('summary').click()
    }
    await walk.at('entity-steps')
    await walk.through({ undo: '/config/r6/undo', 'undo-refused': '/config/r3/undo' })
    await page.goto('/config/r2/restore')
    await saveRevisions(service, MADE.replace('billing.git', 'invoices.git'))
    await page.getByLabel('Reason').fill('It worked then')
    await walk.click('Restore r2')
    await page.getByText('The configuration has changed since').waitFor()
    await walk.at('restore-stale')
    await page.goto('/config/r2/restore')
    await page.getByLabel('Reason').fill('It worked then')
    await walk.click('Restore r2')
    await page.getByText('Saved as r8.').waitFor()
    await walk.at('restored')

    expect(walk.wrong()).toEqual({})
  })

  it('where a text of the past is no XML', async () => {
    const walk = await walkOf(await startService([], historyWithGarbage()))

    await walk.through({
      'garbage-history': '/config',
      'garbage-compare': '/config/compare/r1/r2',
      'garbage-back': '/config/compare/r2/r3',
      'garbage-snapshot': '/config/r2',
      'garbage-restore': '/config/r2/restore',
    })

    expect(walk.wrong()).toEqual({})
  })

  it('while the file on disk is not valid, and while the repository is away', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    await saveRevisions(service, MADE, NINJA)
    const file = join(service.repository, 'config.xml')
    writeFileSync(file, NINJA.replace('<exec command="ninja" />', '<exec />'))
    const isShown = async () => (await service.fetch('/config')).text()
    await expect.poll(isShown).toContain('the file on disk is not valid')
    const walk = await walkOf(service)

    const pages = ['/config', '/config/edit', '/config/live', '/agents', '/audit', '/problems']
    for (const path of pages) {
      await walk.at(`invalid${path.replaceAll('/', '-')}`, path)
      const said = walk.page.getByText(/file (on disk )?is not valid/)
      expect([path, await said.count()]).not.toEqual([path, 0])
    }
    await walk.at('invalid-missing', '/config/r99', 404)
    renameSync(join(service.repository, '.git'), join(service.folder, 'away'))
    const isAway = async () => (await service.fetch('/config/compare/r1/r2')).status
    await expect.poll(isAway).toBe(503)
    await walk.at('unavailable', '/config/compare/r1/r2', 503)

    expect(walk.wrong()).toEqual({})
  })

  it('in a new service, for somebody who is not known, and after log-out', async () => {
    const service = await startService(WITH_PROVIDER)
    const walk = await walkOf(service)
    const { page } = walk

    await walk.through({
      'empty-history': '/config',
      'empty-snapshot': '/config/current',
      'empty-pipelines': '/pipelines',
      'empty-agents': '/agents',
    })
    await walk.at('login', '/login')
    await page.getByLabel('Name').fill('ana')
    await page.getByLabel('Password').fill('wrong')
    await walk.click('Log in')
    await page.getByRole('alert').waitFor(WITHIN)
    await walk.at('login-wrong')
    // A browser without a window does not show what stands behind the question for a name.
    for (const [title, path] of [
      ['logged-out', '/log-out'],
      ['not-known', '/config'],
    ] as const) {
      const refused = await service.fetch(path, { as: null })
      const shown = { contentType: 'text/html', body: await refused.text() }
      await page.route(`**${path}`, (route) => route.fulfill(shown))
      await walk.at(title, path)
    }

    expect(walk.wrong()).toEqual({})
    expect(await page.locator('h1').textContent()).toBe('Log in to see this page')
  })

  it('with agents in every state, while some are removed, and when that is refused', async () => {
    const service = await startService(['--auto-register-key', AGENT_KEY])
    const names = ['build-01.example.org', 'build-02.example.org']
    const agents = [await joined(service, names[0] ?? ''), await joined(service, names[1] ?? '')]
    const building = await joined(service, 'build-03.example.org')
    await building.contact('Building')
    const waiting = await joined(service, 'build-04.example.org', '')
    const disabled = await joined(service, 'build-05.example.org')
    await service.fetch(`/api/agents/${disabled.uuid}/disable`, { method: 'POST' })
    const walk = await walkOf(service)
    const { page } = walk
    const select = async () => {
      for (const name of names) await page.getByLabel(`Select ${name}`).check()
    }

    await walk.at('agents', '/agents')
    await select()
    await walk.at('agents-selected')
    await walk.click('Delete')
    await walk.at('agents-not-deleted')
    await select()
    await walk.click('Remove safely…')
    await walk.at('removals')
    await walk.click('Disable 2')
    await walk.at('removals-disabled')
    await walk.through({
      agent: `/agents/${agents[0]?.uuid}`,
      'agent-waiting': `/agents/${waiting.uuid}`,
      'agent-remove': `/agents/${building.uuid}/remove`,
      'agents-filter-none': '/agents?q=nobody',
      'invitations-none': '/agent-invitations',
    })
    await page.getByLabel('Resources, separated by commas').fill(LONG)
    await walk.click('Make an invitation')
    await page.getByText('The invitation is made.').waitFor(WITHIN)
    await walk.at('invitations-made')
    await walk.at('agents-invited', '/agents')

    expect(walk.wrong()).toEqual({})
  })

  it('with the palette open', async () => {
    const service = await serviceWithHistory()
    const walk = await walkOf(service)
    const { page } = walk

    await page.goto('/agents')
    await page.keyboard.press('/')
    await page.keyboard.type('checkout')
    await page.getByRole('option', { name: /^checkout in/ }).waitFor(WITHIN)
    await walk.at('palette')

    expect(walk.wrong()).toEqual({})
  })

  it('with several servers, seen from each of them', { tags: ['postgresql'] }, async () => {
    await using cluster = await PostgresCluster.start()
    const servers = await serveTwo(cluster.freshSchema())
    const walks: Walk[] = []
    for (const server of servers) {
      const walk = await walkOf(server)
      for (const { url } of servers) {
        await expect
          .poll(async () => (await server.fetch('/servers')).text(), WITHIN)
          .toContain(url)
      }
      await walk.through({ 'servers-several': '/servers', 'servers-history': '/config' })
      walks.push(walk)
    }

    expect(walks.map((walk) => walk.wrong())).toEqual([{}, {}])
  })

  it.skipIf(SHARED_DATA === null)('with the history of a real server', async () => {
    const folder = tempDir()
    const bundle = join(SHARED_DATA ?? '', 'real-config-history.bundle')
    git(folder, 'clone', '--quiet', '-b', 'master', bundle, 'config-repo')
    const walk = await walkOf(await startService(['--config-file', 'cruise-config.xml'], folder))

    await walk.through({
      'real-history': '/config',
      'real-current': '/config/current',
      'real-blame': '/config/current?blame=1',
      'real-compare': '/config/compare/r1/current',
      'real-pipelines': '/pipelines',
    })

    expect(walk.wrong()).toEqual({})
  })
})
