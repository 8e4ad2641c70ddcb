// @module-tag chromium

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { troublesOf } from '../../support/pages/inspection.ts'
import { serviceWithHistory } from '../../support/history/small-history.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService } from '../../support/service/service.ts'

const GROUPS = Array.from(
  { length: 6 },
  (_, n) => `  <pipelines group="group-${n}">
    <authorization><view><user>olga</user></view></authorization>
  </pipelines>`,
)
/** A user who may view each of six groups. */
const WITH_GROUPS = `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="75">
  <server>
    <security>
      <admins>
        <user>admin</user>
      </admins>
    </security>
  </server>
${GROUPS.join('\n')}
</cruise>
`

/** Where the icons of the entries of a menu stand, each place once. */
const MENU_STARTS = `[...new Set(
  [...document.querySelectorAll('.head-menu :is(a, button) > .icon')].map((icon) => icon.getBoundingClientRect().x),
)]`

const chromium = useBrowser()

/** The element that has the focus: its id, name or text. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>(
    `(({ id, name, textContent }) => id || name || textContent.trim())(document.activeElement)`,
  )
}

/** Types in one piece: the results of a part would still be replaced while one of them is chosen. */
function typeAtOnce(page: Page, text: string): Promise<void> {
  return page.keyboard.insertText(text)
}

