// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { troublesOf } from '../../support/pages/inspection.ts'
import { ADMIN_PASSWORD, startService } from '../../support/service/service.ts'

/** A machine may be busy with other tests. */
const WITHIN = { timeout: 60_000 }

const chromium = useBrowser()

describe('the log-in', { timeout: 240_000 }, () => {
  it.each([true, false])(
    'leads a browser to the page that it asked for, and the log-out ends that (scripts: %s)',
    async (hasScripts) => {
      const service = await startService()
      const page = await visit(chromium.browser, service.url, { as: null, hasScripts })

      await page.goto('/agents?q=none#L7', WITHIN)
      await page.getByLabel('Name').fill('admin')
      await page.getByLabel('Password').fill(ADMIN_PASSWORD)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.waitForURL('**/agents?q=none#L7', WITHIN)
      const [cookie] = await page.context().cookies()
      expect(cookie).toMatchObject({ name: 'cairn', httpOnly: true, sameSite: 'Lax' })

      await page.locator('[popovertarget=person-menu]').click()
      await page.getByRole('link', { name: 'My tokens' }).click()
      await page.getByLabel('Name').fill('nightly')
      await page.getByRole('button', { name: 'Create token' }).click()
      await page.getByText('Token nightly created.').waitFor(WITHIN)
      await expect.poll(() => page.getByRole('button', { name: 'Copy' }).count()).toBe(+hasScripts)
      // What inspects a page is a script.
      expect(hasScripts ? await troublesOf(page) : []).toEqual([])
      await page.locator('[popovertarget=person-menu]').click()
      await page.getByRole('button', { name: 'Log out', exact: true }).click()
      await page.getByText('You are logged out.').waitFor(WITHIN)
      expect(hasScripts ? await troublesOf(page) : []).toEqual([])

      await expect.poll(() => page.context().cookies()).toEqual([])
      await page.goto('/agents', WITHIN)
      await expect.poll(() => new URL(page.url()).pathname).toBe('/login')
    },
  )

  it('hands over the secret that it shows once', async () => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/tokens', WITHIN)
    await page.getByLabel('Name').fill('nightly')
    await page.getByRole('button', { name: 'Create token' }).click()

    await page.getByRole('button', { name: 'Copy' }).click()

    await page.getByRole('button', { name: 'Copied' }).waitFor(WITHIN)
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toMatch(/^cairn_\w+$/)
    expect(await page.locator('.flash pre').innerText()).toBe(copied)
  })

  it('gives back what was typed while the session ended', async () => {
    const service = await startService()
    const page = await visit(chromium.browser, service.url, { as: null })
    const logIn = async () => {
      await page.getByLabel('Name').fill('admin')
      await page.getByLabel('Password').fill(ADMIN_PASSWORD)
      await page.getByRole('button', { name: 'Log in' }).click()
    }
    await page.goto('/tokens', WITHIN)
    await logIn()
    await page.waitForURL('**/tokens', WITHIN)
    await page.getByLabel('Name').fill('a long thought')

    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('You are no longer logged in').waitFor(WITHIN)
    const asked = await troublesOf(page)
    await logIn()
    await page.getByText('Send it again?').waitFor(WITHIN)
    const back = await troublesOf(page)
    await expect.poll(() => page.getByLabel('name').inputValue()).toBe('a long thought')
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('Token a long thought created.').waitFor(WITHIN)

    // The browser notes the status of an answer that is no success.
    expect([asked.filter((trouble) => !trouble.includes('401')), back]).toEqual([[], []])
  })
})
