import { type Browser, chromium } from 'playwright-core'

export interface PageCost {
  /** Milliseconds of CPU time on the main thread, from the request until nothing is left to do. */
  readonly mainThread: number
  readonly elements: number
}

/** What a page costs the browser that the system has, logged in as admin. */
export async function costOfPage(
  address: string,
  credentials: { readonly username: string; readonly password: string },
): Promise<PageCost> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    return await measured(browser, address, credentials)
  } finally {
    await browser.close()
  }
}

async function measured(
  browser: Browser,
  address: string,
  httpCredentials: { readonly username: string; readonly password: string },
): Promise<PageCost> {
  const context = await browser.newContext({
    httpCredentials,
    viewport: { width: 1440, height: 960 },
  })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await page.goto(new URL('/log-out', address).href)
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
