import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { findCommand } from '../programs/programs.ts'
import { ADMIN_PASSWORD } from '../service/service.ts'

const OUTPUT = fileURLToPath(new URL('../../output/', import.meta.url))

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
]

/** The browser that the system has, without a profile; ended with the caller's `close`. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findCommand('chromium') ?? 'chromium', args: ARGUMENTS })
}

/** A browser for the tests of one file, ended after the last of them. */
export function useBrowser(): { readonly browser: Browser } {
  const opened: Browser[] = []
  beforeAll(async () => {
    opened.push(await openBrowser())
  })
  afterAll(async () => {
    await Promise.all(opened.map((browser) => browser.close()))
  })
  return {
    get browser() {
      const [browser] = opened
      if (!browser) throw new Error('The browser opens before the first test')
      return browser
    },
  }
}

export interface Visitor {
  readonly colorScheme?: 'light' | 'dark'
  readonly isPhone?: boolean
  readonly hasScripts?: boolean
  readonly timezone?: string
}

/** The ways to look at a page that every page is tested in. */
export const LOOKS = [
  { name: 'light', colorScheme: 'light', isPhone: false },
  { name: 'dark', colorScheme: 'dark', isPhone: false },
  { name: 'phone', colorScheme: 'light', isPhone: true },
] as const

/** A visitor who is logged in as admin, in a profile of their own. */
export async function visit(browser: Browser, url: string, visitor: Visitor = {}): Promise<Page> {
  const { colorScheme = 'light', isPhone = false, hasScripts = true, timezone = 'UTC' } = visitor
  const context: BrowserContext = await browser.newContext({
    baseURL: url,
    colorScheme,
    javaScriptEnabled: hasScripts,
    timezoneId: timezone,
    reducedMotion: 'reduce',
    viewport: isPhone ? { width: 390, height: 844 } : { width: 1440, height: 960 },
    httpCredentials: { username: 'admin', password: ADMIN_PASSWORD },
  })
  onTestFinished(() => context.close())
  return context.newPage()
}

/** What axe has against a page, each with the first place. */
export async function violationsOf(page: Page): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Page.setBypassCSP', { enabled: true })
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { preload: false, rules: { 'target-size': { enabled: true } } })",
  )
  return violations.map(({ id, nodes: [node] }) => `${id}: ${node?.html} ${node?.failureSummary}`)
}

/** The targets in a part of a page that are too small for a finger, by axe's rule of WCAG 2.2. */
export async function smallTargetsOf(page: Page, part: string): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Page.setBypassCSP', { enabled: true })
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run('${part}', { preload: false, runOnly: ['target-size'] })`,
  )
  return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))
}

/** What axe has against a page, and whether it is wider than the window. */
export async function troublesOf(page: Page): Promise<string[]> {
  const violations = await violationsOf(page)
  const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return width > 0 ? [...violations, 'it is wider than the window'] : violations
}

/** Keeps a picture of the page as build output. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const path = join(OUTPUT, `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ path })
}
