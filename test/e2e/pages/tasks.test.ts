// @module-tag long
// @module-tag chromium

import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { element } from '../../support/documents/a-configuration.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { WITHIN } from '../../support/pages/walk.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { ADMIN_PASSWORD, startService, type TestService } from '../../support/service/service.ts'

const chromium = useBrowser()

/** The clicks, choices and keys by which somebody does something; typing a text is not counted. */
class Hands {
  readonly page: Page
  count = 0

  private constructor(page: Page) {
    this.page = page
  }

  static async at(service: Pick<TestService, 'url'>, path: string): Promise<Hands> {
    const hands = new Hands(await visit(chromium.browser, service.url))
    await hands.page.goto(path)
    return hands
  }

  async click(target: Locator): Promise<void> {
    this.count += 1
    await target.click()
  }

  /** Clicks what leads to another page, and waits for it. */
  async follow(target: Locator, address: string): Promise<void> {
    this.count += 1
    await Promise.all([this.page.waitForURL(address, WITHIN), target.click()])
    await this.page.waitForLoadState('load')
  }

  async press(key: string): Promise<void> {
    this.count += 1
    await this.page.keyboard.press(key)
  }

  async choose(field: Locator, value: string): Promise<void> {
    this.count += 1
    await field.selectOption(value)
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name })
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name })
  }
}

const PAYMENTS = documentWith('ledger').replace('group="first"', 'group="payments"')
const [, GROUP = ''] = /( *<pipelines[^]*<\/pipelines>\n)/.exec(PAYMENTS) ?? []
/** Two groups: `web` and `cart` are of the first, `ledger` is of payments. */
const BEFORE = documentWith('web', 'cart').replace('</cruise>', `${GROUP}</cruise>`)
const BROKEN = BEFORE.replace('<job name="unit">', '<job name="unit" timeout="1">')
const PAID = BROKEN.replace('/ledger.git', '/ledger-2.git')
const LATER = PAID.replace('"make"', '"ninja"')

const WITH_ROLE = documentWith('web')
  .replace(
    '  <pipelines ',
    `  <server>
    <security>
      <passwordFile path="/users" />
      <roles><role name="developers"><users><user>ana</user></users></role></roles>
      <admins><user>admin</user></admins>
    </security>
  </server>
  <pipelines `,
  )
  .replace(
    '    <pipeline ',
    `    <authorization>
      <operate><role>developers</role></operate>
    </authorization>
    <pipeline `,
  )

/** r2 has both groups, r3 breaks web, r4 changes ledger, r5 changes web elsewhere. */
async function withHistory(): Promise<TestService> {
  const service = await startService()
  await saveRevisions(service, BEFORE, BROKEN, PAID, LATER)
  return service
}

