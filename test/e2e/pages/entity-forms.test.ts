// @module-tag long
// @module-tag chromium

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useBrowser, visit } from '../../support/pages/browser.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const DOCUMENT = `<?xml version="1.0" encoding="utf-8"?>
<cruise schemaVersion="75">
  <pipelines group="shop">
    <authorization>
      <operate>
        <user>ana</user>
      </operate>
    </authorization>
    <pipeline name="web">
      <materials>
        <git url="https://example.org/web.git" />
      </materials>
      <stage name="build">
        <jobs>
          <job name="unit">
            <tasks>
              <exec command="make" />
            </tasks>
          </job>
        </jobs>
      </stage>
    </pipeline>
  </pipelines>
  <environments>
    <environment name="live" />
  </environments>
</cruise>
`

const chromium = useBrowser()

async function opened(path: string): Promise<{ service: TestService; page: Page }> {
  const service = await startService()
  await save(service, DOCUMENT)
  const page = await visit(chromium.browser, service.url)
  await page.goto(path)
  return { service, page }
}

/** The element with the focus, and the name that people read at it. */
const NAMED = `(() => {
  const { activeElement: it } = document
  return it.localName + ' ' + (it.labels?.[0] ?? it).innerText.trim()
})()`

/** Presses Tab until a link, button or field of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.keyboard.press('Tab')
        return page.evaluate<string>(NAMED)
      },
      { interval: 1, timeout: 20_000 },
    )
    .toBe(name)
}

async function enter(page: Page, address: string): Promise<void> {
  await page.keyboard.press('Enter')
  await page.waitForURL(address)
  await page.waitForLoadState('load')
}

/** Previews with Enter from a field, and saves with the last of the buttons. */
async function previewAndSave(page: Page): Promise<void> {
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Preview' }).waitFor()
  await tabTo(page, 'button Save')
  await enter(page, '**/config/compare/**')
  await page.getByText('Saved as r3.').waitFor()
}

function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.id')
}

async function currentOf(service: TestService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

describe('forms of entities, with the keyboard alone', () => {
  it('add a job to an existing pipeline', async () => {
    const { service, page } = await opened('/pipelines/web')

    await tabTo(page, 'summary More')
    await page.keyboard.press('Enter')
    await tabTo(page, 'a Add a job')
    await enter(page, '**/config/edit/pipeline/web?add=job')
    await expect.poll(() => focused(page)).toBe('f.stage.0.jobs.1.name')
    await page.keyboard.type('lint')
    await tabTo(page, 'input Program')
    await page.keyboard.type('lint')
    await previewAndSave(page)

    expect(await currentOf(service)).toContain(
      '          <job name="lint">\n            <tasks>\n              <exec command="lint" />',
    )
  })

  it('name each part, and what each button adds to it', async () => {
    const { page } = await opened('/config/edit/pipeline/web')
    const job = page.getByRole('group', { name: 'job unit', exact: true })

    await page.getByLabel('Kind of material').waitFor()
    await page.getByRole('button', { name: 'Add material', exact: true }).waitFor()
    await job.getByLabel('Kind of task').waitFor()
    await job.getByRole('button', { name: 'Add task', exact: true }).press('Enter')
    await job.getByRole('group', { name: 'command', exact: true }).waitFor()
    await job.getByRole('button', { name: 'Add resource' }).press('Enter')
    await expect.poll(() => focused(page)).toBe('f.stage.0.jobs.0.resources.0.text')
    await page.keyboard.type('linux')
    await job.getByRole('button', { name: 'Add resource' }).press('Enter')
    await job.getByRole('group', { name: 'resource linux', exact: true }).waitFor()
    await page.getByLabel('Program').first().fill('true')
    await page.getByRole('button', { name: 'Add stage' }).press('Enter')

    await job.getByRole('group', { name: 'command true', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Add', exact: true }).count()).toBe(0)
  })

  it('give a new person the right to operate a group', async () => {
    const { service, page } = await opened('/config/entity/group/shop')

    await page.keyboard.press('e')
    await page.waitForURL('**/config/edit/group/shop')
    await page.locator('[name="action"][value="add:authorization.operate:user"]').focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('f.authorization.operate.1.text')
    await page.keyboard.type('ben')
    await previewAndSave(page)

    expect(await currentOf(service)).toBe(
      DOCUMENT.replace(
        '        <user>ana</user>\n',
        '        <user>ana</user>\n        <user>ben</user>\n',
      ),
    )
  })

  it('add a variable to an environment', async () => {
    const { service, page } = await opened('/config/entity/environment/live')

    await page.keyboard.press('e')
    await page.waitForURL('**/config/edit/environment/live')
    await tabTo(page, 'button Add variable')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('f.environmentvariables.0.name')
    await page.keyboard.type('REGION')
    await page.keyboard.press('Tab')
    await page.keyboard.type('north')
    await previewAndSave(page)

    expect(await currentOf(service)).toMatch(/<variable name="REGION">\s*<value>north<\/value>/)
  })
})
