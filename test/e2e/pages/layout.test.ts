// @module-tag long
// @module-tag chromium

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { saveRevisions } from '../../support/service/saved-revisions.ts'
import { startService } from '../../support/service/service.ts'

const chromium = useBrowser()

/** The lines that the elements of a kind take, each count once. */
function linesOf(page: Page, selector: string): Promise<number[]> {
  return page.evaluate<number[]>(`[...new Set(
    [...document.querySelectorAll('${selector}')].map((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size
    }),
  )]`)
}

/** How the chips of the list of revisions break, such as that of a source beside a long name. */
const WHITE_SPACE = "getComputedStyle(document.querySelector('.revision .badge')).whiteSpace"

/** The room beside the codes of answers, which holds what they mean and the form of a body. */
const WIDTHS_OF_ANSWERS = `[...document.querySelectorAll('.code-of-answer')]
  .map((head) => head.nextElementSibling.getBoundingClientRect().width)`

/** The free pixels between blocks that stand below each other. */
const GAPS = `[...document.querySelectorAll('main > *, main > * > section, main > * > .card')]
  .map((element) => ({ element, next: element.nextElementSibling }))
  .filter(({ element, next }) => next !== null && element.checkVisibility() && next.checkVisibility())
  .map(({ element, next }) => next.getBoundingClientRect().top - element.getBoundingClientRect().bottom)
  .filter((gap) => gap > -200)`

/** The element with the focus, if another one lies over it. */
const COVERED = `(() => {
  const it = document.activeElement
  const { left, top, width, height } = it.getBoundingClientRect()
  const over = document.elementFromPoint(left + width / 2, top + height / 2)
  return over === null || width < 2 || it.contains(over) || over.contains(it) ? [] : [it.innerText]
})()`

/** The pixels that an example in a filter takes, and those that the field has for it. */
const EXAMPLE_AND_ROOM = `(() => {
  const field = document.querySelector('main .filter-text')
  const { font, paddingLeft, paddingRight } = getComputedStyle(field)
  const context = document.createElement('canvas').getContext('2d')
  context.font = font
  const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
  return [context.measureText(field.placeholder).width, room]
})()`

type Box = Awaited<ReturnType<Locator['boundingBox']>>

/** Whether a box is wholly between the sides of another one. */
function isWithin(inner: Box, outer: Box): boolean {
  if (inner === null || outer === null) return false
  return inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width
}

