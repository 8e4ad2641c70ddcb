// @module-tag long
// @module-tag chromium

import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { element, exec } from '../../support/documents/a-configuration.ts'
import { keepPicture, useBrowser, visit } from '../../support/pages/browser.ts'
import { BuildScene } from '../../support/builds/build-service.ts'
import { ProtocolAgent } from '../../support/agents/protocol-agent.ts'
import { endEachAlone } from '../../support/programs/at-end.ts'
import { RealBuilds } from '../../support/builds/real-builds.ts'

/** A machine may be busy with other tests. */
const SLOW = { timeout: 180_000 }
const WITHIN = { timeout: 60_000 }

const MANUAL = element('approval', { type: 'manual' })

const chromium = useBrowser()
endEachAlone()

/** A job that says something hostile in colours, waits to be let go on, and makes files. */
function script(folder: string): string {
  return [
    String.raw`printf '\033[32mgreen\033[0m <script>alert(1)</script>\n'`,
    'echo started',
    `while [ ! -e ${folder}/go ]; do sleep 0.2; done`,
    'mkdir -p reports/unit; echo "<b>ok</b>" > reports/unit/index.html; echo went on',
  ].join('; ')
}

async function building(): Promise<RealBuilds> {
  const real = await RealBuilds.open()
  const artifacts = [element('artifact', { src: 'reports' })]
  const slow = { name: 'unit', tasks: [exec('sh', '-c', script(real.folder))], artifacts }
  const quick = { name: 'lint', tasks: [exec('sh', '-c', 'echo fine')] }
  const broken = { name: 'style', tasks: [exec('sh', '-c', 'echo bad style; exit 1')] }
  await real.scene.configure({
    groups: [
      {
        group: 'shop',
        pipelines: [
          {
            name: 'app',
            stages: [
              { name: 'build', approval: MANUAL, jobs: [slow] },
              { name: 'ship', approval: MANUAL },
            ],
          },
          { name: 'checks', stages: [{ name: 'check', approval: MANUAL, jobs: [quick, broken] }] },
        ],
      },
    ],
  })
  return real
}

function click(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('button', { name }).click()
}

/** Waits until the page says it by itself. */
function says(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor(WITHIN)
}

describe.concurrent('a build in a browser', SLOW, () => {
  it('is triggered, watched live, cancelled, run again and followed to its end', async ({
    expect,
  }) => {
    const real = await building()
    const page = await visit(chromium.browser, real.scene.service.url)
    real.agent('one')

    await page.goto('/pipelines')
    await click(page, 'Trigger app')
    await says(page, 'Run 1 of app started.')
    await page.getByRole('link', { name: /build (Building|Scheduled)/ }).click()
    await page.getByRole('link', { name: 'unit' }).click()
    await page.locator('.console li', { hasText: / started\s*$/ }).waitFor(WITHIN)
    const green = page.locator('.console b.c2')
    await expect.poll(() => green.textContent()).toBe('green')
    await expect.poll(() => page.locator('.console script').count()).toBe(0)
    await keepPicture(page, 'job-live')

    await page.getByRole('link', { name: 'Cancel the run…' }).click()
    await keepPicture(page, 'stage-cancel')
    await click(page, 'Cancel the run')
    await says(page, 'Run 1 cancelled.')
    await click(page, 'Rerun stage')
    await says(page, 'Run 1 (attempt 2)')
    await page.getByRole('link', { name: 'unit' }).click()
    await page.locator('.console li', { hasText: / started\s*$/ }).waitFor(WITHIN)
    real.proceed()
    await page.locator('.console li', { hasText: / went on\s*$/ }).waitFor(WITHIN)
    await page.locator('[data-part=outcome] .status.good').waitFor(WITHIN)
    await page.getByRole('link', { name: 'index.html' }).waitFor(WITHIN)
    await keepPicture(page, 'job-light')

    await page.getByRole('link', { name: /^build/ }).click()
    await click(page, 'Run stage ship')
    await says(page, 'app / ship')
    await expect.poll(async () => (await real.scene.stage('1/2')).result).toBe('Passed')
  })
})

function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, n) => `10:00:00.000 line ${from + n}\n`).join('')
}

/** A job on an agent that has said this, and a visitor. */
async function said(text: string) {
  const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
  await scene.schedule()
  const agent = await ProtocolAgent.join(scene.service, 'a1')
  const job = await agent.work()
  await agent.append(job.jobId, 0, text)
  const page = await visit(chromium.browser, scene.service.url)
  return { agent, job, page }
}

/** Waits for the update of the page that shows this run. */
function shows(page: Page, run: string): Promise<void> {
  return page.locator('[data-part]', { hasText: run }).first().waitFor(WITHIN)
}

