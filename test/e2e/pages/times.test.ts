// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const chromium = useBrowser()

/** The first revision is of 3 June 2015, 14:03 UTC, and the second of 23:30. */
async function ofOneDay(): Promise<TestService> {
  const times = { now: Date.parse('2015-06-03T14:03:22Z') }
  const service = await startService([], undefined, { clock: () => times.now })
  times.now = Date.parse('2015-06-03T23:30:00Z')
  await saveRevisions(service, documentWith('shop'))
  times.now = Date.parse('2016-01-01T00:00:00Z')
  return service
}

describe('the times of revisions', () => {
  it('are in UTC without scripts, and say so', async () => {
    const service = await ofOneDay()
    const page = await visit(chromium.browser, service.url, { hasScripts: false })

    await page.goto('/config')

    const times = page.locator('.revision .when time')
    await expect.poll(() => times.allInnerTexts()).toEqual(['3 Jun 2015', '3 Jun 2015'])
    await expect.poll(() => times.first().getAttribute('title')).toBe('3 Jun 2015, 23:30:00 UTC')
    for (const path of ['/config/compare/r1/r2', '/config/r2']) {
      await page.goto(path)
      await expect.poll(() => page.locator('main').innerText()).toContain('3 Jun 2015, 23:30 UTC')
    }
  })

  it("follow the reader's clock with scripts, with UTC at hand", async () => {
    const service = await ofOneDay()
    const page = await visit(chromium.browser, service.url, { timezone: 'Asia/Tokyo' })

    await page.goto('/config')

    const times = page.locator('.revision .when time')
    await expect.poll(() => times.allInnerTexts()).toEqual(['4 Jun 2015', '3 Jun 2015'])
    await expect.poll(() => times.first().getAttribute('title')).toBe('3 Jun 2015, 23:30:00 UTC')
    for (const path of ['/config/compare/r1/r2', '/config/r2']) {
      await page.goto(path)
      await expect.poll(() => page.locator('main').innerText()).toContain('4 Jun 2015, 08:30')
    }
  })

  it("are asked for on the reader's clock, with UTC at hand", async () => {
    const service = await ofOneDay()
    const page = await visit(chromium.browser, service.url, { timezone: 'Asia/Tokyo' })
    await page.goto('/config')
    const field = page.getByLabel('Config in effect at')

    const first = [await field.inputValue(), await field.getAttribute('title')]
    await field.fill('2015-06-04T00:00')
    const typed = await field.getAttribute('title')
    await page.getByRole('button', { name: 'Open' }).click()

    expect(first).toEqual(['2016-01-01T09:00', '2016-01-01 00:00 UTC'])
    expect(typed).toBe('2015-06-03 15:00 UTC')
    await expect.poll(() => page.locator('h1').innerText()).toContain('r1')
  })

  it('are filtered by the days of the calendar of the reader', async () => {
    const service = await ofOneDay()
    for (const [hasScripts, shown] of [
      [true, ['r2']],
      [false, []],
    ] as const) {
      const page = await visit(chromium.browser, service.url, {
        timezone: 'Asia/Tokyo',
        hasScripts,
      })
      await page.goto('/config')

      await page.getByText('Dates and more').click()
      await page.getByLabel('From', { exact: true }).fill('2015-06-04')
      await page.getByRole('button', { name: 'Filter' }).click()

      await page.waitForURL('**since=2015-06-0*')
      await expect
        .poll(() => page.getByLabel('From', { exact: true }).inputValue())
        .toBe('2015-06-04')
      expect(await page.locator('.revision .number').allInnerTexts()).toEqual(shown)
    }
  })
})
