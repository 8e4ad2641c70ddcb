// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
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

  it('are filtered by the days of the calendar of the reader', { tags: ['long'] }, async () => {
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

/** A job of 3 June 2015, 23:30 UTC, whose agent has written a line. */
async function ofOneJob() {
  const times = { now: Date.parse('2015-06-03T23:29:00Z') }
  const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] }, [], () => times.now)
  await scene.schedule()
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  const { jobId } = await agent.work()
  await agent.append(jobId, 0, '23:30:00.105 one\n')
  const says = (text: string) => agent.append(jobId, '23:30:00.105 one\n'.length, text)
  return { service: scene.service, says }
}

/** The path of the page of that job. */
const JOB = '/stages/app/build/1/1/unit'

describe('times beside code and runs', () => {
  it(
    "of a console are on the reader's clock, also those of lines that arrive",
    { tags: ['long'] },
    async () => {
      const { service, says } = await ofOneJob()
      const page = await visit(chromium.browser, service.url, { timezone: 'Asia/Tokyo' })
      await page.goto(JOB)
      const times = page.locator('.console time')
      await expect.poll(() => times.allInnerTexts()).toEqual(['08:30:00.105'])

      await says('00:10:00.000 two\n')

      await expect.poll(() => times.allInnerTexts()).toEqual(['08:30:00.105', '09:10:00.000'])
      await expect.poll(() => times.last().getAttribute('title')).toBe('4 Jun 2015, 00:10:00 UTC')
      await page.getByText('States and times').click()
      await expect
        .poll(() => page.locator('.fact-table').innerText())
        .toContain('4 Jun 2015, 08:29:')
    },
  )

  it('of a console are in UTC without scripts, which it says', async () => {
    const { service } = await ofOneJob()
    const page = await visit(chromium.browser, service.url, { hasScripts: false })
    await page.goto(JOB)

    const head = await page.locator('.console-head').innerText()

    expect(head).toContain('in UTC')
    expect(await page.locator('.console time').allInnerTexts()).toEqual(['23:30:00.105'])
  })

  it('stay on the clock where a page updates itself', async () => {
    const { service } = await ofOneJob()
    const page = await visit(chromium.browser, service.url, { timezone: 'Asia/Tokyo' })
    await page.goto('/agents/a1')
    const times = page.locator('[data-part] time')
    await expect.poll(() => times.count()).toBeGreaterThan(0)

    const replaced = await page.evaluate<string>(`(() => {
      const part = document.querySelector('[data-part]:has(time)')
      const fresh = part.cloneNode(true)
      const time = fresh.querySelector('time')
      time.dataset.when = 'moment'
      time.textContent = 'as the server wrote it'
      part.replaceWith(fresh)
      return new Promise((done) => setTimeout(() => done(time.textContent)))
    })()`)

    expect(replaced).toMatch(/^4 Jun 2015, 08:\d\d$/)
  })

  it('of blame, the search, the palette and the audit log are on it, and the foot names it', async () => {
    const service = await ofOneDay()
    const page = await visit(chromium.browser, service.url, { timezone: 'Asia/Tokyo' })

    await page.goto('/config/r2?blame=1')
    await expect.poll(() => page.locator('.by').allInnerTexts()).toContain('r2 admin · 4 Jun 2015')
    await page.goto('/search?q=r2')
    await expect.poll(() => page.locator('.found').innerText()).toContain('4 Jun 2015, 08:30')
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill('r2')
    await expect.poll(() => page.locator('#palette').innerText()).toContain('4 Jun 2015, 08:30')
    await page.goto('/audit?since=2015-06-03T15:00:00.000Z')
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('2015-06-04')
    await page.getByLabel('to', { exact: true }).fill('2015-06-04')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL('**until=2015-06-04T14%3A59%3A59.999Z*')
    await expect.poll(() => page.locator('tr.day').allInnerTexts()).toEqual(['Thu, 4 Jun 2015'])
    await expect.poll(() => page.locator('.foot').innerText()).toContain('Asia/Tokyo')
  })

  it('say that they are in UTC without scripts', async () => {
    const service = await ofOneDay()
    const page = await visit(chromium.browser, service.url, { hasScripts: false })

    for (const [path, text] of [
      ['/search?q=r2', '3 Jun 2015, 23:30 UTC'],
      ['/audit', 'in UTC'],
      ['/audit', 'Wed, 3 Jun 2015, UTC'],
      ['/tokens', 'Expires on (optional) in UTC'],
      ['/config', 'Times are in UTC.'],
    ] as const) {
      await page.goto(path)
      expect([path, await page.locator('body').innerText()]).toEqual([
        path,
        expect.stringContaining(text),
      ])
    }
  })
})
