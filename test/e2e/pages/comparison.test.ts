// @module-tag long
// @module-tag chromium

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { NINJA, serviceWithHistory } from '../../support/history/small-history.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { smallTargetsOf } from '../../support/pages/inspection.ts'
import { withRevisions } from '../../support/pages/compare-page.ts'

const MANY = documentWith(...Array.from({ length: 120 }, (_, n) => `pipeline-${n}`))
/** Its changes are in the lines 1,270 and 1,284. */
const NEAR_END = MANY.replace('pipeline-90.git', 'other-90.git').replace(
  'pipeline-91.git',
  'other-91.git',
)

const chromium = useBrowser()

function press(page: Page, key: string): Promise<void> {
  return page.keyboard.press(key)
}

function colourOf(page: Page, selector: string): Promise<string> {
  return page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`)
}

describe('a comparison in a browser', () => {
  it('shows the first change with the whole file, and steps to the others', async () => {
    const service = await withRevisions(MANY, NEAR_END)
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/compare/r2/r3')

    await page.getByRole('link', { name: 'Whole file' }).click()
    await page.waitForURL((url) => url.searchParams.get('ctx') === 'whole')

    await expect.poll(() => page.locator('#step').textContent()).toBe('Change 1 of 2')
    await expect.poll(() => page.locator('#c1').isVisible()).toBe(true)
    await press(page, 'n')
    await press(page, 'n')
    await expect.poll(() => page.locator('#step').textContent()).toBe('Change 2 of 2')
    await page.locator('[rel=prev]', { hasText: 'Show lines' }).click()
    await page.waitForURL((url) => url.searchParams.has('start'))
    await expect.poll(() => page.locator('#step').textContent()).toBe('No change here, 2 in all')
    await press(page, 'n')
    await page.waitForURL((url) => url.hash === '#c1')
    await page.locator('#c1').waitFor()
    await expect.poll(() => page.locator('#step').textContent()).toBe('Change 1 of 2')
  })

  it('steps over the pages of a large change, both ways', async () => {
    const others = MANY.replaceAll('.git', '-2.git')
    const service = await withRevisions(MANY, others)
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/compare/r2/r3')

    const more = page.getByRole('link', { name: '↓ Show changes' })
    const [, last, of] = /Show changes (\d+) to \d+ of (\d+)/.exec(await more.innerText()) ?? []
    expect([Number(last) > 50, of]).toEqual([true, '120'])
    await page.goto(`/config/compare/r2/r3#c${Number(last) - 1}`)
    await page.getByText(`Change ${Number(last) - 1} of 120`).waitFor()
    await press(page, 'n')
    await page.waitForURL((url) => url.search !== '' && url.hash === `#c${last}`)
    await page.getByText(`Change ${last} of 120`).waitFor()
    await press(page, 'p')
    await page.waitForURL((url) => url.hash === `#c${Number(last) - 1}`)
    await page.locator(`#c${Number(last) - 1}`).waitFor()
  })

  it('counts the same changes everywhere, and only those that it is narrowed to', async () => {
    const changed = NEAR_END.replace('pipeline-10.git', 'other-10.git')
    const service = await withRevisions(MANY, changed)
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/compare/r2/r3')
    await expect
      .poll(() => page.locator('.page-head').innerText())
      .toMatch(/\+3.*−3.*lines in 3 places/s)
    await expect.poll(() => page.locator('#step').textContent()).toBe('Change 1 of 3')
    await page.goto('/config/compare/r2/r3?entity=pipeline/pipeline-10')

    await expect
      .poll(() => page.locator('.page-head').innerText())
      .toMatch(/\+1.*−1.*lines in 1 place of pipeline pipeline-10/s)
    await expect.poll(() => page.locator('#step').textContent()).toBe('Change 1 of 1')
    await expect.poll(() => page.locator('tbody.change').count()).toBe(1)
  })

  it('strikes nothing through that has hyphens, and breaks no chip of a secret', async () => {
    const page = await visit(chromium.browser, (await serviceWithHistory()).url)
    await page.goto('/config/compare/r2/r3')

    const line: string = await page.evaluate(
      "getComputedStyle(document.querySelector('.values del')).textDecorationLine",
    )
    const chip: string = await page.evaluate(`{
      const chip = document.createElement('span')
      chip.className = 'secret'
      document.querySelector('main').append(chip)
      getComputedStyle(chip).whiteSpace
    }`)
    expect([line, chip]).toEqual(['none', 'nowrap'])
  })

  it('marks the lines that an address names on their side alone, and keeps what is red or green', async () => {
    const page = await visit(chromium.browser, (await serviceWithHistory()).url)
    await page.goto('/config/compare/r2/r3')
    const added = await colourOf(page, '.c.ins')
    const plain = await colourOf(page, '#L10')

    const line = await page.locator('.ins.n a').first().textContent()
    await page.goto(`/config/compare/r2/r3#R${line}`)

    await expect.poll(() => colourOf(page, '.c.ins')).toBe(added)
    await expect.poll(() => page.locator('.n.chosen').count()).toBe(1)
    await page.goto('/config/compare/r2/r3#R11-R12')
    await expect.poll(() => page.locator('.n.chosen').count()).toBe(2)
    await expect
      .poll(() => colourOf(page, 'td:has(#L11)'))
      .toBe(await colourOf(page, 'td:has(#L10)'))
    await expect.poll(() => colourOf(page, 'td:has(#L11) + .c')).toBe(plain)
    await expect.poll(() => colourOf(page, 'td:has(#R11) + .c')).not.toBe(plain)
  })

  it('is unified on a phone without being asked to, with scripts or not, and side by side when asked', async () => {
    const service = await serviceWithHistory()
    for (const hasScripts of [true, false]) {
      const page = await visit(chromium.browser, service.url, { isPhone: true, hasScripts })
      await page.goto('/config/compare/r2/r3')
      const place = async (selector: string) => page.locator(selector).first().boundingBox()

      const [before, after] = [await place('.c.del'), await place('.c.ins')]
      expect(after?.x).toBe(before?.x)
      expect(after?.y).toBeGreaterThan(before?.y ?? Infinity)
      expect(before?.y).toBeLessThan(page.viewportSize()?.height ?? 0)
      await expect
        .poll(() => page.locator('.choice [aria-current]:visible').first().innerText())
        .toBe('Unified')
      await page.getByRole('link', { name: 'Side by side' }).click()
      const [left, right] = [await place('.c.del'), await place('.c.ins')]
      expect([right?.y === left?.y, (right?.x ?? 0) > (left?.x ?? 0)]).toEqual([true, true])
    }
  })

  it('fits every window with long names, with targets large enough', async () => {
    const long = 'a_template_with_a_name_that_has_no_place_to_break_because_somebody_wanted_it_so'
    const service = await serviceWithHistory(NINJA.replaceAll('billing', long))
    const page = await visit(chromium.browser, service.url)
    const found: string[] = []

    for (const width of [1440, 1024, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 900 })
      for (const path of ['/config', '/config/compare/r3/r4', '/config/compare/r2/r4?ctx=10']) {
        await page.goto(path)
        const over = await page.evaluate<number>(
          "Math.max(0, ...[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && !e.closest('pre, .visually-hidden, .gist, .toolbar *')).map((e) => e.getBoundingClientRect().right - innerWidth))",
        )
        const small = await smallTargetsOf(page, 'main')
        const wrong = over > 0 ? [...small, `it is ${over} px too wide`] : small
        found.push(...wrong.map((trouble) => `${width} px, ${path}: ${trouble}`))
      }
    }

    expect(found).toEqual([])
  })

  it('opens a folded part in which the search of the browser finds something', async () => {
    const page = await visit(chromium.browser, (await serviceWithHistory()).url)
    await page.goto('/config/compare/r2/r3')
    const fold = page.locator('.fold').first()
    const part = page.locator('.hunk [id^=t]').first()

    await fold.click()
    await expect.poll(() => part.getAttribute('hidden')).toBe('until-found')
    await expect.poll(() => part.evaluate((each) => each.checkVisibility())).toBe(true)
    await part.evaluate((each) => each.dispatchEvent(new Event('beforematch', { bubbles: true })))

    await expect.poll(() => fold.getAttribute('aria-expanded')).toBe('true')
  })

  it('has the dates of its revisions in its title', async () => {
    const page = await visit(chromium.browser, (await serviceWithHistory()).url)

    await page.goto('/config/compare/r2/r3')

    await expect.poll(() => page.title()).toMatch(/^r2 → r3, \d+ \w+ \d{4} · Cairn$/)
  })
})
