import { setTimeout as wait } from 'node:timers/promises'
import type { SerialQueue } from '../../../src/lib/serial-queue.ts'
import { MessageBody } from '../../../src/wire/action-bodies.ts'
import { StartedBody } from '../../../src/wire/stage-body.ts'
import { KEY, ProtocolAgent } from '../agents/protocol-agent.ts'
import type { Decision } from './ledger.ts'
import { BUILT } from './soak-document.ts'
import type { SoakedServer } from './soaked-server.ts'

let newcomers = 0

/** Starts and cancels runs, and decides about agents. */
export function operateUntilGone(
  server: SoakedServer,
  uuids: readonly string[],
  turns: SerialQueue,
): Promise<void>[] {
  return [
    ...BUILT.map((pipeline) => server.untilGone(() => trigger(server, pipeline))),
    server.untilGone(() => cancel(server)),
    server.untilGone(() => decide(server, uuids, turns)),
    server.untilGone(() => comeAndGo(server, turns)),
  ]
}

async function trigger(server: SoakedServer, pipeline: string): Promise<void> {
  const path = `/api/pipelines/${pipeline}/schedule`
  const response = await server.call(path, [202, 409], { method: 'POST' })
  if (response.status === 202) {
    const run = StartedBody.parse(await response.json())
    const { pipeline_name, pipeline_counter, stage_name, stage_counter } = run
    server.ledger.started(`${pipeline_name}/${pipeline_counter}/${stage_name}/${stage_counter}`)
  }
  await wait(200 + Math.random() * 400)
}

async function cancel(server: SoakedServer): Promise<void> {
  await wait(500 + Math.random() * 1_000)
  const path = '/api/stages/beta/build/cancel'
  const response = await server.call(path, [200, 404], { method: 'POST' })
  const { message } = MessageBody.parse(await response.json())
  if (message.endsWith('is cancelled')) server.ledger.count('stages cancelled')
}

async function decide(
  server: SoakedServer,
  uuids: readonly string[],
  turns: SerialQueue,
): Promise<void> {
  const { decisions } = server.ledger
  const known = uuids.filter((uuid) => (decisions.get(uuid)?.acknowledged ?? 'absent') !== 'absent')
  for (const uuid of known) {
    await turns.run(() => ask(server, uuid, 'disabled'))
    await wait(Math.random() * 300)
    await turns.run(() => ask(server, uuid, 'enabled'))
  }
  await wait(200)
}

/** An agent that is there for a moment: it registers itself and is deleted. */
async function comeAndGo(server: SoakedServer, turns: SerialQueue): Promise<void> {
  newcomers += 1
  const { ledger } = server
  const uuid = `newcomer-${newcomers}`
  const agent = new ProtocolAgent(server, uuid)
  await turns.run(async () => {
    ledger.asked(uuid, 'enabled')
    await agent.register({ key: KEY, resources: [], environments: [] })
    ledger.decided(uuid, 'enabled')
  })
  await wait(Math.random() * 300)
  await turns.run(() => ask(server, uuid, 'disabled'))
  await turns.run(() => ask(server, uuid, 'absent'))
  await wait(Math.random() * 300)
}

const ACTIONS = { enabled: 'enable', disabled: 'disable', absent: 'delete' } as const

async function ask(server: SoakedServer, uuid: string, decision: Decision): Promise<void> {
  server.ledger.asked(uuid, decision)
  const path = `/api/agents/${uuid}/${ACTIONS[decision]}`
  const response = await server.call(path, [200], { method: 'POST' })
  if (response.status === 200) server.ledger.decided(uuid, decision)
}