async function documentOf(service: TestService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

describe('a task is done in few steps', { timeout: 240_000 }, () => {
  it('who broke a pipeline, and its undoing beside later changes', async () => {
    const service = await withHistory()
    const hands = await Hands.at(service, '/pipelines')

    await hands.follow(
      hands.page.getByRole('link', { name: 'web', exact: true }),
      '**/pipelines/web',
    )
    await hands.follow(hands.link('Diff r3'), '**/compare/r2/r3**')
    await hands.follow(hands.link('Undo r3'), '**/config/entity/pipeline/*/undo/r3')
    await hands.page.getByLabel('Reason').fill('It needs more than a minute')
    await hands.follow(hands.button('Undo r3'), '**/config/compare/r5/r6**')

    expect(await documentOf(service)).toBe(LATER.replace(' timeout="1"', ''))
    expect(hands.count).toBe(4)
  })

  it('what a failed run was built from, and by which configuration', async () => {
    const manual = element('approval', { type: 'manual' })
    const stages = [{ name: 'build', approval: manual, jobs: [{ name: 'unit' }] }]
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    await agent.finish(await agent.work(), 'Failed')
    const hands = await Hands.at(scene.service, '/pipelines')

    await hands.follow(hands.link(/build.*Failed/), '**/stages/app/build/1/1')
    const run = hands.page.locator('main')
    await expect.poll(() => run.innerText(), WITHIN).toMatch(/Pipeline run[^]*git [^]*[0-9a-f]{8}/)
    await hands.follow(run.getByRole('link', { name: /^r\d+$/ }).first(), '**/config/**')

    await expect.poll(() => hands.page.locator('main').innerText()).toContain('app')
    expect(hands.count).toBe(2)
  })

  it('the changes of one group, and two of its states against each other', async () => {
    const service = await withHistory()
    const hands = await Hands.at(service, '/config')
    const rows = hands.page.locator('tr.revision')

    await hands.choose(hands.page.locator('select[name=entity]'), 'group/payments')
    await hands.follow(hands.button('Filter'), '**entity=group%2Fpayments**')
    await expect.poll(() => rows.locator('.number').allInnerTexts()).toEqual(['r4', 'r2'])
    expect(hands.count).toBe(2)
    await hands.press('j')
    await hands.press('b')
    await hands.press('j')
    await hands.press('a')
    await Promise.all([
      hands.page.waitForURL('**/config/compare/r2/r4?entity=**'),
      hands.press('c'),
    ])

    await expect.poll(() => hands.page.locator('#summary').innerText()).toContain('ledger')
    await expect.poll(() => hands.page.locator('main').innerText()).not.toContain('timeout="1"')
    expect(hands.count).toBe(7)
  })

  it('the return of a deleted pipeline, from its name', async () => {
    const service = await withHistory()
    const without = LATER.replace(/ *<pipeline name="cart">[^]*?<\/pipeline>\n/, '')
    await saveRevisions(service, without)
    const hands = await Hands.at(service, '/agents')

    await hands.press('/')
    await hands.page.keyboard.insertText('cart')
    await hands.page.getByRole('option', { name: /^cart/, selected: true }).waitFor(WITHIN)
    await Promise.all([
      hands.page.waitForURL('**/config/entity/pipeline/cart'),
      hands.press('Enter'),
    ])
    await hands.follow(hands.link('Bring back…'), '**/restore/r5')
    await hands.page.getByLabel('Reason').fill('It is needed')
    await hands.follow(hands.button('Restore'), '**/config/compare/r6/r7**')

    expect(await documentOf(service)).toBe(LATER)
    expect(hands.count).toBe(4)
  })

  it('rights for a new person, by a role', async () => {
    const service = await startService()
    await saveRevisions(service, WITH_ROLE)
    const hands = await Hands.at(service, '/users')

    await hands.page.getByLabel('Name', { exact: true }).last().fill('ben')
    await hands.click(hands.button('Add user'))
    await hands.follow(hands.link('ben'), '**/users/ben**')
    await hands.click(hands.page.getByText(/^Add to developers/))
    await hands.page.getByRole('heading', { level: 1, name: 'Preview' }).waitFor(WITHIN)
    await hands.click(hands.button('Save'))
    await hands.page.getByText('Saved as r3.').waitFor(WITHIN)

    const rights = await service.fetch('/api/permissions?user=ben')
    expect(await rights.text()).toMatch(/operate/)
    expect(hands.count).toBe(4)
  })

  it('an approval of an agent with the resource that it is given', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await new ProtocolAgent(scene.service, 'a9').register(null)
    const hands = await Hands.at(scene.service, '/agents')

    await hands.click(hands.page.locator('tbody input[type=checkbox]').first())
    await hands.click(hands.page.getByText('Resources and environments…'))
    await hands.page.getByLabel('Resources, separated by commas').fill('gpu')
    await hands.click(hands.button('Enable or approve'))

    await expect.poll(() => hands.page.locator('[data-part=agents]').innerText()).toContain('gpu')
    expect(hands.count).toBe(3)
  })

  it('where a text vanished, and what a save will start', async () => {
    const service = await withHistory()
    const hands = await Hands.at(service, '/config')

    await hands.page.getByPlaceholder('Text added or removed').fill('ledger.git')
    await Promise.all([hands.page.waitForURL('**text=ledger.git**'), hands.press('Enter')])
    const rows = hands.page.locator('tr.revision')
    await expect.poll(() => rows.locator('.number').allInnerTexts()).toEqual(['r4', 'r2'])
    await expect.poll(() => rows.first().locator('mark').innerText()).toBe('ledger.git')
    expect(hands.count).toBe(1)

    const editing = await Hands.at(service, '/config/edit')
    await editing.page.locator('.cm-content').click()
    await editing.page.keyboard.press('Control+a')
    await editing.page.keyboard.insertText(documentWith('fresh'))
    await editing.click(editing.button('Preview changes'))
    const plan = editing.page.locator('.card', { hasText: 'When saved' })
    await expect.poll(() => plan.innerText(), WITHIN).toMatch(/Starts runs[^]*fresh/)
    expect(editing.count).toBe(1)
  })

  it('the address to clone, from every page', async () => {
    const service = await withHistory()
    const hands = await Hands.at(service, '/agents')

    await hands.click(hands.page.locator('[popovertarget=person-menu]'))
    await hands.follow(hands.link('Clone address'), '**/api#clone')

    await expect
      .poll(() => hands.page.locator('#clone').innerText())
      .toContain(`git clone ${service.url}/git/config.git`)
    expect(hands.count).toBe(2)
  })

  it('a link to a line, to somebody who has to log in', async () => {
    const service = await withHistory()
    const hands = await Hands.at(service, '/config/compare/r3/r4')

    await hands.click(hands.page.locator('#diff a[href*="#R"]').first())
    const address = hands.page.url()
    expect(address).toMatch(/#R\d+$/)
    expect(hands.count).toBe(1)

    const colleague = await visit(chromium.browser, service.url, { as: null })
    await colleague.goto(address, WITHIN)
    await colleague.getByLabel('Name').fill('admin')
    await colleague.getByLabel('Password').fill(ADMIN_PASSWORD)
    await colleague.getByRole('button', { name: 'Log in' }).click()
    await colleague.waitForURL(address, WITHIN)
  })
})