describe('the frame of the pages in a browser', () => {
  it('prints no notices and nothing to click', { tags: ['long'] }, async () => {
    const service = await startService(['--poll-interval', '100ms'])
    await saveRevisions(service, documentWith('app'))
    writeFileSync(join(service.repository, 'config.xml'), '<cruise')
    const page = await visit(chromium.browser, service.url)
    await expect
      .poll(async () => {
        await page.goto('/pipelines')
        return page.locator('.notice').isVisible()
      })
      .toBe(true)

    await page.emulateMedia({ media: 'print' })

    for (const part of ['.notice', '.bar', '.foot']) {
      await expect
        .poll(async () => [part, await page.locator(part).isVisible()])
        .toEqual([part, false])
    }
    await page.setViewportSize({ width: 718, height: 960 })
    for (const path of ['/pipelines', '/config', '/config/compare/r1/r1', '/permissions']) {
      await page.goto(path)
      const controls = page.locator(
        'main :is(button, .button, .choice, .filters, form input, [type=checkbox])',
      )
      expect([path, await controls.filter({ visible: true }).count()]).toEqual([path, 0])
    }
    expect(await page.locator('main').innerText()).toMatch(
      /\bview\b[^]*\boperate\b[^]*\badminister\b/,
    )
  })

  it('scrolls a wide table in its card, not the page', { tags: ['long'] }, async () => {
    const service = await startService()
    await saveRevisions(service, WITH_GROUPS)
    const page = await visit(chromium.browser, service.url)
    await page.setViewportSize({ width: 768, height: 900 })

    await page.goto('/permissions')

    const over = await page.evaluate<number[]>(
      "[document.querySelector('.scroll'), document.documentElement].map((e) => e.scrollWidth - e.clientWidth)",
    )
    expect(over).toEqual([expect.toSatisfy((px: number) => px > 0), 0])
  })

  it.each([
    ['what was done', 'nightly', 'Token nightly created.'],
    ['what was refused', ' ', 'Not done:'],
  ])('begins with the news of an action: %s', async (_, name, news) => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/tokens')

    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create token' }).click()

    await page.locator('.flash:focus', { hasText: news }).waitFor()
    expect(await troublesOf(page)).toEqual([])
  })

  it('closes the menu of a page with a click elsewhere, and with Escape', async () => {
    const service = await serviceWithHistory()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/compare/r1/r2')
    const more = page.locator('.head-menu > summary')

    await more.click()
    expect(await page.locator('.head-menu[open]').count()).toBe(1)
    expect(await page.evaluate<number[]>(MENU_STARTS)).toHaveLength(1)
    await page.getByRole('heading', { level: 1 }).click()
    expect(await page.locator('.head-menu[open]').count()).toBe(0)
    await more.click()
    await page.keyboard.press('Escape')

    expect(await page.locator('.head-menu[open]').count()).toBe(0)
    expect(await focused(page)).toBe('More')
  })

  it('lists the shortcuts of the page, and Escape gives the focus back', async () => {
    const service = await serviceWithHistory()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config')
    await page.evaluate(
      `document.querySelector('main').insertAdjacentHTML('beforeend', '<a href="#x" aria-keyshortcuts="e">Edit it</a>')`,
    )
    await page.getByRole('link', { name: 'r2', exact: true }).focus()

    await page.keyboard.press('?')

    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Edit it').waitFor()
    const listed = await dialog.innerText()
    expect(listed).toMatch(/compare A with B/)
    expect(listed).toMatch(/This page\s+e\s+Edit it/)
    expect(listed).not.toMatch(/next and previous change/)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => focused(page)).toBe('r2')
    await page.keyboard.press('e')
    await expect.poll(() => new URL(page.url()).hash).toBe('#x')
  })

  it('searches from every page by keyboard', async () => {
    const service = await serviceWithHistory()
    await service.fetch('/api/config/revisions?text=ninja&q=ninja')
    const page = await visit(chromium.browser, service.url)
    await page.goto('/agents')
    await page.getByRole('link', { name: 'Pipelines' }).focus()

    await page.keyboard.press('/')
    await typeAtOnce(page, 'checkout')
    await page.getByRole('option', { name: /^checkout in/ }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => focused(page)).toBe('Pipelines')

    await page.keyboard.press('Control+k')
    await typeAtOnce(page, 'ninja')
    await page.getByRole('option', { name: /^checkout in/ }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: /^r3 / }).first().waitFor()
    const chosen = page.getByRole('option', { selected: true })
    const active = page.getByRole('combobox')
    await expect
      .poll(
        async () =>
          (await active.getAttribute('aria-activedescendant')) ===
          (await chosen.getAttribute('id')),
      )
      .toBe(true)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/config/compare/r2/r3')
  })

  it(
    'jumps to pages, and selects and pauses pipelines by keyboard',
    { tags: ['long'] },
    async () => {
      const service = await serviceWithHistory()
      const page = await visit(chromium.browser, service.url)
      await page.goto('/config')

      await page.keyboard.press('g')
      await page.keyboard.press('p')
      await page.waitForURL('**/pipelines')
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      await page.getByText('1 selected').waitFor()
      await page.keyboard.press('z')
      await page.getByText(/Paused checkout|Paused 1 pipeline/).waitFor()

      const palette = page.getByRole('dialog')
      await page.keyboard.press('/')
      await palette.getByRole('option', { selected: true }).waitFor()
      await typeAtOnce(page, 'audit')
      await palette.getByRole('option', { name: /^Audit/, selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/audit')
      await page.keyboard.press('/')
      await expect.poll(() => palette.getByRole('option').first().textContent()).toContain('Audit')
    },
  )

  it('opens no result of what was typed before', { tags: ['long'] }, async () => {
    const service = await serviceWithHistory()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/agents')
    await page.keyboard.press('/')
    await typeAtOnce(page, 'checkout')
    await page.getByRole('option', { name: /^checkout in/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { selected: true }).waitFor()

    // No answer comes. A request that the browser holds back for the test could keep its page from closing.
    await page.evaluate('(fetch = () => new Promise(() => {})) && null')
    await typeAtOnce(page, 's')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')

    await expect.poll(() => page.url()).toContain('/search?q=checkouts')
  })

  it('sets hyphens of names in tables as in all other text', { tags: ['long'] }, async () => {
    const service = await serviceWithHistory()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config')

    const widthIn = (within: string) =>
      page.evaluate<number>(`(() => {
        const name = document.createElement('a')
        name.textContent = '1-1'
        name.style.font = '16px Inter'
        document.querySelector('${within}').append(name)
        return name.getBoundingClientRect().width
      })()`)
    await page.evaluate('document.fonts.ready.then(() => true)')

    await expect.poll(() => widthIn('table td')).toBeCloseTo(await widthIn('main'), 2)
  })
})
