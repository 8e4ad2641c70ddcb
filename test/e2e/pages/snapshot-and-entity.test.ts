// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { BuildScene } from '../../support/builds/build-service.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { MADE, NINJA, serviceWithHistory } from '../../support/history/small-history.ts'

const LATER = NINJA.replace('name="checkout"', 'name="cart"')

const chromium = useBrowser()

describe('snapshot, restore and entity pages in a browser', () => {
  it('lead from line to line by keyboard', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/current')
    await page.locator('#outline-filter').fill('billing')
    await page.locator('.outline a:visible', { hasText: 'billing' }).first().focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#L\d+$/)
    await page.locator('a.n').nth(4).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).hash).toBe('#L5')
    await page
      .locator('a.n')
      .nth(6)
      .click({ modifiers: ['Shift'] })

    await expect.poll(() => new URL(page.url()).hash).toBe('#L5-L7')
    await expect.poll(() => page.locator('.l.chosen').count()).toBe(3)
  })

  it('arrive at a line that is typed by hand, in whatever part of a long file it is', async () => {
    const names = Array.from({ length: 260 }, (_, n) => `p${n}`)
    const service = await serviceWithHistory(documentWith(...names))
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/r4#L1500')
    await expect.poll(() => page.locator('#L1500.chosen').isVisible()).toBe(true)
    await page.evaluate("location.hash = '#L3001-L3003'")

    await page.waitForURL('**/config/r4?line=3001#L3001-L3003')
    await expect.poll(() => page.locator('.l.chosen').count()).toBe(3)
    await expect.poll(() => page.locator('.windows').first().innerText()).toContain('of 3,')
  })

  it.each([
    { hasScripts: true, scripts: 'with' },
    { hasScripts: false, scripts: 'without' },
  ])(
    'show the author of a line that is typed by hand, $scripts scripts',
    async ({ hasScripts }) => {
      const names = Array.from({ length: 180 }, (_, n) => `p${n}`)
      const service = await serviceWithHistory(documentWith(...names))
      const page = await visit(chromium.browser, service.url, { hasScripts })

      await page.goto('/config/r4?blame=1#L1550')

      const line = page.locator('#L1550')
      await expect.poll(async () => (await line.boundingBox())?.y ?? -1).toBeGreaterThan(0)
      await expect.poll(async () => (await line.boundingBox())?.y ?? 960).toBeLessThan(960)
      const seen = await page.evaluate<string[]>(
        '[...document.querySelectorAll(".by")].filter((each) => each.getBoundingClientRect().bottom > 0 && each.getBoundingClientRect().top < innerHeight).map((each) => each.innerText)',
      )
      expect(seen.join()).toContain('r4 admin')
      await expect.poll(() => page.locator('.l').count()).toBeGreaterThan(2_500)
    },
  )

  it('select lines beside their authors by their numbers, below the path of the top one', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `p${n}`)
    const service = await serviceWithHistory(documentWith(...names))
    const page = await visit(chromium.browser, service.url)
    const position = { x: 250, y: 12 }

    await page.goto('/config/current?blame=1')
    await page.locator('#L300').click({ position })
    await page.waitForURL('**/config/r4?blame=1#L300')
    await page.locator('#L302').click({ position, modifiers: ['Shift'] })

    await page.waitForURL('**/config/r4?blame=1#L300-L302')
    await expect.poll(() => page.locator('.l.chosen').count()).toBe(3)
    await expect.poll(() => page.locator('#path').innerText()).toMatch(/pipeline p\d+/)
    await page.locator('#L304').click({ position: { x: 400, y: 12 } })
    await expect.poll(() => new URL(page.url()).hash).toBe('#L300-L302')
  })

  it('keep the outline a single tab stop, and lead to the history of what is on top', async () => {
    const long = 'A_group_whose_name_is_longer_than_the_outline_is_wide'
    const service = await serviceWithHistory(LATER.replace('group="first"', `group="${long}"`))
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/current')
    const stops: string[] = []
    const focused =
      '(document.activeElement?.closest(".listing") ? "listing" : "") + document.activeElement?.outerHTML'
    for (let n = 0; n < 40 && !stops.at(-1)?.startsWith('listing'); n += 1) {
      await page.keyboard.press('Tab')
      stops.push(await page.evaluate<string>(focused))
    }
    const name = page.locator('.outline summary', { hasText: long })
    const box = await name.boundingBox()
    const text = await name
      .locator('span')
      .first()
      .evaluate((span) => span.getClientRects()[0]?.top)
    await page.locator('.outline summary').first().focus()
    await page.keyboard.press('ArrowDown')
    const second = await page.evaluate<string>('document.activeElement.textContent')
    await page.locator('.outline a', { hasText: 'billing' }).first().click()
    await page.waitForURL(/\/config\/r4#L\d+$/)
    const { hash, pathname } = new URL(page.url())
    await page.setViewportSize({ width: 1440, height: 400 })
    await page
      .locator(`#L${Number(hash.slice(2)) + 6}`)
      .evaluate((line) => line.scrollIntoView({ block: 'start' }))
    await page.locator('#path', { hasText: 'billing' }).waitFor()

    expect(stops.at(-1)).toMatch(/^listing/)
    expect((text ?? 0) - (box?.y ?? 0)).toBeLessThan(12)
    expect(second).toBe(await page.locator('.outline :is(a, summary):visible').nth(1).textContent())
    expect(pathname).toBe('/config/r4')
    await expect
      .poll(() => page.locator('#path-history').getAttribute('href'))
      .toBe('/config/entity/pipeline/billing')
  })

  it('go from one line that is found to the next', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/current')
    await page.getByLabel('Find in file').fill('git')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/config\/r4\?.*#L\d+$/)
    const first = new URL(page.url())
    await page.getByRole('link', { name: 'Next line with the text' }).click()
    await page.waitForURL((url) => url.hash !== first.hash)
    const chosen = page.locator(`.l.chosen${new URL(page.url()).hash}`)

    expect(first.pathname).toBe('/config/r4')
    await expect.poll(() => chosen.locator('mark').count()).toBeGreaterThan(0)
    await expect
      .poll(() => page.locator('.found [role=status]').textContent())
      .toMatch(/^2 of \d+ lines$/)
  })

  it('are walked by keys', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url)
    const press = async (key: string, address: string) => {
      await page.keyboard.press(key)
      await page.waitForURL(`**${address}`)
    }

    await page.goto('/config/r3')
    await press('[', '/config/r2')
    await press(']', '/config/r3')
    await page.keyboard.press('f')
    await page.keyboard.type('git')
    await press('Enter', '/config/r3?line=*&find=git#L*')
    await page.locator('body').press('n')
    await page.getByText(/^2 of \d+ lines$/).waitFor()
    await page.goto('/config/entity/pipeline/cart/compare/r2/r3')
    await press(']', '/config/entity/pipeline/cart/compare/r3/r4')
    await press('u', '/config/entity/pipeline/cart')
    await press('e', '/config/edit/pipeline/cart')
    await page.goto('/config/r2/restore')
    await press('u', '/config/r2')
    await page.keyboard.press('u')
    await page.waitForURL('**/config?show=r2#r2')

    await expect.poll(() => page.locator('h1').textContent()).toContain('history')
  })

  it('show a run that goes on in a colour of its own', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await scene.schedule()
    const page = await visit(chromium.browser, scene.service.url)

    await page.goto('/config/entity/pipeline/app')
    const dot = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.run.busy'), '::before').backgroundColor",
    )
    const muted = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.run.busy .muted')).color",
    )

    expect(dot).not.toBe(muted)
  })

  it('can be walked without scripts, from a blamed line to a restore', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url, { hasScripts: false })

    await page.goto('/config/current')
    await page.getByRole('link', { name: 'Blame' }).click()
    await page.locator('.by a', { hasText: 'r3' }).first().click()
    await expect.poll(() => page.title()).toContain('r2 → r3')
    await page.getByRole('link', { name: 'History of pipeline' }).first().click()
    await expect.poll(() => page.locator('h1').textContent()).toBe('Pipeline checkout')
    await page.locator('#r3 summary').click()
    await expect
      .poll(() => page.locator('#r3 ins', { hasText: 'ninja' }).count())
      .toBeGreaterThan(0)
    await page.goto('/config/entity/pipeline/cart')
    await page.getByRole('link', { name: 'Diff to current from r2' }).click()
    await expect.poll(() => page.locator('h1').textContent()).toBe('Pipeline cart r2 → r4')
    await page.getByRole('link', { name: 'Unified' }).click()
    await expect.poll(() => page.locator('table.unified').count()).toBe(2)
    await page.goto('/config/r2')
    await page.getByText('More', { exact: true }).click()
    await page.getByRole('link', { name: 'Restore r2…' }).click()
    await page.getByLabel('Reason').fill('It worked then')
    await page.getByRole('button', { name: 'Restore r2' }).click()

    await page.waitForURL('**/config/compare/r4/r5?flash=*')
    await expect
      .poll(() => page.getByRole('status').first().textContent())
      .toContain('Saved as r5.')
    await expect.poll(() => page.locator('.spoken').first().textContent()).toBe('It worked then')
    await expect.poll(async () => (await service.fetch('/api/admin/config.xml')).text()).toBe(MADE)
  })
})
