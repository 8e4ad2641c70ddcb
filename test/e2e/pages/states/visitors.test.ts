// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { serviceWithHistory } from '../../../support/history/small-history.ts'
import { useBrowser } from '../../../support/pages/browser.ts'
import { SLOW, walkOf, WITHIN } from '../../../support/pages/walk.ts'
import { startService } from '../../../support/service/service.ts'

/** The log-in page has another way in. */
const WITH_PROVIDER = [
  '--oidc-issuer',
  'https://id.example',
  '--oidc-client-id',
  'cairn',
  '--public-url',
  'https://cairn.example',
]

const chromium = useBrowser()

describe('pages for newcomers and searchers fit and are accessible', SLOW, () => {
  it('in a new service, for somebody who is not known, and after log-out', async () => {
    const service = await startService(WITH_PROVIDER)
    const walk = await walkOf(chromium.browser, service)
    const { page } = walk

    await walk.through({
      'empty-history': '/config',
      'empty-snapshot': '/config/current',
      'empty-pipelines': '/pipelines',
      'empty-agents': '/agents',
    })
    await walk.at('login', '/login')
    await page.getByLabel('Name').fill('ana')
    await page.getByLabel('Password').fill('wrong')
    await walk.send('Log in')
    await page.getByRole('alert').waitFor(WITHIN)
    await walk.at('login-wrong')
    // A browser without a window does not show what stands behind the question for a name.
    for (const [title, path] of [
      ['logged-out', '/log-out'],
      ['not-known', '/config'],
    ] as const) {
      const refused = await service.fetch(path, { as: null })
      const shown = { contentType: 'text/html', body: await refused.text() }
      await page.route(`**${path}`, (route) => route.fulfill(shown))
      await walk.at(title, path)
    }

    expect(walk.wrong()).toEqual({})
    await expect.poll(() => page.locator('h1').textContent()).toBe('Log in to see this page')
  })

  it('with the palette open', async () => {
    const service = await serviceWithHistory()
    const walk = await walkOf(chromium.browser, service)
    const { page } = walk

    await page.goto('/agents')
    await page.keyboard.press('/')
    await page.keyboard.insertText('checkout')
    await page.getByRole('option', { name: /^checkout in/ }).waitFor(WITHIN)
    await walk.at('palette')

    expect(walk.wrong()).toEqual({})
  })
})
