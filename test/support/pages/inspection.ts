import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { messagesOf } from './browser.ts'

/** The outer widths, which are looked at in the dark too, and those between. */
const [WIDEST, NARROWEST] = [1920, 320]
const WIDTHS = [WIDEST, NARROWEST, 1440, 1024, 768, 390] as const
/** A sheet of A4 without its margins. */
const PAPER = 718
const MAX_TAB_STOPS = 40
/** Elements of a page that axe judges at the widest and the narrowest alone: each run takes seconds there. */
const LARGE_PAGE = 3_000

/** Half as long as `axe.source`: each page that is looked at reads it. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const ALL_RULES: RunOptions = { rules: { 'target-size': { enabled: true } } }
const SIZES: RunOptions = { runOnly: ['target-size'] }
/** Rules about an element's colours or place alone, for which axe lays a grid over the whole page. */
const PLACES: RunOptions = { runOnly: ['target-size', 'color-contrast', 'link-in-text-block'] }
const COLOURS: RunOptions = { runOnly: ['color-contrast'] }
const ALL_BUT_PLACES: RunOptions = {
  rules: { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false } },
}

/** Colours of texts and places of targets with which axe finds nothing wrong, on any page so far. */
const judgedWell = new Set<string>()

/**
 * Faults of a loaded page, at every width, in both colour schemes and on paper: violations that axe
 * finds, content wider than the window, too many tab stops before the content, tables without a name, and
 * messages on the console. The page gets its window back.
 */
export async function troublesOf(page: Page): Promise<string[]> {
  await page.waitForLoadState()
  const size = page.viewportSize() ?? { width: 1440, height: 960 }
  const troubles = new Troubles(messagesOf(page))
  const judged = new Set<string>()
  await page.evaluate(
    '[globalThis.shownBefore, globalThis.scrolledBefore] = [new Set(), new Set()]',
  )
  for (const width of WIDTHS) {
    await page.setViewportSize({ ...size, width })
    const look = await page.evaluate<Look>(LOOK)
    troubles.add(width, placeTroubles(look))
    const isOuter = width === WIDEST || width === NARROWEST
    if (!isOuter && look.shown.length > LARGE_PAGE) continue
    if (isOuter && !judged.has(look.shown)) {
      troubles.add(width, await violationsOf(page, ALL_BUT_PLACES))
    } else if (look.hasNew) {
      troubles.add(width, await violationsOf(page, ALL_BUT_PLACES, NEW_PARTS))
    }
    troubles.add(width, await troublesOfNew(page, look.parts, PLACES))
    judged.add(look.shown)
  }
  const colours = async () => {
    const { parts } = await page.evaluate<Pick<Look, 'parts'>>(LOOK_AT_COLOURS)
    return troublesOfNew(page, parts, COLOURS)
  }
  await page.setViewportSize({ ...size, width: NARROWEST })
  await page.emulateMedia({ colorScheme: 'dark' })
  troubles.add(`${NARROWEST} dark`, await colours())
  await page.setViewportSize({ ...size, width: WIDEST })
  troubles.add(`${WIDEST} dark`, await colours())
  await page.emulateMedia({ media: 'print', colorScheme: null })
  await page.setViewportSize({ ...size, width: PAPER })
  troubles.add('print', await colours())
  if ((await page.evaluate<number>(OVERFLOW)) > 0) {
    troubles.add('print', ['it is wider than the paper'])
  }
  await page.emulateMedia({ media: null })
  await page.setViewportSize(size)
  return troubles.list()
}

/** The violations of parts of a page that are unlike all that were judged well. */
async function troublesOfNew(
  page: Page,
  parts: readonly string[],
  rules: RunOptions,
): Promise<string[]> {
  const unlike = parts.filter((part) => !judgedWell.has(part))
  if (unlike.length === 0) return []
  const include = `${JSON.stringify(unlike)}.flatMap((part) => looks.get(part))`
  const violations = await violationsOf(page, rules, `{ include: ${include} }`)
  if (violations.length === 0) for (const part of unlike) judgedWell.add(part)
  return violations
}

/** The violations that axe finds in a page at its window size, each with the first place. */
export async function violationsOf(
  page: Page,
  rules: RunOptions = ALL_RULES,
  part = 'document',
): Promise<string[]> {
  return runAxe(page, part, rules, FIRST_PLACES)
}

/** The targets in a part of a page that are too small for a finger, by axe's rule of WCAG 2.2. */
export async function smallTargetsOf(page: Page, part: string): Promise<string[]> {
  return runAxe(page, `'${part}'`, SIZES, PLACES_ALONE)
}

const FIRST_PLACES = '({ id, nodes: [node] }) => `${id}: ${node?.html} ${node?.failureSummary}`'
const PLACES_ALONE = '({ nodes }) => nodes.map(({ html }) => html)'

