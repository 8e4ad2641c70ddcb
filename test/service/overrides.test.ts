import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { WebhookBody } from '../../src/wire/revision-events.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { git, gitLine } from '../support/git/git.ts'
import { rule, saveByOverride, TWO_ADMINISTRATORS } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { WebhookReceiver } from '../support/service/webhook-receiver.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

const CHANGED = TWO_ADMINISTRATORS.replace('m1.git', 'x.git')
const ROOT = { as: 'root:p' }

async function overridesIn(service: CalledService): Promise<readonly string[]> {
  const { problems } = HealthBody.parse(await (await service.fetch('/health')).json())
  return problems.map(({ subject }) => subject).filter((subject) => subject.includes('override'))
}

async function entriesOf(service: CalledService) {
  const answer = await service.fetch('/api/audit?action=override')
  return AuditBody.parse(await answer.json()).entries
}

function acknowledge(service: CalledService, commit: string, init: { as?: string } = {}) {
  const path = `/api/config/revisions/${commit}/acknowledge-override`
  return service.fetch(path, { method: 'POST', ...init })
}

describe('an override of a rule', () => {
  it('is in the audit log, and in the health until another administrator acknowledges it', async () => {
    const folder = tempDir()
    const service = await rule(await openService([], folder))
    expect((await saveByOverride(service, CHANGED)).status).toBe(200)
    const commit = gitLine(service.repository, 'rev-parse', 'HEAD')

    await expect
      .poll(() => overridesIn(service))
      .toEqual([expect.stringContaining('root overrode the rule two-eyes')])
    expect(await entriesOf(service)).toMatchObject([
      { user: 'root', outcome: 'done', target: `two-eyes in ${commit}` },
    ])
    const own = await acknowledge(service, commit, ROOT)
    const absent = await acknowledge(service, gitLine(service.repository, 'rev-parse', 'HEAD~1'))
    expect([own.status, absent.status]).toEqual([403, 404])
    expect(await own.text()).toContain('another administrator has to acknowledge it')
    await service.close()

    const again = await openService([], folder)
    expect(await overridesIn(again)).toHaveLength(1)
    expect((await acknowledge(again, commit)).status).toBe(200)
    expect(await overridesIn(again)).toEqual([])
    await again.close()

    const last = await openService([], folder)
    await save(last, CHANGED.replace('o1.git', 'y.git'))
    expect(await overridesIn(last)).toEqual([])
    expect(await entriesOf(last)).toHaveLength(1)
  })

  it('is acknowledged on the page of problems', async () => {
    const service = await rule(await openService())
    await saveByOverride(service, CHANGED)
    const commit = gitLine(service.repository, 'rev-parse', 'HEAD')
    const problems = async () => (await service.fetch('/problems')).text()
    const action = `/config/${commit}/acknowledge-override`

    await expect.poll(problems).toContain(`action="${action}"`)
    const shown = await problems()
    const [, number = ''] = /root overrode the rule two-eyes in (r\d+)\./.exec(shown) ?? []
    const headers = { 'sec-fetch-site': 'same-origin' }
    const own = await service.fetch(action, { method: 'POST', headers, ...ROOT })
    const said = await own.text()
    const done = await service.fetch(action, { method: 'POST', headers })

    expect(own.status).toBe(403)
    expect(said).toContain('<h1>Problems')
    expect(said).toContain('another administrator has to acknowledge it')
    expect(done.status).toBe(303)
    expect(shown).toContain(`<a href="/config/${number}">${number}</a>`)
    expect(await (await service.fetch(`/config/${number}`)).text()).toContain(commit)
    const page = await (await service.fetch(done.headers.get('location') ?? '')).text()
    expect(page).toContain(`Acknowledged the override of ${number}.`)
    expect(page).not.toContain(action)
  })

  it('is a call of its own to each webhook, behind that of its revision', async () => {
    const receiver = await WebhookReceiver.open()
    const folder = tempDir()
    mkdirSync(join(folder, 'state'))
    receiver.writeFile(join(folder, 'state', 'webhooks.json'))
    const service = await rule(await openService([], folder))
    await saveByOverride(service, CHANGED)
    const commit = gitLine(service.repository, 'rev-parse', 'HEAD')

    const calls = () => receiver.calls.map(({ text }) => WebhookBody.parse(JSON.parse(text)))
    await expect.poll(() => calls().at(-1)?.event).toBe('override')
    expect(calls().slice(-2)).toMatchObject([
      { event: 'revision', revision: { commitSHA: commit } },
      {
        event: 'override',
        revision: { commitSHA: commit },
        overrides: [{ by: 'root', rule: 'two-eyes' }],
      },
    ])
  })

  it('is none where somebody else has written its trailer into a commit', async () => {
    const service = await rule(await openService(['--poll-interval', '50ms']))
    const { repository } = service
    const message = git(repository, 'log', '-1', '--format=%B')
    const forged = `${message.trimEnd()}\nOverridden-by: admin two-eyes\n`
    git(repository, 'commit', '--allow-empty', '-m', forged)
    await saveByOverride(service, CHANGED)

    await expect.poll(() => overridesIn(service)).toHaveLength(1)
    expect(await overridesIn(service)).toEqual([expect.stringContaining('root overrode')])
  })
})
