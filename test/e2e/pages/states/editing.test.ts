// @module-tag long
// @module-tag chromium

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { MADE, NINJA, serviceWithHistory } from '../../../support/history/small-history.ts'
import { useBrowser } from '../../../support/pages/browser.ts'
import { SLOW, walkOf } from '../../../support/pages/walk.ts'
import { saveRevisions } from '../../../support/service/saved-revisions.ts'
import { save } from '../../../support/service/saving.ts'
import { startService } from '../../../support/service/service.ts'
import { addSomeone, SOMEONE } from '../../../support/service/someone-else.ts'

function withPassword(document: string, password: string): string {
  return document.replace(
    '<git url="https://example.org/billing.git" />',
    `<svn url="https://example.org/billing" username="ana" password="${password}" />`,
  )
}

/** Types over everything in the editor, as with a keyboard. */
async function retype(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

const chromium = useBrowser()

describe('the states of edits fit and are accessible', SLOW, () => {
  it('in the editor: problems, preview, conflict, saved', async () => {
    const service = await startService()
    await saveRevisions(service, MADE)
    const walk = await walkOf(chromium.browser, service)
    const { page } = walk

    await page.goto('/config/edit')
    await page.locator('.cm-content').waitFor()
    await walk.at('editor')
    await retype(page, MADE.replace('<exec command="make" />', '<exec />'))
    await page.locator('.problems li').first().waitFor()
    await walk.at('editor-problems')
    await retype(page, NINJA)
    await page.locator('.problems').waitFor({ state: 'detached' })
    await walk.send('Preview changes')
    await page.getByRole('heading', { name: 'Preview changes' }).waitFor()
    await walk.at('editor-preview')
    await saveRevisions(service, MADE.replace('command="make"', 'command="bazel"'))
    await walk.send('Save')
    await page.getByText('Keep mine').waitFor()
    await walk.at('editor-conflict')
    await page.getByText('Keep mine').click()
    await walk.send('Save merged')
    await page.getByText('Saved as r4.').waitFor()
    await walk.at('editor-saved')

    expect(walk.wrong()).toEqual({})
  })

  it('in forms of entities: a long one, a problem, a preview, a group', async () => {
    const service = await startService()
    await saveRevisions(service, MADE)
    const walk = await walkOf(chromium.browser, service)
    const { page } = walk

    await walk.at('form-job', '/config/edit/pipeline/checkout?add=job')
    await page.locator('[id="f.stage.0.jobs.1.name"]').fill('a b')
    await page.locator('[id="f.stage.0.jobs.1.tasks.0.command"]').fill('lint')
    await walk.send('Preview changes')
    await walk.at('form-problem')
    await page.locator('[id="f.stage.0.jobs.1.name"]').fill('lint')
    await walk.send('Preview changes')
    await walk.at('form-preview')
    await walk.at('form-group', '/config/edit/group/first')
    await walk.at('form-new-environment', '/config/new/environment')

    expect(walk.wrong()).toEqual({})
  })

  it('of the rules: none, refused, saved', async () => {
    const walk = await walkOf(chromium.browser, await startService())
    const { page } = walk
    const rules = `version: 1
rules:
  - name: two-eyes
    match: { entity: pipeline/*, change: [added, removed] }
    need: [{ approvals: 1, of: admins }, { reason: required }]
    override: { by: user/admin }
    message: Ask the administrators of the build server before you do that
`

    await page.goto('/rules')
    await walk.at('rules-none')
    await page.locator('textarea').fill(rules.replace('override', 'overide'))
    await walk.send('Save rules')
    await page.getByText('The rules are not saved').waitFor()
    await walk.at('rules-refused')
    await page.locator('textarea').fill(rules)
    await walk.send('Save rules')
    await page.getByText('Saved the rules.').waitFor()
    await walk.at('rules-saved')

    expect(walk.wrong()).toEqual({})
  })

  it('where secrets are shown, and where something is restored or cannot be', async () => {
    const changed = NINJA.replace('ninja', 'bazel')
    const service = await serviceWithHistory()
    await addSomeone(service)
    await save(service, changed, SOMEONE)
    await saveRevisions(service, withPassword(changed, 'one'), withPassword(changed, 'two'))
    const walk = await walkOf(chromium.browser, service)
    const { page } = walk

    await page.goto('/config/compare/r5/r6')
    await walk.send('Reveal secrets')
    await walk.at('revealed-compare')
    await page.goto('/config/r5')
    await walk.send('Reveal secrets')
    await walk.at('revealed-snapshot')
    await page.goto('/config/entity/pipeline/checkout')
    for (const closed of await page.locator('details.step-diff').all()) {
      await closed.locator('summary').click()
    }
    await walk.at('entity-steps')
    await walk.through({ undo: '/config/r6/undo', 'undo-refused': '/config/r3/undo' })
    await page.goto('/config/r2/restore')
    await saveRevisions(service, MADE.replace('billing.git', 'invoices.git'))
    await page.getByLabel('Reason').fill('It worked then')
    await walk.send('Restore r2')
    await page.getByText('The configuration has changed since').waitFor()
    await walk.at('restore-stale')
    await page.goto('/config/r2/restore')
    await page.getByLabel('Reason').fill('It worked then')
    await walk.send('Restore r2')
    await page.getByText('Saved as r8.').waitFor()
    await walk.at('restored')

    expect(walk.wrong()).toEqual({})
  })
})
