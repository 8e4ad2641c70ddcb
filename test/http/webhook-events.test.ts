import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DeliveryBody } from '../../src/wire/service-bodies.ts'
import { DatabaseSync } from '../../src/storage/sqlite-engine.ts'
import { EventBody } from '../../src/wire/revision-events.ts'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { BuildScene, jsonOf } from '../support/builds/build-service.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { element } from '../support/documents/a-configuration.ts'
import { documentWith } from '../support/documents/documents.ts'
import { pageOf, sendForm } from '../support/pages/page-forms.ts'
import { PostgresCluster } from '../support/programs/postgres-cluster.ts'
import { atEnd, shared } from '../support/programs/at-end.ts'
import { folderBeside, openOver } from '../support/service/database-server.ts'
import { until } from '../support/programs/until.ts'
import { ask, proposeLabel } from '../support/proposals/proposing.ts'
import { save } from '../support/service/saving.ts'
import { secure } from '../support/service/secured-service.ts'
import { type CalledService, startService } from '../support/service/service.ts'
import { HOOK_SECRET, WebhookReceiver } from '../support/service/webhook-receiver.ts'

const MANUAL = [{ name: 'build', approval: element('approval', { type: 'manual' }) }]

/** A receiver of some events, and the flag that names it. */
async function receiverOf(events: readonly string[], more: object = {}) {
  const receiver = await WebhookReceiver.open()
  const file = join(tempDir(), 'webhooks.json')
  receiver.writeFile(file, { events, ...more })
  return { receiver, flags: ['--webhooks-file', file] }
}

function eventsOf({ calls }: WebhookReceiver): EventBody[] {
  const taken = calls.filter(({ behaviour }) => behaviour === 'take')
  return taken.map(({ text }) => EventBody.parse(JSON.parse(text)))
}

function namesOf(receiver: WebhookReceiver): string[] {
  return eventsOf(receiver).map(({ event }) => event)
}

async function runOnce(scene: BuildScene, agent: ProtocolAgent, result: 'Passed' | 'Failed') {
  await scene.schedule()
  await agent.finish(await agent.work(), result)
}

async function propose(service: Pick<CalledService, 'fetch'>, title: string): Promise<number> {
  const body = JSON.stringify({ title, document: documentWith(title) })
  const headers = { 'content-type': 'application/json' }
  const answer = await service.fetch('/api/proposals', { method: 'POST', headers, body })
  return z.object({ number: z.int() }).parse(await answer.json()).number
}

/** Damages what is stored of what was told of a proposal, so that whatever reads it fails. */
function damageToldEvents(folder: string, number: number): void {
  const state = new DatabaseSync(join(folder, 'state', 'state.sqlite'))
  state.exec(`UPDATE document SET json = '{}' WHERE kind = 'told-proposal' AND key = '${number}'`)
  state.close()
}

async function deliveriesOf(service: Pick<CalledService, 'fetch'>): Promise<DeliveryBody[]> {
  const answer = await service.fetch('/api/webhooks/mirror/deliveries')
  return z.array(DeliveryBody).parse(await answer.json())
}

