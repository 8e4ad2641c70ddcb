// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { withRevisions } from '../../support/pages/compare-page.ts'

const MANY = Array.from({ length: 52 }, (_, n) => documentWith(`pipeline-${n}`))

const chromium = useBrowser()

describe('the choice of two revisions', () => {
  it('stays on other pages of the list, with scripts and without', async () => {
    const service = await withRevisions(...MANY)
    for (const hasScripts of [true, false]) {
      const page = await visit(chromium.browser, service.url, { hasScripts })
      await page.goto('/config')

      await page.getByLabel('B: r50').check({ force: true })
      await page.getByRole('button', { name: 'Older' }).click()
      await page.waitForURL('**offset=50*')
      await expect.poll(() => page.locator('#chosen').textContent()).toBe('Changes of r50')
      await page.getByLabel('A: r2', { exact: true }).check({ force: true })
      await page.getByRole('button', { name: 'Compare', exact: true }).click()

      await page.waitForURL('**/config/compare/r2/r50*')
    }
  })

  it('appears beside the rows and moves none of them', async () => {
    const service = await withRevisions(...MANY.slice(0, 12))
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config')
    const tops = () =>
      page.evaluate<number[]>(
        "[...document.querySelectorAll('.revision')].map((row) => Math.round(row.getBoundingClientRect().top))",
      )
    const before = await tops()

    await page.getByLabel('B: r9').check({ force: true })

    await expect.poll(() => page.locator('#chosen').textContent()).toBe('Changes of r9')
    expect(before.length).toBeGreaterThan(10)
    expect(await tops()).toEqual(before)
  })

  it('is made anew from a comparison, by name and by date, and by keys', async () => {
    const service = await withRevisions(...MANY.slice(0, 4))
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/compare/r2/r3')

    await page.getByText('Change revisions').click()
    await page.getByLabel('A', { exact: true }).fill('1')
    await page.getByLabel('B', { exact: true }).fill('r4')
    await page.getByLabel('Revisions').getByRole('button', { name: 'Compare' }).click()
    await page.waitForURL('**/config/compare/r1/r4')
    await page.goto('/config/compare/r2/r3')
    await page.keyboard.press(']')
    await page.waitForURL('**/config/compare/r3/r4')
    await page.keyboard.press('[')
    await page.waitForURL('**/config/compare/r2/r3')
    await page.keyboard.press('u')
    await page.waitForURL('**/config?a=r2&b=r3&show=r3#r3')
    await expect.poll(() => page.locator('#chosen').textContent()).toBe('r2 → r3')
  })

  it('is reached with few tab stops', async () => {
    const service = await withRevisions(...MANY.slice(0, 4))
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config')

    const stops = await page.evaluate<number>(
      "[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary')].filter((e) => e.tabIndex >= 0 && e.checkVisibility() && e.compareDocumentPosition(document.querySelector('tr.revision')) & 4).length",
    )

    expect(stops).toBeLessThan(40)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Skip to the revisions')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.locator('.history :focus').count()).toBe(1)
  })
})
