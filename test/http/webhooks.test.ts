import { createHmac } from 'node:crypto'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { WebhookBody } from '../../src/wire/revision-events.ts'
import { z } from 'zod'
import { HealthBody } from '../../src/wire/health-body.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { until } from '../support/programs/until.ts'
import { HOOK_SECRET, WebhookReceiver } from '../support/service/webhook-receiver.ts'

const POLL = ['--poll-interval', '50ms']

/** A folder whose service has a receiver. */
async function hookedFolder(more: object = {}) {
  const receiver = await WebhookReceiver.open()
  const folder = tempDir()
  mkdirSync(join(folder, 'state'))
  receiver.writeFile(join(folder, 'state', 'webhooks.json'), more)
  return { receiver, folder }
}

async function hookedService(more: object = {}, flags: readonly string[] = []) {
  const { receiver, folder } = await hookedFolder(more)
  return { receiver, service: await startService(flags, folder) }
}

async function saveAll(service: TestService, ...names: readonly string[]): Promise<void> {
  for (const name of names) expect((await save(service, documentWith(name))).status).toBe(200)
}

/** The commits after the first one, oldest first. */
async function commitsOf(service: TestService): Promise<string[]> {
  const response = await service.fetch('/api/config/revisions')
  const entries = z.array(RevisionEntry).parse(await response.json())
  const commits = entries.map(({ commitSHA }) => commitSHA)
  return commits.toReversed().slice(1)
}

async function health(service: TestService): Promise<HealthBody> {
  return HealthBody.parse(await (await service.fetch('/health')).json())
}

describe('webhooks', () => {
  it('get every revision in order, signed', async () => {
    const { receiver, service } = await hookedService()

    await saveAll(service, 'a', 'b', 'c')

    const commits = await commitsOf(service)
    await expect.poll(() => receiver.taken()).toEqual(commits)
    const bodies = receiver.calls.map(({ text }) => WebhookBody.parse(JSON.parse(text)))
    expect(bodies.map(({ previousCommitSHA }) => previousCommitSHA).slice(1)).toEqual(
      commits.slice(0, -1),
    )
    expect(bodies[0]).toMatchObject({ event: 'revision', webhook: 'mirror' })
    for (const { text, signature } of receiver.calls) {
      const [, seconds = '', code] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
      const right = createHmac('sha256', HOOK_SECRET).update(`${seconds}.${text}`).digest('hex')
      expect(code).toBe(right)
      expect(Math.abs(Number(seconds) - Date.now() / 1_000)).toBeLessThan(60)
    }
  })

  it('get again what they did not take, before anything else', { tags: ['long'] }, async () => {
    const { receiver, service } = await hookedService({ timeoutSeconds: 0.3 })
    receiver.behaviours.push('fail', 'hang', 'redirect')

    await saveAll(service, 'a', 'b')

    const commits = await commitsOf(service)
    await expect.poll(() => receiver.taken()).toEqual(commits)
    const asked = receiver.calls.map(({ text }) => WebhookBody.parse(JSON.parse(text)).revision)
    expect(asked.map(({ commitSHA }) => commitSHA)).toEqual([
      ...Array.from({ length: 4 }, () => commits[0]),
      commits[1],
    ])
  })

  it('that are absent are seen in the health, without address and secret, until they are back', async () => {
    const { receiver, service } = await hookedService()
    await receiver.stop()

    await saveAll(service, 'a', 'b')
    await until(async () => (await health(service)).status === 'degraded')

    const down = await health(service)
    const lastError = 'it could not be reached: nothing listens at its address'
    expect(down.webhooks).toEqual([{ name: 'mirror', behind: 2, deliveredAt: null, lastError }])
    expect(down.problems[0]?.subject).toBe(`The webhook mirror takes no deliveries: ${lastError}`)
    expect(JSON.stringify([down, service.logged])).not.toMatch(/hidden-in-address|a secret of/)
    await receiver.start()
    await expect
      .poll(async () => health(service))
      .toMatchObject({ status: 'ok', webhooks: [{ behind: 0, lastError: null }] })
    expect(receiver.taken()).toEqual(await commitsOf(service))
  })

  it('get after a restart what they missed, and nothing from before they were named', async () => {
    const { receiver, folder } = await hookedFolder()
    const unhooked = await startService(['--webhooks-file', join(folder, 'none.json')], folder)
    await saveAll(unhooked, 'before')
    await unhooked.close()
    const first = await startService([], folder)
    await saveAll(first, 'a')
    await until(() => receiver.taken().length === 1)
    await receiver.stop()
    await saveAll(first, 'b', 'c')
    await first.close()
    await receiver.start()

    const second = await startService([], folder)

    await saveAll(second, 'd')
    const commits = (await commitsOf(second)).slice(1)
    await expect.poll(() => receiver.taken()).toEqual(commits)
  })

  it('do not keep a service from ending while they hang', async () => {
    const { receiver, service } = await hookedService({ timeoutSeconds: 60 })
    receiver.behaviours.push('hang')
    await saveAll(service, 'a')
    await until(() => receiver.calls.length === 1)

    const began = performance.now()
    await service.close()

    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('hear of a reset, and of what comes after it', async () => {
    const { receiver, service } = await hookedService({}, POLL)
    await saveAll(service, 'a', 'b')
    await until(() => receiver.taken().length === 2)

    git(service.repository, 'reset', '--quiet', '--hard', 'HEAD~1')
    await until(() => receiver.taken().length === 3)
    await saveAll(service, 'c')
    await until(() => receiver.taken().length === 4)

    const bodies = receiver.calls.map(({ text }) => WebhookBody.parse(JSON.parse(text)))
    expect(bodies.map(({ event }) => event)).toEqual([
      'revision',
      'revision',
      'rewritten',
      'revision',
    ])
    const [a, c] = await commitsOf(service)
    expect(bodies.slice(2).map(({ revision }) => revision.commitSHA)).toEqual([a, c])
  })
})

describe('a webhooks file', () => {
  it('is made readable for its owner alone', async () => {
    const { service } = await hookedService()

    const file = join(service.folder, 'state', 'webhooks.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['{"webhooks": [{"name": "a", "secret": "very-secret-value"', 'it is not JSON'],
    ['{"webhooks": [{"name": "a", "url": "ftp://x", "secret": "very-secret-value"}]}', 'url'],
    ['{"webhooks": [{"name": "a", "url": "http://x", "secret": "short"}]}', '16 characters'],
  ])('that cannot be used keeps the service from starting: %s', async (text, reason) => {
    const folder = tempDir()
    mkdirSync(join(folder, 'state'))
    writeFileSync(join(folder, 'state', 'webhooks.json'), text)

    const refusal = await startService([], folder).catch((error: unknown) => String(error))

    expect(refusal).toContain(reason)
    expect(refusal).not.toContain('very-secret-value')
  })
})