describe('webhooks about runs', () => {
  it('tell how each run of a stage ended beside the one before it, in order', async () => {
    const { receiver, flags } = await receiverOf(['run.*'])
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', stages: MANUAL }] }, flags)
    const agent = await ProtocolAgent.join(scene.service, 'a1')

    for (const result of ['Failed', 'Failed', 'Passed', 'Passed', 'Failed'] as const)
      await runOnce(scene, agent, result)
    await scene.schedule()
    await scene.post('/api/stages/app/build/cancel')

    const wanted = ['failed', 'failed', 'fixed', 'passed', 'broken', 'cancelled']
    await expect.poll(() => namesOf(receiver)).toEqual(wanted.map((each) => `run.${each}`))
    expect(eventsOf(receiver)[4]).toMatchObject({
      event: 'run.broken',
      webhook: 'mirror',
      data: {
        pipeline: 'app',
        pipelineCounter: 5,
        label: '5',
        stage: 'build',
        stageCounter: 1,
        approvedBy: 'admin',
        configuration: { digest: expect.any(String) },
      },
    })
    expect(eventsOf(receiver)[5]?.data).toMatchObject({ cancelledBy: 'admin' })
  })

  it('are signed as Standard Webhooks ask, beside the header of our own', async () => {
    const key = Buffer.from('a key of thirty-two random bytes')
    const secret = `whsec_${key.toString('base64')}`
    const { receiver, flags } = await receiverOf(['*'], { secret })
    const service = await startService(flags)
    await save(service, documentWith('a'))
    await until(() => receiver.calls.length === 1)

    const [call] = receiver.calls
    if (call === undefined) throw new Error('it was not called')
    const { headers, text, signature } = call
    const [id, time] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])]
    const code = createHmac('sha256', key).update(`${id}.${time}.${text}`).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${code}`)
    expect(id).toMatch(/^revision-[0-9a-f]{40}$/)
    expect(signature).toContain(`t=${time},v1=`)
  })

  it('arrive after a restart where a receiver was away, and reach nobody who did not ask', async () => {
    const { receiver, flags } = await receiverOf(['run.passed', 'run.failed'])
    const configured = { pipelines: [{ name: 'app', stages: MANUAL }] }
    const scene = await BuildScene.open(configured, flags)
    const agent = await ProtocolAgent.join(scene.service, 'a1')
    await runOnce(scene, agent, 'Passed')
    await until(() => receiver.calls.length === 1)
    await receiver.stop()
    await runOnce(scene, agent, 'Failed')
    await runOnce(scene, agent, 'Failed')
    await receiver.start()

    await scene.restart(flags)

    await expect.poll(() => namesOf(receiver)).toEqual(['run.passed', 'run.failed'])
    const [passed, failed] = eventsOf(receiver)
    expect([passed?.data['pipelineCounter'], failed?.data['pipelineCounter']]).toEqual([1, 3])
  })
})

describe('webhooks of several servers', { tags: ['postgresql', 'long'] }, () => {
  const cluster = shared(async () => {
    const started = await PostgresCluster.start()
    atEnd(() => started[Symbol.asyncDispose]())
    return started
  })

  it('are called by the leader, and go on with the next one where it ended', async () => {
    const { receiver, flags } = await receiverOf(['proposal.opened'])
    const database = cluster().freshSchema()
    const leader = await openOver(database, tempDir(), { flags })
    const follower = await openOver(database, folderBeside(leader), { flags })
    const first = await propose(follower, 'one')
    await until(() => receiver.calls.length === 1)
    await receiver.stop()
    const second = await propose(follower, 'two')
    await leader.close()
    await receiver.start()

    const numbers = () => eventsOf(receiver).map(({ data }) => data['number'])
    await expect.poll(numbers, { timeout: 30_000 }).toEqual([first, second])
  })
})

describe('webhooks about agents', () => {
  it('tell of an agent that has lost contact, once', { tags: ['long'] }, async () => {
    const { receiver, flags } = await receiverOf(['agent.lost'])
    const skew = { ms: 0 }
    const clock = () => Date.now() + skew.ms
    const scene = await BuildScene.open({}, flags, clock)
    await ProtocolAgent.join(scene.service, 'a1')

    skew.ms = 301_000

    await expect
      .poll(() => eventsOf(receiver))
      .toMatchObject([{ event: 'agent.lost', data: { uuid: 'a1', hostname: expect.any(String) } }])
  })
})

describe('webhooks about proposals', () => {
  it('tell what happens to them', async () => {
    const { receiver, flags } = await receiverOf(['proposal.*'])
    const service = await startService(flags)
    await secure(service)

    const number = await proposeLabel(service, 'viewer', 'good')
    await ask(service, 'viewer', `/${number}/comment`, { text: 'Please' })
    await ask(service, 'owner', `/${number}/approve`, { version: 1, text: 'Fine' })
    await ask(service, 'viewer', `/${number}/merge`, {})

    await expect
      .poll(() => namesOf(receiver))
      .toEqual(['opened', 'commented', 'approved', 'merged'].map((each) => `proposal.${each}`))
    expect(eventsOf(receiver)[1]?.data).toEqual({
      number,
      title: 'Label good',
      author: 'viewer',
      by: 'viewer',
      text: 'Please',
    })
  })

  it('look at no proposal but the one that has changed, however many there are', async () => {
    const { receiver, flags } = await receiverOf(['proposal.*'])
    const service = await startService(flags)
    await secure(service)
    const [one, other] = [
      await proposeLabel(service, 'viewer', 'good'),
      await proposeLabel(service, 'viewer', 'better'),
    ]
    await expect.poll(() => namesOf(receiver)).toHaveLength(2)
    damageToldEvents(service.folder, other)

    await ask(service, 'viewer', `/${one}/comment`, { text: 'Please' })

    await expect.poll(() => namesOf(receiver).at(-1)).toBe('proposal.commented')
  })
})

describe('deliveries of a webhook', () => {
  it('are listed with their answers, and sent again with the same id', async () => {
    const { receiver, flags } = await receiverOf(['revision'])
    receiver.behaviours.push('fail')
    const service = await startService(flags)
    await save(service, documentWith('a'))
    await expect
      .poll(() => deliveriesOf(service))
      .toMatchObject([
        { number: 1, event: 'revision', attempts: 2, status: 204, problem: null, sentBy: null },
      ])

    const sent = await service.fetch('/api/webhooks/mirror/deliveries/1/send', { method: 'POST' })
    receiver.behaviours.push('fail')
    const form = await sendForm(service, '/webhooks', { webhook: 'mirror', number: '1' })

    expect(DeliveryBody.parse(await jsonOf(sent))).toMatchObject({ number: 2, sentBy: 'admin' })
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(receiver.calls.map(({ text }) => text)).size).toBe(1)
    expect(await deliveriesOf(service)).toMatchObject([
      { number: 3, status: 500, problem: 'it answered 500' },
      { number: 2, status: 204 },
      { number: 1 },
    ])
    const page = await pageOf(service, form.headers.get('location') ?? '')
    expect(page).toContain('The webhook did not accept the delivery. mirror: it answered 500.')
    expect(page).toContain('sent again by admin')
    expect(page).toContain('aria-label="Send again delivery 3 to mirror"')
    expect(page).not.toContain('hidden-in-address')
    expect(page).not.toContain(HOOK_SECRET)
    const unknown = '/api/webhooks/other/deliveries'
    expect((await service.fetch(unknown)).status).toBe(404)
    expect(
      (await service.fetch('/api/webhooks/mirror/deliveries/9/send', { method: 'POST' })).status,
    ).toBe(404)
  })

  it('need an event that there is', async () => {
    const folder = tempDir()
    mkdirSync(join(folder, 'state'))
    const webhook = { name: 'a', url: 'http://x', secret: HOOK_SECRET, events: ['run.exploded'] }
    writeFileSync(join(folder, 'state', 'webhooks.json'), JSON.stringify({ webhooks: [webhook] }))

    const refusal = await startService([], folder).catch((error: unknown) => String(error))

    expect(refusal).toContain(
      'webhooks.0.events.0 is not an event: these are revision, override, run.*',
    )
  })
})