/**
 * Runs axe. The reported part of each violation is picked in the page, since the full report is
 * long.
 */
async function runAxe(
  page: Page,
  part: string,
  rules: RunOptions,
  told: string,
): Promise<string[]> {
  const options = JSON.stringify({
    ...rules,
    preload: false,
    resultTypes: ['violations'],
    selectors: false,
  })
  const run = () =>
    page.evaluate<string[] | null>(`(async () => {
      if (typeof axe !== 'object') return null
      const { violations } = await axe.run(${part}, ${options})
      return violations.flatMap(${told})
    })()`)
  const found = await run()
  if (found !== null) return found
  await page.evaluate(AXE)
  const results = await run()
  if (results === null) throw new Error('axe does not stay in the page')
  return results
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
  /** Differs when other elements are shown. */
  readonly shown: string
  /** Whether elements are shown or can be scrolled that were not at an earlier width. */
  readonly hasNew: boolean
  /** All that axe's verdicts on colours and places hang on, for each text and target; those that are alike once. */
  readonly parts: readonly string[]
  readonly overflow: number
  readonly tabStops: number
  /** Tables that a screen reader lists without a name. */
  readonly unnamedTables: number
}

function placeTroubles({ overflow, tabStops, unnamedTables }: Look): string[] {
  return [
    ...(unnamedTables > 0 ? [`tables without a name: ${unnamedTables}`] : []),
    ...(overflow > 0 ? ['it is wider than the window'] : []),
    ...(tabStops < MAX_TAB_STOPS ? [] : [`${tabStops} tab stops stand before the content`]),
  ]
}

/**
 * The outermost elements that were not shown at an earlier width, and those that could not be scrolled there. Where the
 * page has just replaced some, all of it.
 */
const NEW_PARTS =
  '(newParts.every((element) => element.isConnected) ? { include: newParts } : document)'

const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth'

/** Pixels around the middle of a small target, more than the 12 in which axe has something against others. */
const REACH = 14
/** Pixels: a target is compared with those in the rows where it lies, not with all of a long page. */
const ROW = 64
const NATIVE_TARGETS = 'a[href], button, input, select, textarea, summary, [contenteditable]'
/**
 * The elements that axe takes as targets; another element with a tab stop, such as a region that
 * scrolls, is none.
 */
const TARGETS = `${NATIVE_TARGETS}, [tabindex]:is(${[
  'button',
  'checkbox',
  'combobox',
  'link',
  'listbox',
  'menuitem',
  'option',
  'radio',
  'slider',
  'switch',
  'tab',
  'textbox',
  'treeitem',
]
  .map((role) => `[role=${role}]`)
  .join()})`

/** Of the elements that are alike, axe judges at most so many: it passes over one that it cannot see. */
const MAX_ALIKE = 3

/**
 * Notes each shown element with a text by all that decides about its contrast: its colour and letters, and the
 * backgrounds from it outwards. Below an element that is out of the flow may lie anything of this page.
 */
const LOOK_AT_COLOURS = `(() => {
  globalThis.looks = new Map()
  const note = (part, element) => {
    const alike = looks.get(part) ?? []
    if (alike.length < ${MAX_ALIKE}) looks.set(part, [...alike, element])
  }
  const chains = new Map()
  const chainOf = (element) => {
    if (element === null) return { text: '', isOver: false }
    if (!chains.has(element)) chains.set(element, newChain(element))
    return chains.get(element)
  }
  const newChain = (element) => {
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode, position } = getComputedStyle(element)
    const behind = chainOf(element.parentElement)
    const isOpaque = /^rgb\\(/.test(backgroundColor) && opacity === '1'
    const isPlain = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' && opacity === '1' &&
      filter === 'none' && mixBlendMode === 'normal'
    const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join()
    return {
      text: isPlain ? behind.text : \`\${own} on \${behind.text}\`,
      isOver: !isOpaque && (behind.isOver || ['absolute', 'fixed', 'sticky'].includes(position)),
    }
  }
  const isWithin = (one, other) => one.left >= other.left && one.right <= other.right &&
    one.top >= other.top && one.bottom <= other.bottom
  const hasText = (element) =>
    [...element.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim().length > 1)
  const isLeftOut = (element) => element.closest('[aria-hidden=true], [aria-disabled=true], :disabled, [inert]') !== null ||
    element.closest('label')?.control?.disabled === true
  for (const element of document.querySelectorAll('body, body *:not(svg *, script, style)')) {
    if (!(hasText(element) || element.matches('input, select, textarea'))) continue
    if (!element.checkVisibility({ visibilityProperty: true }) || isLeftOut(element)) continue
    const rect = element.getBoundingClientRect()
    if (rect.width <= 1 || rect.height <= 1 || rect.right <= 0 || rect.bottom <= 0) continue
    const style = getComputedStyle(element)
    const { text, isOver } = chainOf(element)
    const around = isOver ? (element.offsetParent ?? document.body).getBoundingClientRect() : rect
    const over = isOver ? [location.href, isWithin(rect, around) ? '' : innerWidth] : []
    const letters = [style.color, style.fontSize, style.fontWeight, style.textShadow, style.textDecorationLine]
    const kind = [element.localName, element.parentElement !== null && hasText(element.parentElement)]
    note([...kind, ...letters, text, ...over].join(), element)
  }
  return { parts: [...looks.keys()] }
})()`