function focusedElement(page: Page): Promise<unknown> {
  return page.evaluate(`(({ tagName, textContent, ariaLabel }) =>
    [tagName, ariaLabel ?? textContent.trim()].join(' '))(document.activeElement)`)
}

describe.concurrent('the question before a cancellation', SLOW, () => {
  it('is in view on a phone and has the focus, without scripts too', async ({ expect }) => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    await scene.schedule()
    for (const hasScripts of [true, false]) {
      const page = await visit(chromium.browser, scene.service.url, { isPhone: true, hasScripts })
      await page.goto('/stages/app/build/1/1')
      await page.getByRole('link', { name: 'Cancel the run…' }).click()

      const question = page.getByRole('group', { name: 'Cancel this run?' })
      await expect.poll(() => question.evaluate((each) => each.matches(':focus'))).toBe(true)
      const isInView = `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector('.confirm').getBoundingClientRect())`
      await expect.poll(() => page.evaluate(isInView)).toBe(true)
    }
  })
})

describe.concurrent('the keyboard focus on a page that updates itself', SLOW, () => {
  it('stays on the button of the same run', async ({ expect }) => {
    const stages = [
      { name: 'build', jobs: [{ name: 'unit', tasks: [exec('true')] }] },
      { name: 'publish', approval: MANUAL },
    ]
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    for (const _ of ['1', '2']) {
      await scene.schedule()
      await agent.finish(await agent.work(), 'Passed')
    }
    const page = await visit(chromium.browser, scene.service.url)
    await page.goto('/pipelines/app')
    await page.locator('#run-1').getByRole('button', { name: 'Run stage publish' }).focus()

    await scene.schedule()
    await shows(page, 'Run 3')

    await expect
      .poll(() => page.evaluate(`document.activeElement.closest('.run')?.id`))
      .toBe('run-1')
    await page.keyboard.press('Enter')
    await says(page, 'Run 1 of app, stage publish, started')
  })

  it('stays on the controls of the same pipeline', async ({ expect }) => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }, { name: 'lib' }] })
    const page = await visit(chromium.browser, scene.service.url)
    await page.goto('/pipelines')

    await page.getByRole('button', { name: 'Trigger lib' }).focus()
    await scene.schedule()
    await shows(page, 'Run 1')
    await expect.poll(() => focusedElement(page)).toBe('BUTTON Trigger lib')
    await page.locator('#more-lib > summary').focus()
    await scene.schedule()
    await shows(page, 'Run 2')
    await expect.poll(() => focusedElement(page)).toBe('SUMMARY More for lib')
  })

  it('stays on the current step of a removal', async ({ expect }) => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }] })
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await agent.contact({ jobId: null })
    const page = await visit(chromium.browser, scene.service.url)
    const hasFocus = (text: string) => page.locator(':focus', { hasText: text }).waitFor(WITHIN)
    await page.goto(`/agents/${agent.uuid}/remove`)

    await page.getByRole('button', { name: 'Disable it now' }).press('Enter')
    await hasFocus('Now: Stop the agent service now')
    await agent.contact({ jobId: null, stopping: true })
    await hasFocus('Now: Delete the record')
    await page.getByRole('button', { name: 'Delete the record' }).press('Enter')
    await hasFocus('It has not registered again.')
    await agent.register(null)
    await hasFocus('It has come back')

    await expect.poll(() => page.locator(':focus').getAttribute('role')).toBe('status')
  })

  it('goes nowhere else when its control is gone', async ({ expect }) => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app' }, { name: 'lib' }] })
    const page = await visit(chromium.browser, scene.service.url)
    await page.goto('/pipelines')
    await page.getByRole('button', { name: 'Trigger lib' }).focus()

    await scene.post('/api/pipelines/lib/pause')

    await says(page, 'Paused by admin')
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('BODY')
  })
})

