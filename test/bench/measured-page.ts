import { type Browser, chromium } from 'playwright-core'

export interface PageCost {
  /** Milliseconds of CPU time on the main thread, from the request until nothing is left to do. */
  readonly mainThread: number
  readonly elements: number
}

interface Credentials {
  readonly username: string
  readonly password: string
}

/** Measures a page in the browser of the system, logged in as admin. */
export function costOfPage(address: string, credentials: Credentials): Promise<PageCost> {
  return inBrowser((browser) => measured(browser, address, credentials))
}

const PRESSES = 100

/** Milliseconds from the press of a key to the next paint, which 98 of 100 presses do not exceed. */
export function nextPaintOf(
  address: string,
  credentials: Credentials,
  keys: readonly string[],
): Promise<number> {
  return inBrowser(async (browser) => {
    const viewport = { width: 1440, height: 960 }
    const page = await (
      await browser.newContext({ extraHTTPHeaders: headersOf(credentials), viewport })
    ).newPage()
    await page.goto(address, { waitUntil: 'networkidle' })
    // The browser tells of every event that took longer than one frame.
    await page.evaluate(
      "self.waits = []; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (entry.name === 'keydown') self.waits.push(entry.duration) }).observe({ type: 'event', durationThreshold: 16 })",
    )
    for (let n = 0; n < PRESSES; n += 1) {
      await page.keyboard.press(keys[Math.floor(n / 10) % keys.length] ?? '')
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
    }
    const waits = await page.evaluate<number[]>('self.waits')
    const slowest = waits.toSorted((one, other) => other - one)
    return slowest[Math.floor(PRESSES * 0.02)] ?? 16
  })
}

function headersOf({ username, password }: Credentials): { authorization: string } {
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  return { authorization: `Basic ${basic}` }
}

async function inBrowser<Result>(measure: (browser: Browser) => Promise<Result>): Promise<Result> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    return await measure(browser)
  } finally {
    await browser.close()
  }
}

async function measured(
  browser: Browser,
  address: string,
  credentials: Credentials,
): Promise<PageCost> {
  const context = await browser.newContext({
    extraHTTPHeaders: headersOf(credentials),
    viewport: { width: 1440, height: 960 },
  })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await page.goto(new URL('/login', address).href)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const soFar = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
  }
  const before = await soFar()
  const response = await page.goto(address, { waitUntil: 'networkidle' })
  if (!response?.ok()) throw new Error(`${address}: ${response?.status() ?? 'nothing'}`)
  const mainThread = (await soFar()) - before
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length')
  return { mainThread, elements }
}