/**
 * Looks at a page. The content begins where the last skip link leads; radio buttons of one name are one
 * stop. It notes texts as above, and how each target that is small or covered lies among those around it: axe's
 * verdict on a target's size hangs on nothing else.
 */
const LOOK = `(() => {
  const isOver = (one, other) =>
    one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top
  const isReached = ({ x, y }, { left, right, top, bottom }) =>
    Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)) < ${REACH}
  const isClose = (one, other) => isOver(one, other) ||
    isReached(one, other) || isReached(other, one) ||
    Math.hypot(one.x - other.x, one.y - other.y) < 2 * ${REACH}
  const rectOf = (element) => {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect()
    return { left, right, top, bottom, width, height, x: left + width / 2, y: top + height / 2 }
  }
  const rowsOf = ({ top, bottom }, reach) => {
    const first = Math.floor((top - reach) / ${ROW})
    return Array.from({ length: Math.floor((bottom + reach) / ${ROW}) - first + 1 }, (_, n) => first + n)
  }
  void ${LOOK_AT_COLOURS}
  const elements = [...document.querySelectorAll('body *')].filter((element) => !element.closest('svg *'))
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true })
  const shown = elements.map((element) => {
    if (!isShown(element)) return 0
    return element.scrollWidth > element.clientWidth && getComputedStyle(element).overflowX !== 'visible' ? 2 : 1
  })
  const newOf = (least, before) => elements.filter((element, n) => shown[n] >= least && !before.has(element))
  const [shownNow, scrolledNow] = [new Set(newOf(1, shownBefore)), newOf(2, scrolledBefore)]
  const outermost = [...shownNow].filter((element) => !shownNow.has(element.parentElement))
  globalThis.newParts = [...outermost, ...scrolledNow]
  for (const element of shownNow) shownBefore.add(element)
  for (const element of scrolledNow) scrolledBefore.add(element)
  const content = document.querySelector([...document.querySelectorAll('a.skip')].at(-1).getAttribute('href'))
  const stops = [...document.querySelectorAll('${NATIVE_TARGETS}, [tabindex]')].filter((element) =>
    isShown(element) && element.compareDocumentPosition(content) & Node.DOCUMENT_POSITION_FOLLOWING &&
    element.tabIndex >= 0 && !element.disabled)
  const targets = [...document.querySelectorAll('${TARGETS}')]
    .map((element, n) => ({ element, n, rect: rectOf(element) }))
    .filter(({ element }) => isShown(element))
  const rows = new Map()
  for (const target of targets) {
    for (const row of rowsOf(target.rect, 2 * ${REACH})) rows.set(row, [...(rows.get(row) ?? []), target])
  }
  const isInText = ({ parentElement: { childNodes } }) =>
    [...childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim() !== '')
  const kindOf = (element) => [element.localName, element.type ?? '', element.tabIndex < 0, isInText(element)]
  for (const { element, n, rect } of targets) {
    const others = [...new Set(rowsOf(rect, 0).flatMap((row) => rows.get(row)))]
      .filter((other) => other.n !== n && isClose(rect, other.rect))
      .toSorted((one, other) => one.n - other.n)
    const isSmall = (other) => other.width < 24 || other.height < 24
    if (others.length === 0 || !(isSmall(rect) || others.some((other) => isOver(rect, other.rect)))) continue
    const sides = others.flatMap((other) => [
      other.n - n, ...kindOf(other.element), element.contains(other.element), other.element.contains(element),
      ...[other.rect.left - rect.left, other.rect.top - rect.top, other.rect.width, other.rect.height]
        .map((side) => side.toFixed(1)),
    ])
    const place = [...kindOf(element), rect.width.toFixed(1), rect.height.toFixed(1), ...sides].join()
    looks.set(place, [element])
  }
  return {
    shown: shown.map((value) => (value === 0 ? 0 : 1)).join(''),
    hasNew: newParts.length > 0,
    parts: [...looks.keys()],
    overflow: ${OVERFLOW},
    unnamedTables: document.querySelectorAll('table:not([aria-label], [aria-labelledby], :has(> caption))').length,
    tabStops: new Set(stops.map((stop) => (stop.type === 'radio' ? stop.name : stop))).size,
  }
})()`
