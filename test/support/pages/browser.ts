import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import { atEnd } from '../programs/at-end.ts'
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

/** Chromium, and the same without a window to draw, which starts in less than half the time. */
const BROWSERS = ['chromium-headless-shell', 'chromium'] as const

/** The browser that the system has, without a profile; ended with the caller's `close`. */
export function openBrowser(): Promise<Browser> {
  const executablePath = BROWSERS.map(findCommand).find((file) => file !== null) ?? 'chromium'
  return chromium.launch({ executablePath, args: ARGUMENTS })
}

let shared: Browser | null = null

/** A browser for the tests of one file; the next file in this process has the same, which ends with it. */
export function useBrowser(): { readonly browser: Browser } {
  beforeAll(async () => {
    if (shared?.isConnected() !== true) shared = await openBrowser()
  })
  return {
    get browser() {
      if (shared === null) throw new Error('The browser opens before the first test')
      return shared
    },
  }
}

interface NameAndPassword {
  readonly username: string
  readonly password: string
}

export interface Visitor {
  readonly colorScheme?: 'light' | 'dark'
  readonly isPhone?: boolean
  readonly hasScripts?: boolean
  readonly timezone?: string
  /** Name and password, which the browser sends of itself; admin's without, none for null. */
  readonly as?: NameAndPassword | null
}

const ADMIN = { username: 'admin', password: ADMIN_PASSWORD }
/** The message of a browser about every page with an error status. */
const STATUS_OF_PAGE = /^Failed to load resource: the server responded with a status of \d+/

const messages = new WeakMap<Page, string[]>()

/** A logged-in visitor, with a separate profile. */
export async function visit(browser: Browser, url: string, visitor: Visitor = {}): Promise<Page> {
  const { colorScheme = 'light', isPhone = false, hasScripts = true, timezone = 'UTC' } = visitor
  const { as = ADMIN } = visitor
  const context: BrowserContext = await browser.newContext({
    baseURL: url,
    colorScheme,
    javaScriptEnabled: hasScripts,
    timezoneId: timezone,
    reducedMotion: 'reduce',
    viewport: isPhone ? { width: 390, height: 844 } : { width: 1440, height: 960 },
    extraHTTPHeaders: as === null ? {} : { authorization: basicOf(as) },
  })
  atEnd(() => context.close())
  const page = await context.newPage()
  const written: string[] = []
  messages.set(page, written)
  page.on('pageerror', (error) => written.push(`error: ${error.message}`))
  page.on('console', (message) => {
    const isOfPage = message.location().url === page.url() && STATUS_OF_PAGE.test(message.text())
    const isTrouble = ['error', 'warning'].includes(message.type())
    if (isTrouble && !isOfPage) written.push(`console: ${message.text()}`)
  })
  return page
}

/** The header of a name and a password: a browser that is asked for them gets a form instead. */
function basicOf({ username, password }: NameAndPassword): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** The errors and warnings in the console of a page of `visit` since the last call. */
export function messagesOf(page: Page): string[] {
  return messages.get(page)?.splice(0) ?? []
}

/** Saves a picture of the page as build output, when pictures are wanted. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env['CAIRN_TEST_PICTURES'] === undefined) return
  const path = join(OUTPUT, `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ path })
}
