// @module-tag long
// @module-tag chromium
import { describe, expect, it, onTestFinished } from 'vitest'
import { useBrowser } from '../../support/pages/browser.ts'
import { troublesOf } from '../../support/pages/inspection.ts'

const chromium = useBrowser()

/** A page without a fault but the one of an element that is shown in some windows. */
function pageWith(element: string, shown: string): string {
  return `<!doctype html><html lang="en"><head><title>A page</title>
    <style>.faulty { display: none } @media ${shown} { .faulty { display: block } }</style></head>
    <body><a class="skip" href="#content">To the content</a>
    <main id="content" tabindex="-1"><h1>A page</h1>${element}</main></body></html>`
}

const NAMELESS = '<button class="faulty" type="button" style="width: 3em; height: 3em"></button>'
const PALE = '<p class="faulty" style="color: #ccc; background: #fff">A pale text</p>'

describe('the inspection of a page', () => {
  it.each([
    ['in the widest window', '(width > 1900px)'],
    ['in that of a laptop', '(1400px < width < 1500px)'],
    ['between', '(1000px < width < 1100px)'],
    ['in the narrowest window', '(width < 330px)'],
  ])('finds a fault that is shown %s alone', async (_, shown) => {
    const page = await chromium.browser.newPage()
    onTestFinished(() => page.close())
    const found: string[][] = []
    for (const element of [NAMELESS, PALE]) {
      await page.setContent(pageWith(element, shown))
      found.push(await troublesOf(page))
    }

    expect(found).toEqual(
      ['button-name', 'color-contrast'].map((rule) => [expect.stringContaining(rule)]),
    )
  })
})
