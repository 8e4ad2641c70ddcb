// @module-tag long
// @module-tag chromium

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { keepPicture, useBrowser, visit } from '../../support/pages/browser.ts'
import { troublesOf } from '../../support/pages/inspection.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const BASE = documentWith('checkout', 'billing', 'shipping')
const TYPED = BASE.replace('command="make"', 'command="ninja"')
const BROKEN = BASE.replace('<exec command="make" />', '<exec />')

/** The line of a problem that its bullet stands beside. */
const BASELINE = "getComputedStyle(document.querySelector('.problems a')).baselineSource"

const chromium = useBrowser()

/** A document with a line that is wider than any window. */
function withLongLine(command: string): string {
  return BASE.replace('make', `${command} ${'--and-more '.repeat(40)}end`)
}

async function withBase(): Promise<TestService> {
  const service = await startService()
  await saveRevisions(service, BASE)
  return service
}

/** Types over everything, as with a keyboard. */
async function retype(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

function area(page: Page): Promise<string> {
  return page.locator('textarea[name=xml]').inputValue()
}

describe('the editor in a browser', () => {
  it('is used by keyboard alone: problems at their lines, a preview, a save', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/edit')

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('.cm-content').focus()
    await page.keyboard.press('Control+a')
    const top = () => page.evaluate<number>("document.querySelector('.cm-editor').offsetTop")
    const before = await top()
    await page.keyboard.insertText(BROKEN)
    const problem = page.locator('.problems a').first()
    await problem.waitFor()
    expect(await top()).toBe(before)
    await expect.poll(() => problem.textContent()).toMatch(/^Line \d+: /)
    await expect.poll(() => page.locator('.problem-marker').count()).toBeGreaterThan(0)
    expect(await page.evaluate(BASELINE)).toBe('first')
    await problem.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.cm-activeLine').textContent()).toContain('<exec />')
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(TYPED)
    await page.getByRole('button', { name: 'Preview changes' }).getByText('1').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    await expect
      .poll(() => page.evaluate("document.activeElement.closest('.cm-editor')"))
      .toBeNull()
    await page.getByRole('button', { name: 'Save' }).focus()
    await page.keyboard.press('Enter')

    await page.waitForURL('**/config/compare/r2/r3*')
    await page.getByText('Saved as r3.').waitFor()
  })

  it('is saved with Ctrl+S', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/edit')

    await retype(page, TYPED)
    await page.keyboard.press('Control+s')

    await expect.poll(() => page.url()).toContain('/config/compare/r2/r3')
  })

  it('says a problem without moving the text that is typed', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/edit')
    const before = await page.locator('.cm-content').boundingBox()

    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('<')
    await page.getByText('Fix 1 problem before saving').waitFor()

    expect((await page.locator('.cm-content').boundingBox())?.y).toBe(before?.y)
  })

  it('completes what the schema knows at the place: elements, attributes, values', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/edit')
    const offered = page.locator('.cm-tooltip-autocomplete li')

    await page.locator('.outline a', { hasText: 'billing' }).first().click()
    await page.keyboard.press('End')
    await page.keyboard.type('<tim')
    await offered.first().waitFor()
    await expect.poll(() => offered.allTextContents()).toEqual(['timer'])
    const [popup, caret] = await Promise.all(
      ['.cm-tooltip-autocomplete', '.cm-activeLine'].map((each) =>
        page.locator(each).boundingBox(),
      ),
    )
    const right = (caret?.x ?? 0) + (caret?.width ?? 0)
    expect(Math.abs((popup?.y ?? 0) - (caret?.y ?? 0) - (caret?.height ?? 0))).toBeLessThan(8)
    expect([(popup?.x ?? 0) > (caret?.x ?? 0), (popup?.x ?? right) < right]).toEqual([true, true])
    await offered.first().click()
    await page.keyboard.type(' ')
    await offered.first().waitFor()
    await expect.poll(() => offered.allTextContents()).toEqual(['onlyOnChanges'])
    await offered.first().click()
    await offered.filter({ hasText: 'false' }).click()

    await expect
      .poll(() => page.locator('.cm-activeLine').textContent())
      .toMatch(/name="billing"><timer onlyOnChanges="false"$/)
  })

  it('knows the place of an entity that is edited alone', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/edit?entity=pipeline/billing')

    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('End')
    await page.keyboard.type('<mat')
    const offered = page.locator('.cm-tooltip-autocomplete li')
    await offered.first().waitFor()
    await expect.poll(() => offered.allTextContents()).toContain('materials')
  })

  it('leads from the outline to the place, wherever it has moved', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/edit')

    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('End')
    await page.keyboard.type('\n\n\n')
    await page.locator('.outline a', { hasText: 'shipping' }).first().click()

    await expect
      .poll(() => page.locator('.cm-activeLine').textContent())
      .toContain('name="shipping"')
    await expect
      .poll(() => page.evaluate('document.activeElement.className'))
      .toContain('cm-content')
  })

  it('finds and replaces, and gives the focus back', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/edit')

    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Control+f')
    await page.keyboard.type('COMMAND=')
    const panel = page.locator('.cm-search')
    const matches = page.locator('.cm-searchMatch')
    const selected = page.locator('.cm-searchMatch-selected')
    await expect.poll(() => matches.count()).toBe(3)
    await page.keyboard.press('Enter')
    await expect.poll(() => selected.count()).toBe(1)
    await panel.getByLabel('Regular expression').check()
    await panel.getByLabel('Find').fill('command="m.ke"')
    await expect.poll(() => matches.count()).toBe(3)
    expect(await troublesOf(page)).toEqual([])
    await keepPicture(page, 'editor-search')
    await panel.getByLabel('Replace', { exact: true }).fill('command="ninja"')
    await panel.getByRole('button', { name: 'Replace all' }).click()
    await expect.poll(() => matches.count()).toBe(0)
    await panel.getByLabel('Find').press('Escape')
    await expect.poll(() => panel.count()).toBe(0)
    await expect
      .poll(() => page.evaluate('document.activeElement.className'))
      .toContain('cm-content')
    await expect
      .poll(async () => (await page.locator('.cm-content').textContent())?.split('ninja'))
      .toHaveLength(4)
  })

  it('loses nothing that was typed when the connection is lost or the page is left', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config/edit')
    await retype(page, TYPED)
    await page.getByRole('button', { name: 'Preview changes' }).getByText('1').waitFor()

    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The server cannot be reached').waitFor()
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('ninja')
    await page.context().setOffline(false)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goto('/config')
    await page.goto('/config/edit')
    await page.getByRole('button', { name: 'Restore draft' }).click()
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('ninja')
    await page.getByRole('button', { name: 'Save' }).click()

    await page.waitForURL('**/config/compare/r2/r3*')
  })

  it('keeps a draft while others save, merges it when it is restored, and forgets it when it is saved', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.goto('/config/edit')
    await retype(page, TYPED)
    await page.getByRole('button', { name: 'Preview changes' }).getByText('1').waitFor()
    await saveRevisions(service, BASE.replace('name="shipping"', 'name="delivery"'))

    await page.goto('/config/edit')
    await page.getByText('unsaved draft of this text, from before the newest revision').waitFor()
    expect(await troublesOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Restore draft' }).click()
    await page.getByText('Started from r2').waitFor()
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByText('your changes merged cleanly').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/config/compare/r3/r4*')
    await saveRevisions(service, BASE)

    await page.goto('/config/edit')
    await page.locator('.cm-content').waitFor()
    expect(await page.locator('#draft').textContent()).toBe('')
    const merged = await page.request.get('/config/r4')
    expect(await merged.text()).toMatch(/ninja[^]*delivery/)
  })

  it.each([320, 1440])('cuts no line of a conflict off at %s px', async (width) => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url, { hasScripts: false })
    await page.setViewportSize({ width, height: 600 })
    await page.goto('/config/edit')
    await page.locator('textarea[name=xml]').fill(withLongLine('mine'))
    await saveRevisions(service, withLongLine('theirs'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save merged' }).click()
    await page.getByRole('link', { name: 'conflict 1' }).waitFor()

    const cut = await page
      .locator('.side pre')
      .evaluateAll((texts) => texts.filter((text) => text.scrollWidth > text.clientWidth).length)
    expect(cut).toBe(0)
    await expect.poll(() => page.locator('.unanswered').count()).toBe(1)
    await page.locator('.side').first().scrollIntoViewIfNeeded()
    const foot = await page.locator('.bottom-bar').boundingBox()
    expect(600 - (foot?.y ?? 0)).toBeLessThan(200)
    await keepPicture(page, `editor-conflict-${width}`)
  })

  it('works without scripts', async () => {
    const service = await withBase()
    const page = await visit(chromium.browser, service.url, { hasScripts: false })
    await page.goto('/config/edit')

    await page.locator('textarea[name=xml]').fill(BROKEN)
    await page.getByRole('button', { name: 'Check' }).click()
    await expect.poll(() => page.locator('.problems li').count()).toBeGreaterThan(0)
    await expect.poll(() => area(page)).toBe(BROKEN)
    await page.locator('textarea[name=xml]').fill(TYPED)
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('button', { name: 'Back to editing' }).click()
    await expect.poll(() => area(page)).toBe(TYPED)
    await saveRevisions(service, BASE.replace('command="make"', 'command="bazel"'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Keep mine').click()
    await page.getByRole('button', { name: 'Save merged' }).click()

    await page.waitForURL('**/config/compare/r3/r4*')
  })
})
