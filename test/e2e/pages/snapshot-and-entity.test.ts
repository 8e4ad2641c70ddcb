// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { keepPicture, LOOKS, useBrowser, troublesOf, visit } from '../../support/pages/browser.ts'
import { MADE, NINJA, serviceWithHistory } from '../../support/history/small-history.ts'

const LATER = NINJA.replace('name="checkout"', 'name="cart"')

const chromium = useBrowser()

describe('snapshot, restore and entity pages in a browser', () => {
  it.each(LOOKS)('have nothing against accessibility ($name)', async ({ name, ...visitor }) => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url, visitor)
    const pages = {
      first: '/config/r1',
      snapshot: '/config/r3?find=billing#L8',
      blame: '/config/current?blame=1',
      restore: '/config/r2/restore',
      'restore-nothing': '/config/r4/restore',
      entity: '/config/entity/pipeline/cart',
      stage: '/config/entity/stage/cart%2Ftest',
      'entity-compare': '/config/entity/pipeline/cart/compare/r2/current',
    }

    const found: Record<string, string[]> = {}
    for (const [title, path] of Object.entries(pages)) {
      await page.goto(path)
      for (const closed of await page.locator('details.step-diff').all()) {
        await closed.locator('summary').click()
      }
      found[title] = await troublesOf(page)
      await keepPicture(page, `${title}-${name}`)
    }

    expect(found).toEqual(Object.fromEntries(Object.keys(pages).map((title) => [title, []])))
  })

  it('lead from line to line by keyboard', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/current')
    await page.locator('#outline-filter').fill('billing')
    await page.locator('.outline a:visible', { hasText: 'billing' }).first().focus()
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toMatch(/^#L\d+$/)
    await page.locator('a.n').nth(4).focus()
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#L5')
    await page
      .locator('a.n')
      .nth(6)
      .click({ modifiers: ['Shift'] })

    expect(new URL(page.url()).hash).toBe('#L5-L7')
    expect(await page.locator('.l.chosen').count()).toBe(3)
  })

  it('can be walked without scripts, from a blamed line to a restore', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url, { hasScripts: false })

    await page.goto('/config/current')
    await page.getByRole('link', { name: 'Blame' }).click()
    await page.locator('.by a', { hasText: 'r3' }).first().click()
    expect(await page.title()).toContain('r2 → r3')
    await page.getByRole('link', { name: 'History of pipeline' }).first().click()
    expect(await page.locator('h1').textContent()).toBe('Pipeline checkout')
    await page.locator('#r3 summary').click()
    expect(await page.locator('#r3 ins', { hasText: 'ninja' }).count()).toBeGreaterThan(0)
    await page.goto('/config/entity/pipeline/cart')
    await page.getByRole('link', { name: 'Diff to current from r2' }).click()
    expect(await page.locator('h1').textContent()).toBe('Pipeline cart: r2 → r4')
    await page.getByRole('link', { name: 'Unified' }).click()
    expect(await page.locator('table.unified').count()).toBe(2)
    await page.goto('/config/r2')
    await page.getByRole('link', { name: 'Restore r2…' }).click()
    await page.getByLabel('Reason').fill('It worked then')
    await page.getByRole('button', { name: 'Restore r2' }).click()

    await page.waitForURL('**/config/compare/r4/r5')
    expect(await (await service.fetch('/api/admin/config.xml')).text()).toBe(MADE)
  })
})
