// @module-tag long
// @module-tag chromium

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { violationsOf } from '../../support/pages/inspection.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService } from '../../support/service/service.ts'
import { NINJA, serviceWithHistory } from '../../support/history/small-history.ts'

const LATER = NINJA.replace('<job name="unit">', '<job name="unit" timeout="60">').replace(
  'shipping.git',
  'deliveries.git',
)

const chromium = useBrowser()

/** The filters whose text is wider than they are. */
const CUT_FILTERS = `(() => {
  const pen = document.createElement('canvas').getContext('2d')
  const fields = [...document.querySelectorAll('.filters :is(select, input[placeholder])')]
  return fields.filter((each) => each.checkVisibility()).flatMap((field) => {
    const style = getComputedStyle(field)
    pen.font = style.font
    const text = field.value && field.placeholder ? field.value : (field.placeholder ?? field.selectedOptions[0].text)
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
    return pen.measureText(text).width > room ? [field.name + ': ' + text] : []
  })
})()`

describe('history and comparison in a browser', () => {
  it('would show what is wrong', async () => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config')

    await page.evaluate("document.querySelector('main').append(new Image())")

    await expect.poll(async () => (await violationsOf(page)).join()).toContain('image-alt')
  })

  it('print each column under its heading', async () => {
    const page = await visit(chromium.browser, (await serviceWithHistory()).url)
    await page.goto('/config')

    await page.emulateMedia({ media: 'print' })

    const shown = await page.evaluate<number[][]>(
      "['.history thead th', '#r2 td'].map((cells) => [...document.querySelectorAll(cells)].filter((cell) => cell.checkVisibility()).map((cell) => cell.getBoundingClientRect().left))",
    )
    expect(shown[0]).toHaveLength(5)
    expect(shown[0]).toEqual(shown[1])
  })

  it('fit twelve revisions on a laptop, and show a bar only once one is chosen', async () => {
    const documents = Array.from({ length: 14 }, (_, n) => documentWith('shop', `pipeline-${n}`))
    const service = await startService()
    for (const [n, body] of documents.entries()) {
      const headers = { 'if-match': '*', 'x-cairn-message': `Step ${n}: another pipeline` }
      await service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body })
    }
    const page = await visit(chromium.browser, service.url)
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto('/config')

    const whole = await page.evaluate<number>(
      "[...document.querySelectorAll('.revision')].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length",
    )
    const bar = page.locator('.compare-bar')
    const before = await bar.isVisible()
    await page.getByLabel('A: r7', { exact: true }).check({ force: true })

    expect(whole).toBeGreaterThanOrEqual(12)
    expect(before).toBe(false)
    await expect.poll(() => bar.innerText()).toContain('r7 → current')
  })

  it('narrow to the days over which the pointer is drawn', async () => {
    const times = { now: Date.parse('2015-06-01T12:00:00Z') }
    const service = await startService([], undefined, { clock: () => times.now })
    for (const name of ['one', 'two', 'three']) {
      times.now += 24 * 3_600_000
      await saveRevisions(service, documentWith(name))
    }
    const page = await visit(chromium.browser, service.url)
    await page.goto('/config')
    const days = page.locator('.bars li')
    const scale = page.locator('.days > .bar-label')

    expect([await scale.innerText(), await scale.getAttribute('title')]).toEqual([
      '1 revision',
      'The highest bar',
    ])
    expect(await days.nth(1).locator('a').getAttribute('title')).toBe(
      '2015-06-02 (UTC): 1 revision',
    )
    await days.nth(1).hover()
    await page.mouse.down()
    await days.nth(2).hover()
    await page.mouse.up()

    await page.waitForURL('**since=2015-06-02T00*&until=2015-06-03T23*')
    await expect.poll(() => page.locator('.revision .number').allInnerTexts()).toEqual(['r3', 'r2'])
  })

  it('give the changes of a revision room in every window', async () => {
    const page = await visit(chromium.browser, (await serviceWithHistory()).url)
    await page.goto('/config')

    for (const width of [721, 800, 900, 901]) {
      await page.setViewportSize({ width, height: 900 })
      const part = await page.evaluate<number>(
        "document.querySelector('#r2 .what').offsetWidth / document.querySelector('.history').offsetWidth",
      )
      expect([width, part > 0.35]).toEqual([width, true])
    }
  })

  it('have filters that are wide enough to read', async () => {
    const name = 'payments-deploy-eu'
    const page = await visit(chromium.browser, (await serviceWithHistory(documentWith(name))).url)
    await page.goto(`/config?entity=pipeline/${name}`)
    const found: unknown[] = []

    for (const width of [390, 900, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      found.push([width, await page.evaluate(CUT_FILTERS)])
    }

    expect(found).toEqual([390, 900, 1440].map((width) => [width, []]))
  })

  it('can be walked without scripts', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url, { hasScripts: false })

    await page.goto('/')
    await page.getByLabel('A: r2').check({ force: true })
    await page.getByRole('button', { name: 'Compare' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/config/compare/r2/r4')
    await page.getByRole('link', { name: 'Unified' }).first().click()
    await page.getByRole('link', { name: 'Whole file' }).click()
    await page.getByRole('link', { name: 'Older' }).click()
    await expect.poll(() => page.title()).toContain('r1 → r2')
    await page.getByRole('button', { name: 'Use colour-blind safe colours' }).click()
    await expect.poll(() => page.locator('body').getAttribute('class')).toBe('colour-blind')
    await page.getByRole('link', { name: 'History' }).first().click()
    await page.getByLabel('Text added or removed').fill('ninja')
    await page.getByRole('button', { name: 'Filter' }).click()

    await expect.poll(() => page.locator('tr.revision').count()).toBe(1)
  })

  it.each(['split', 'unified'])(
    'say of each changed line to screen readers what it is (%s)',
    async (view) => {
      const service = await serviceWithHistory(LATER)
      const page = await visit(chromium.browser, service.url)
      await page.goto(`/config/compare/r2/r4?view=${view}`)

      // The browser makes the tree when it is first asked for it, and is not always done then.
      await expect
        .poll(async () =>
          (await cellsInTree(page)).filter((cell) => /^(removed|added): /.test(cell)),
        )
        .toEqual([
          'removed: <job name="unit">',
          'added: <job name="unit" timeout="60">',
          'removed: <exec command="make" />',
          'added: <exec command="ninja" />',
          'removed: <git url="https://example.org/shipping.git" />',
          'added: <git url="https://example.org/deliveries.git" />',
        ])
      await expect.poll(() => cellsInTree(page)).toContain('<tasks>')
    },
  )

  it('are used by keyboard alone', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config')
    await press(page, 'j', 'b', 'j', 'j', 'a')
    await expect.poll(() => page.locator('#chosen').textContent()).toBe('r2 → r4')
    await press(page, 'c')
    await page.waitForURL('**/config/compare/r2/r4')
    await press(page, 'n', 'n')
    await expect.poll(() => page.locator('#step').textContent()).toBe('Change 2 of 3')
    await press(page, 'p')
    await expect.poll(() => page.locator('.here').getAttribute('id')).toBe('c1')
    await press(page, '?')
    await expect.poll(() => page.locator('#keys').isVisible()).toBe(true)
    await press(page, 'Escape')
    await expect.poll(() => page.locator('#keys').isVisible()).toBe(false)
    await press(page, '/')
    await page.keyboard.insertText('ninja')
    await page.keyboard.press('Enter')

    await page.waitForURL('**/search?q=ninja')
  })

  it('show lines and ranges that an address names', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/compare/r2/r4#R10-R12')
    await expect.poll(() => page.locator('.n.chosen').count()).toBe(3)
    await page.locator('#R10').click()
    await page.locator('#R11').click({ modifiers: ['Shift'] })

    await expect.poll(() => new URL(page.url()).hash).toBe('#R10-R11')
    await expect.poll(() => page.locator('.n.chosen').count()).toBe(2)
  })

  it('show a revision that arrives while the history is open', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url)
    // The browser's clock is put forward, instead of waiting for the next look at the history.
    await page.clock.install()
    await page.goto('/config')

    await saveRevisions(service, documentWith('checkout'))
    await page.clock.fastForward(5_000)

    await page.locator('#r5').waitFor({ timeout: 20_000 })
    await expect.poll(() => page.locator('#live').textContent()).toContain('admin')
  })

  it('keep the current row and the focus when a revision arrives', async () => {
    const service = await serviceWithHistory(LATER)
    const page = await visit(chromium.browser, service.url)
    await page.clock.install()
    await page.goto('/config')
    await press(page, 'j', 'j')

    await saveRevisions(service, documentWith('checkout'))
    await page.clock.fastForward(5_000)
    await page.locator('#r5').waitFor({ timeout: 20_000 })
    await expect.poll(() => page.locator('#r3[aria-current] .number:focus').count()).toBe(1)
    await press(page, 'Enter')

    await page.waitForURL('**/config/compare/r2/r3')
  })
})

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** The text of each cell for a screen reader, from the accessibility tree. */
async function cellsInTree(page: Page): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page)
  const { nodes } = await cdp.send('Accessibility.getFullAXTree')
  return nodes
    .filter(({ role }) => role?.value === 'cell')
    .map(({ name }) => String(name?.value).trim())
}
