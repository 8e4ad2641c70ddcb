import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { messagesOf } from './browser.ts'

/** From wide to narrow; the first and the last are looked at in the dark too. */
const WIDTHS = [1440, 1024, 768, 390, 320] as const
/** A sheet of A4 without its margins. */
const PAPER = 718
const MOST_TAB_STOPS = 40

/** Half as long as `axe.source`: each page that is looked at reads it. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const EVERY_RULE: RunOptions = { rules: { 'target-size': { enabled: true } } }
const SIZES: RunOptions = { runOnly: ['target-size'] }
const COLOURS: RunOptions = { runOnly: ['color-contrast'] }

/**
 * What is wrong with a page as it stands, at every width, in both colour schemes and on paper: what axe
 * has against it, whether it is wider than the window, how many tab stops stand before its content, and
 * what it has written to the console. The page gets its window back.
 */
export async function troublesOf(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? { width: 1440, height: 960 }
  const troubles = new Troubles(messagesOf(page))
  const seen = new Set<string>()
  for (const width of WIDTHS) {
    await page.setViewportSize({ ...size, width })
    const look = await page.evaluate<Look>(LOOK)
    troubles.add(width, await violationsOf(page, rulesFor(look, seen)))
    troubles.add(width, placeTroubles(look))
    seen.add(look.shown)
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  troubles.add('320 dark', await violationsOf(page, COLOURS, SHOWN_HERE_ALONE))
  await page.setViewportSize({ ...size, width: WIDTHS[0] })
  troubles.add('1440 dark', await violationsOf(page, COLOURS))
  await page.emulateMedia({ media: 'print', colorScheme: null })
  await page.setViewportSize({ ...size, width: PAPER })
  troubles.add('print', await violationsOf(page, COLOURS))
  const { overflow } = await page.evaluate<Look>(LOOK)
  if (overflow > 0) troubles.add('print', ['it is wider than the paper'])
  await page.emulateMedia({ media: null })
  await page.setViewportSize(size)
  return troubles.list()
}

/** What axe has against a page in its window, each with the first place. */
export async function violationsOf(
  page: Page,
  rules: RunOptions | null = EVERY_RULE,
  part = 'document',
): Promise<string[]> {
  if (rules === null) return []
  const { violations } = await runAxe(page, part, rules)
  return violations.map(({ id, nodes: [node] }) => `${id}: ${node?.html} ${node?.failureSummary}`)
}

/** The targets in a part of a page that are too small for a finger, by axe's rule of WCAG 2.2. */
export async function smallTargetsOf(page: Page, part: string): Promise<string[]> {
  const { violations } = await runAxe(page, `'${part}'`, SIZES)
  return violations.flatMap(({ nodes }) => nodes.map(({ html }) => html))
}

async function runAxe(page: Page, part: string, rules: RunOptions): Promise<AxeResults> {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(AXE)
  const options = JSON.stringify({ ...rules, preload: false, resultTypes: ['violations'] })
  return page.evaluate<AxeResults>(`(async () => {
    const part = ${part}
    return part === null ? { violations: [] } : axe.run(part, ${options})
  })()`)
}

/** Each trouble once, with the first look that has it. */
class Troubles {
  readonly #found: Map<string, string>

  constructor(messages: readonly string[]) {
    this.#found = new Map(messages.map((message) => [message, message]))
  }

  add(look: string | number, troubles: readonly string[]): void {
    for (const trouble of troubles) {
      if (!this.#found.has(trouble)) this.#found.set(trouble, `${look}: ${trouble}`)
    }
  }

  list(): string[] {
    return [...this.#found.values()]
  }
}

/** A page in its window. */
interface Look {
  /** Differs when other elements are shown or can be scrolled. */
  readonly shown: string
  readonly hasSmallTargets: boolean
  readonly overflow: number
  readonly tabStops: number
}

/** Where the same is shown as at another width, only the sizes of small targets can be judged otherwise. */
function rulesFor({ shown, hasSmallTargets }: Look, seen: ReadonlySet<string>): RunOptions | null {
  if (!seen.has(shown)) return EVERY_RULE
  return hasSmallTargets ? SIZES : null
}

function placeTroubles({ overflow, tabStops }: Look): string[] {
  return [
    ...(overflow > 0 ? ['it is wider than the window'] : []),
    ...(tabStops < MOST_TAB_STOPS ? [] : [`${tabStops} tab stops stand before the content`]),
  ]
}

/**
 * Looks at a page, and notes on each element whether it is shown. The content begins where the last skip
 * link leads; radio buttons of one name are one stop.
 */
const LOOK = `(() => {
  const elements = [...document.querySelectorAll('body *')].filter((element) => !element.closest('svg *'))
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true })
  const shown = elements.map((element) => {
    if (!isShown(element)) return 0
    element.shownAt ??= innerWidth
    return element.scrollWidth > element.clientWidth && getComputedStyle(element).overflowX !== 'visible' ? 2 : 1
  })
  const content = document.querySelector([...document.querySelectorAll('a.skip')].at(-1).getAttribute('href'))
  const reached = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]'
  const targets = [...document.querySelectorAll(reached)].filter((element) => isShown(element))
  const stops = targets.filter((element) =>
    element.compareDocumentPosition(content) & Node.DOCUMENT_POSITION_FOLLOWING &&
    element.tabIndex >= 0 && !element.disabled)
  return {
    shown: shown.join(''),
    hasSmallTargets: targets.some((element) => {
      const { width, height } = element.getBoundingClientRect()
      return width < 24 || height < 24
    }),
    overflow: document.documentElement.scrollWidth - innerWidth,
    tabStops: new Set(stops.map((stop) => (stop.type === 'radio' ? stop.name : stop))).size,
  }
})()`

/** The elements that are shown in this window and not in the widest one. */
const SHOWN_HERE_ALONE = `(() => {
  const isNew = ({ shownAt }) => shownAt < ${WIDTHS[0]}
  const include = [...document.querySelectorAll('body *')].filter((element) =>
    isNew(element) && !isNew(element.parentElement) && element.checkVisibility())
  return include.length === 0 ? null : { include }
})()`