describe('a page', () => {
  it('breaks no address, name or chip where there is room', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await ProtocolAgent.join(scene.service, 'a1')
    await sendForm(scene.service, '/users', { action: 'create', name: 'first.last-of-the-name' })
    const page = await visit(chromium.browser, scene.service.url)

    await page.goto('/agents')
    await page.locator('main tbody code').first().waitFor()
    expect(await linesOf(page, 'main tbody code.nowrap')).toEqual([1])
    await page.goto('/config')
    expect(await page.evaluate(WHITE_SPACE)).toBe('nowrap')
    await page.goto('/api')
    await page.evaluate(`for (const call of document.querySelectorAll('main details')) {
      call.open = true
      for (const head of call.querySelectorAll('th')) {
        if (/^\\d{3}$/.test(head.textContent)) head.classList.add('code-of-answer')
      }
    }`)
    expect(await linesOf(page, '.code-of-answer')).toEqual([1])
    const widths = await page.evaluate<number[]>(WIDTHS_OF_ANSWERS)
    expect(widths.length).toBeGreaterThan(100)
    expect(Math.min(...widths)).toBeGreaterThan(900)
    for (const width of [1440, 768]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto('/audit')
      expect(await linesOf(page, 'main tbody td:nth-child(3) a')).toEqual([1])
    }
  })

  it.each(['/pipelines', '/agents'])(
    'shows the example in the filter of %s whole',
    async (path) => {
      const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
      await ProtocolAgent.join(scene.service, 'a1')
      const page = await visit(chromium.browser, scene.service.url, { isPhone: true })
      await page.setViewportSize({ width: 360, height: 800 })

      await page.goto(path)

      const [example = 0, room = 0] = await page.evaluate<number[]>(EXAMPLE_AND_ROOM)
      expect(example).toBeGreaterThan(100)
      expect(room).toBeGreaterThan(example)
    },
  )

  it('says once that a job has no output, and begins its actions at the edge', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await scene.schedule()
    await scene.post('/api/stages/app/build/cancel')
    const page = await visit(chromium.browser, scene.service.url, { isPhone: true })

    await page.setViewportSize({ width: 320, height: 700 })
    await page.goto('/stages/app/build/1/1/unit')

    await page.getByText('No output', { exact: true }).waitFor()
    expect(await page.getByLabel('Console output').isVisible()).toBe(false)
    const title = await page.getByRole('heading', { level: 1 }).boundingBox()
    const button = await page.getByRole('button', { name: 'Rerun this job' }).boundingBox()
    expect(button?.x).toBe(title?.x)
  })

  it('shows what has the focus above the bar at its foot', async () => {
    const service = await startService()
    const before = documentWith(...Array.from({ length: 9 }, (_, n) => `p${n}`))
    await saveRevisions(service, before, before.replaceAll('"make"', '"ninja"'))
    const page = await visit(chromium.browser, service.url, { isPhone: true })
    await page.setViewportSize({ width: 390, height: 600 })

    await page.goto('/config/compare/r2/r3')

    await expect.poll(() => page.locator('.head-steps').isVisible()).toBe(true)
    const covered: string[] = []
    for (let stop = 0; stop < 70; stop += 1) {
      await page.keyboard.press('Tab')
      covered.push(...(await page.evaluate<string[]>(COVERED)))
    }
    expect(covered).toEqual([])
  })

  it.each(['Tab', 'Shift+Tab'])(
    'shows what %s reaches in a row that scrolls whole',
    async (key) => {
      const service = await startService()
      const before = documentWith('a')
      await saveRevisions(service, before, before.replaceAll('"make"', '"ninja"'))
      const page = await visit(chromium.browser, service.url, { isPhone: true })
      await page.goto('/config/compare/r2/r3')
      const row = await page.locator('.toolbar').boundingBox()

      await page
        .locator(key === 'Tab' ? '.card-head a' : '#step-down')
        .first()
        .focus()
      const cut: string[] = []
      for (let stop = 0; stop < 16; stop += 1) {
        await page.keyboard.press(key)
        for (const control of await page.locator('.toolbar :focus').all()) {
          const box = await control.boundingBox()
          if (!isWithin(box, row)) cut.push(await control.innerText())
        }
      }

      expect(cut).toEqual([])
    },
  )

  it('keeps marks and what has not run readable beside long names on a phone', async () => {
    const service = await startService()
    const admins = '<admins><user>admin</user></admins>'
    const server = `<server><security>${admins}</security></server>`
    const document = documentWith('a')
      .replace('  <pip', `  ${server}\n  <pip`)
      .replace('"first"', `"${'group-of-names-'.repeat(8)}"`)
      .replace('"test"', `"${'stage_'.repeat(20)}"`)
    await saveRevisions(service, document)
    const page = await visit(chromium.browser, service.url, { isPhone: true })

    await page.goto('/pipelines')
    expect(await linesOf(page, '.chip .muted')).toEqual([1])
    await page.goto('/permissions')
    const marks = await page.locator('.permissions .marks').first().boundingBox()
    expect((marks?.x ?? 999) + (marks?.width ?? 0)).toBeLessThanOrEqual(390)
  })

  it('shows names in a list as links', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await ProtocolAgent.join(scene.service, 'a1')
    const page = await visit(chromium.browser, scene.service.url)
    const colourOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).color`)

    await page.goto('/agents')

    expect(await colourOf('main tbody th a')).not.toBe(await colourOf('body'))
  })

  it('keeps the name of a user together beside many roles', async () => {
    const service = await startService()
    const name = 'konstantin.papadopoulos'
    const roles = ['storefront-developers', 'platform-team', 'release-managers'].map(
      (role) => `<role name="${role}"><users><user>${name}</user></users></role>`,
    )
    const server = `<server><security><roles>${roles.join('')}</roles></security></server>`
    await saveRevisions(service, documentWith('a').replace('  <pip', `  ${server}\n  <pip`))
    await sendForm(service, '/users', { action: 'create', name })
    const page = await visit(chromium.browser, service.url)
    await page.setViewportSize({ width: 768, height: 900 })

    await page.goto('/users')

    expect(await page.locator('main tbody td').getByText('platform-team').count()).toBe(1)
    expect(await linesOf(page, 'main tbody th a')).toEqual([1])
  })

  it('shows no mark for a right that nobody has, also where colours are forced', async () => {
    const service = await startService()
    const admins = '<admins><user>admin</user></admins>'
    const server = `<server><security>${admins}</security></server>`
    await saveRevisions(service, documentWith('a').replace('  <pip', `  ${server}\n  <pip`))
    const page = await visit(chromium.browser, service.url)
    await page.emulateMedia({ forcedColors: 'active' })

    await page.goto('/permissions')

    const marks = page.locator('.permissions .mark')
    expect(await marks.allInnerTexts()).toContain('')
    expect(await marks.filter({ visible: true }).allInnerTexts()).not.toContain('')
  })

  it('leaves room around what it says of the parts and the authors of lines', async () => {
    const service = await startService()
    await saveRevisions(service, documentWith(...Array.from({ length: 230 }, (_, n) => `p${n}`)))
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/current?blame=1')

    await page.locator('.windows').first().waitFor()
    const room = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.windows')).paddingLeft",
    )
    expect(Number.parseFloat(room)).toBeGreaterThanOrEqual(8)
  })

  it('shows every column of the users on a phone', async () => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url, { isPhone: true })

    await page.goto('/users')

    const cells = page.locator('main tbody tr').first().locator('> *')
    await expect.poll(() => cells.count()).toBeGreaterThanOrEqual(6)
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox()
      expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
    }
  })

  it('leaves room between the cards and lists that stand below each other', async () => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url)

    for (const path of ['/agent-invitations', '/tokens', '/users/admin']) {
      await page.goto(path)
      const gaps = await page.evaluate<number[]>(GAPS)
      expect([path, Math.min(...gaps) >= 4]).toEqual([path, true])
    }
  })

  it('ends at the foot of the window, however little it shows', async () => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url)

    for (const path of ['/config', '/agents', '/nothing', '/webhooks']) {
      await page.goto(path)
      const bottom = await page.evaluate<number>(
        "document.querySelector('.foot').getBoundingClientRect().bottom",
      )
      expect([path, Math.round(bottom)]).toEqual([path, 960])
    }
  })

  it('keeps its bar in two rows on a phone, whatever the name of its reader', async () => {
    const service = await startService()
    const username = 'maria-magdalena.von-hohenstein-waldburg'
    const password = 'long enough for this'
    await sendForm(service, '/users', {
      action: 'create',
      name: username,
      password,
      again: password,
    })
    const as = { username, password }
    const page = await visit(chromium.browser, service.url, { isPhone: true, as })

    await page.goto('/pipelines')

    const bar = await page.locator('.bar').boundingBox()
    expect(bar?.height).toBeLessThanOrEqual(100)
    await page.getByRole('button', { name: username }).click()
    await page.getByRole('link', { name: 'My account' }).waitFor()
  })

  it('has the last change of an agent below its name, and the cure of a problem beside it', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await ProtocolAgent.join(scene.service, 'a1')
    renameSync(scene.origin, `${scene.origin}.away`)
    await scene.post('/api/pipelines/app/schedule')

    for (const isPhone of [false, true]) {
      const page = await visit(chromium.browser, scene.service.url, { isPhone })
      await page.goto('/agents')
      const name = await page.locator('.agent-name .row-link').boundingBox()
      const change = await page.locator('.agent-name .last-change').boundingBox()
      expect((change?.y ?? 0) - (name?.y ?? 0)).toBeGreaterThanOrEqual(20)
    }
    const page = await visit(chromium.browser, scene.service.url)
    await page.goto('/problems')
    const text = await page.getByText('The git material cannot be read').boundingBox()
    const button = await page.getByRole('button', { name: 'Try again' }).boundingBox()
    expect(button?.x).toBeGreaterThan(1_000)
    expect(Math.abs((button?.y ?? 0) - (text?.y ?? 0))).toBeLessThan(12)
  })

  it('begins all fields of a form at one place', async () => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url)

    await page.goto('/config/new-pipeline')

    const lefts = await page.evaluate<number[]>(
      `[...document.querySelectorAll('#name, #url, #command')].map((each) => each.getBoundingClientRect().left)`,
    )
    expect(lefts).toHaveLength(3)
    expect(new Set(lefts).size).toBe(1)
  })

  it('calls the file on disk by one name, and the edit of an entity too', async () => {
    const service = await startService(['--poll-interval', '100ms'])
    await saveRevisions(service, documentWith('web'))
    writeFileSync(join(service.repository, 'config.xml'), documentWith('web', 'cart'))
    await expect.poll(() => pageOf(service, '/config')).toContain('>r3<')

    for (const path of ['/config', '/config/compare/r2/r3', '/audit', '/config/r3']) {
      const words = (await pageOf(service, path)).replaceAll(/<[^>]*>/g, ' ')
      expect([path, words.includes('File on disk'), words.includes('Filesystem')]).toEqual([
        path,
        true,
        false,
      ])
    }
    const entity = { entity: 'pipeline/web', basedOn: '0'.repeat(32), action: 'preview', xml: '<x' }
    const shown = await sendForm(service, '/config/edit', entity)
    expect(await shown.text()).toContain('Edit pipeline web')
  })

  it('counts one as one, and says of nothing that it matches no filter', async () => {
    const service = await startService()
    const empty = await pageOf(service, '/permissions')
    const documents = [1, 2, 3, 4].map((n) =>
      documentWith('web').replace('web.git', `web-${n}.git`),
    )
    await saveRevisions(service, ...documents)

    const page = await pageOf(service, '/pipelines/web')

    expect(empty).not.toContain('match')
    expect(page).toMatch(/>1 more configuration change</)
  })
})
