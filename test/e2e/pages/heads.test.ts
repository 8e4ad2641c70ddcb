// @module-tag long
// @module-tag chromium

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { serviceWithHistory } from '../../support/history/small-history.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'

const chromium = useBrowser()

const PAGES = [
  '/config',
  '/config/current',
  '/config/r2?blame=1',
  '/config/compare/r1/r2',
  '/config/r1/restore',
  '/config/edit',
  '/config/edit/pipeline/app',
  '/config/new-pipeline',
  '/config/entity/pipeline/app',
  '/config/entity/group/defaultGroup',
  '/pipelines',
  '/pipelines/app',
  '/pipelines/app/trigger',
  '/stages/app/build',
  '/agents',
  '/agents/a1',
  '/agent-invitations',
  '/search?q=app',
  '/problems',
  '/audit',
  '/servers',
  '/users',
  '/users/admin',
  '/permissions',
  '/tokens',
  '/account',
  '/proposals',
  '/rules',
  '/report',
  '/webhooks',
  '/api',
  '/maintenance',
]

/** The faults of a page whose head, buttons, links and times are not those of every other one. */
const FAULTS = `(() => {
  const seen = (selector) => [...document.querySelectorAll(selector)].filter(
    (each) => each.checkVisibility() && !each.closest('.more > .fields, .menu'),
  )
  const heads = seen('.page-head :is(a.button, button)').length
  const primary = seen('.primary').length
  const loud = seen('.list tbody a').filter(
    (each) => getComputedStyle(each).textDecorationLine !== 'none',
  ).length
  const red = seen('.danger').filter(
    (each) => !/^(Remove|Delete|Close|Disable|Cancel|Revoke)/.test(each.textContent.trim()),
  ).length
  const bare = seen('time').filter((each) => !each.title.endsWith('UTC')).length
  const zones = seen('.foot [data-zone]').filter((each) => each.textContent === 'Asia/Tokyo').length
  return [
    heads > 2 && heads + ' buttons in the head',
    primary > 1 && primary + ' primary buttons',
    loud > 0 && loud + ' links that are underlined in tables',
    red > 0 && red + ' red buttons that destroy nothing',
    bare > 0 && bare + ' times without UTC',
    zones !== 1 && zones + ' zones at the foot',
  ].filter(Boolean)
})()`

/** Where Older and Newer are. */
async function placeOfSteps(page: Page, path: string) {
  await page.goto(path)
  const box = await page.locator('.head-steps').boundingBox()
  return [box?.x, box?.y, box?.height]
}

describe('the head of every page', () => {
  it('has two buttons at most, one of all is primary, and links are quiet', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await ProtocolAgent.join(scene.service, 'a1')
    await scene.schedule()
    const page = await visit(chromium.browser, scene.service.url, { timezone: 'Asia/Tokyo' })
    const found: Record<string, unknown> = {}

    for (const path of PAGES) {
      const answer = await page.goto(path)
      const faults = await page.evaluate<string[]>(FAULTS)
      if (faults.length > 0 || answer?.status() !== 200) found[path] = [answer?.status(), ...faults]
    }

    expect(found).toEqual({})
  })

  it('has two buttons at most in the preview of a form', async () => {
    const { service } = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/edit/pipeline/app')
    await page.getByRole('textbox', { name: 'Label' }).fill(`v-\${COUNT}`)
    await page.getByRole('button', { name: 'Preview changes' }).click()

    const buttons = page.locator('.page-head :is(a.button, button)')
    await expect.poll(() => buttons.allInnerTexts()).toEqual(['Propose', 'Save'])
    await page.getByRole('button', { name: 'Back to the form' }).click()
    await page.getByRole('button', { name: 'Preview changes' }).waitFor()
  })

  it.each([
    { isPhone: false, foot: 'above the title' },
    { isPhone: true, foot: 'at the foot of a phone' },
  ])('has older and newer at one place, $foot', async ({ isPhone }) => {
    const service = await serviceWithHistory()
    const page = await visit(chromium.browser, service.url, { isPhone })
    const paths = ['/config/r2', '/config/r2?blame=1', '/config/compare/r1/r2', '/config/r3']
    const places: unknown[] = []

    for (const path of paths) places.push(await placeOfSteps(page, path))

    const [x, y, height] = await placeOfSteps(page, '/config/compare/r2/r3')
    expect(places).toEqual(paths.map(() => [x, y, height]))
    const isAtFoot = Math.round(Number(y) + Number(height)) === 844
    expect(isAtFoot).toBe(isPhone)
  })
})

describe('the keyboard', () => {
  it('selects agents and acts on them', async () => {
    const { service } = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    for (const uuid of ['a1', 'a2']) await ProtocolAgent.join(service, uuid)
    const page = await visit(chromium.browser, service.url)

    await page.goto('/agents')
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('d')

    await expect
      .poll(() => page.locator('main .agent-status .status').allInnerTexts())
      .toEqual(['Disabled', 'Disabled'])
  })
})