describe.concurrent('the console of a job in a browser', SLOW, () => {
  const isAtEnd = 'innerHeight + scrollY >= document.body.scrollHeight - 4'

  it('follows the end until it is scrolled up, and goes there at once when told to again', async ({
    expect,
  }) => {
    const first = lines(0, 200)
    const { agent, job, page } = await said(first)
    await page.goto('/stages/app/build/1/1/unit')
    await expect.poll(() => page.evaluate(isAtEnd)).toBe(true)

    const more = lines(200, 400)
    await agent.append(job.jobId, first.length, more)
    await page.getByText('line 399').waitFor(WITHIN)
    await expect.poll(() => page.evaluate(isAtEnd)).toBe(true)
    await page.mouse.wheel(0, -3_000)
    await expect.poll(() => page.getByLabel('Follow the end').isChecked()).toBe(false)
    const before = await page.evaluate('scrollY')
    await agent.append(job.jobId, first.length + more.length, lines(400, 500))
    await page.getByText('line 499').waitFor(WITHIN)
    await expect.poll(() => page.evaluate('scrollY')).toBe(before)

    await page.evaluate(`document.querySelector('.follow').click()`)
    await expect.poll(() => page.evaluate(isAtEnd)).toBe(true)
  })

  it('keeps the name and the status of its job in sight, wherever it is read', async ({
    expect,
  }) => {
    const { page, agent, job } = await said(lines(0, 400))
    await agent.finish(job, 'Failed')

    await page.goto('/stages/app/build/1/1/unit')
    await page.evaluate('scrollTo(0, 3_000)')

    const head = page.locator('.console-head')
    await expect.poll(async () => (await head.boundingBox())?.y).toBe(0)
    await expect.poll(() => head.innerText()).toMatch(/Console of \S+.*Failed/s)
  })

  it('begins at the failure when the job has failed', async ({ expect }) => {
    const end = '10:00:00.000 [cairn] The task ended with exit code 3\n'
    const { agent, job, page } = await said(`${lines(0, 300)}${end}${lines(300, 400)}`)
    await agent.finish(job, 'Failed')

    await page.goto('/stages/app/build/1/1/unit')

    const isShown = `(({ top }) => top > 0 && top < innerHeight)(document.querySelector('#failure').getBoundingClientRect())`
    await expect.poll(() => page.evaluate(isShown)).toBe(true)
  })
})

describe.concurrent('an agent in a browser', SLOW, () => {
  it('is removed safely: disabled, stopped within the time that is counted down, deleted', async ({
    expect,
  }) => {
    const real = await building()
    const agent = real.agent('one')
    const page = await visit(chromium.browser, real.scene.service.url)
    await page.goto('/agents')
    await page.locator('.agents .status.good').waitFor(WITHIN)

    await page.getByLabel('Select one').check()
    await expect
      .poll(() => page.locator('.obstacles').textContent())
      .toContain('one cannot be deleted')
    await keepPicture(page, 'agents-chosen')
    await click(page, 'Remove safely…')
    await click(page, 'Disable it now')
    await says(page, /: [1-5] s left/)
    await keepPicture(page, 'agents-remove')
    agent.process.kill('SIGTERM')
    await agent.ended()
    await says(page, 'It has ended or lost contact.')
    await click(page, 'Delete the record')

    await says(page, 'one is removed')
    await page.goto('/agents')
    await says(page, 'No agents yet')
  })

  it('is reached in the list by keys, like a pipeline', async ({ expect }) => {
    const { service } = await BuildScene.open({ pipelines: [{ name: 'app' }, { name: 'lib' }] })
    for (const uuid of ['a1', 'a2']) await ProtocolAgent.join(service, uuid)
    const page = await visit(chromium.browser, service.url)
    const focused = () => page.evaluate(`document.activeElement.textContent.trim()`)
    const visited: unknown[] = []

    for (const path of ['/pipelines', '/agents']) {
      await page.goto(path)
      for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
      visited.push(await focused())
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname !== path)
      visited.push(await page.locator('h1').textContent())
    }
    await page.goto('/agents')
    await page.keyboard.press('f')
    await page.keyboard.type('a2')

    expect(visited).toEqual(['app', 'app', 'host-a1', 'host-a1'])
    await expect.poll(() => page.locator('main .filter-text').inputValue()).toBe('a2')
  })

  it('is enabled and disabled without scripts, and its removal taken back', async ({ expect }) => {
    const real = await building()
    real.agent('one')
    const page = await visit(chromium.browser, real.scene.service.url, { hasScripts: false })
    const isThere = async () => {
      await page.goto('/agents?q=status:idle')
      return page.getByLabel('Select one').isVisible()
    }
    await expect.poll(isThere, WITHIN).toBe(true)

    await page.getByLabel('Select one').check()
    await click(page, 'Disable')
    await expect.poll(() => page.locator('.outcomes').textContent()).toContain('one is disabled.')
    await page.getByRole('link', { name: 'one' }).first().click()
    await click(page, 'Enable')
    await says(page, 'one is enabled.')
    await page.getByRole('link', { name: 'Remove safely…' }).click()
    await click(page, 'Disable it now')
    await page.getByRole('link', { name: 'Refresh' }).click()
    await click(page, 'Cancel, enable again')

    await expect.poll(() => page.locator('.facts .status').first().textContent()).toBe('Idle')
  })
})
