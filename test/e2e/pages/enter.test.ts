// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import type { CalledService } from '../../support/service/service.ts'

const chromium = useBrowser()

const LABELLED = '<pipeline name="app" labeltemplate="v-${COUNT}">'

async function opened() {
  const { service } = await BuildScene.open({ pipelines: [{ name: 'app' }] })
  await ProtocolAgent.join(service, 'a1')
  return { service, page: await visit(chromium.browser, service.url) }
}

async function documentOf(service: Pick<CalledService, 'fetch'>): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

/** Puts a text that admin has changed elsewhere than the editor. */
async function put(service: Pick<CalledService, 'fetch'>, document: string): Promise<void> {
  const headers = { 'if-match': '*' }
  await service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body: document })
}

describe('Enter in a field', { timeout: 240_000 }, () => {
  it('saves what is previewed, with the reason that is typed', async () => {
    const { service, page } = await opened()

    await page.goto('/config/edit/pipeline/app')
    await page.getByRole('textbox', { name: 'Label' }).fill(`v-\${COUNT}`)
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByText('Nothing is saved yet').waitFor()
    await page.getByLabel('Reason for the change').fill('Labels')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/config\/compare\//)

    expect(await documentOf(service)).toContain(LABELLED)
  })

  it('previews what is chosen at a conflict', async () => {
    const { service, page } = await opened()
    const before = await documentOf(service)
    const edited = before.replace('<pipeline name="app">', LABELLED)

    await page.goto('/config/edit')
    await page.locator('.cm-content').fill(edited)
    await put(service, before.replace('<pipeline name="app">', LABELLED.replace('v-', 'w-')))
    await page.getByRole('button', { name: 'Preview changes' }).click()
    await page.getByRole('radio').first().check()
    await page.keyboard.press('Enter')

    await page.getByText('Nothing is saved yet').waitFor()
    expect(await documentOf(service)).toContain('"w-')
  })

  it('comments on a line of a proposal, and merges nothing', async () => {
    const { service, page } = await opened()
    const document = (await documentOf(service)).replace('<pipeline name="app">', LABELLED)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'Label', document })
    await service.fetch('/api/proposals', { method: 'POST', headers, body })

    await page.goto('/proposals/1')
    await page.getByRole('textbox', { name: 'Comment' }).fill('Why?')
    await page.getByRole('spinbutton', { name: 'Line' }).fill('4')
    await page.keyboard.press('Enter')

    await page.getByText('Commented on proposal 1').waitFor()
    expect(await documentOf(service)).not.toContain(LABELLED)
  })

  it('pauses the pipelines whose pause has a reason, and triggers none', async () => {
    const { service, page } = await opened()

    await page.goto('/pipelines')
    await page.locator('.row-box').check()
    await page.getByLabel('Reason to pause the selected pipelines').fill('Freeze')
    await page.keyboard.press('Enter')

    await page.getByText('Paused 1 pipeline').or(page.getByText('Paused app')).waitFor()
    const status = await (await service.fetch('/api/pipelines/app/status')).text()
    expect(status).toContain('Freeze')
  })

  it('gives agents the resources that are typed, and enables none', async () => {
    const { service, page } = await opened()
    await service.fetch('/api/agents/a1/disable', { method: 'POST' })

    await page.goto('/agents')
    await page.locator('.row-box').check()
    await page.getByText('Resources and environments…').click()
    await page.getByRole('textbox', { name: /^Resources/ }).fill('docker')
    await page.keyboard.press('Enter')
    await page.getByText('Disabled').first().waitFor()

    const agents = await (await service.fetch('/api/agents')).text()
    expect(agents).toContain('"docker"')
    expect(agents).toContain('"Disabled"')
  })

  it('saves the rules with the reason that is typed', async () => {
    const { service, page } = await opened()

    await page.goto('/rules')
    const rules = 'version: 1\nrules: [{ name: look, effect: warn }]\n'
    await page.getByLabel('Rules as YAML').fill(rules)
    await page.getByRole('textbox', { name: 'Reason' }).fill('Look')
    await page.keyboard.press('Enter')
    await page.getByText('Saved the rules').waitFor()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Again')
    await page.getByLabel('Rules as YAML').fill(rules.replace('look', 'see'))
    await page.getByRole('textbox', { name: 'Reason' }).press('Enter')
    await page.getByText('Saved the rules').waitFor()

    expect(await (await service.fetch('/api/admin/rules.yaml')).text()).toContain('see')
  })
})
