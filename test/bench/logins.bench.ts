import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BenchCase, BenchRun } from './case.ts'
import { documentWith } from '../support/documents/documents.ts'
import { historyOf } from './histories.ts'
import { median } from './measure.ts'
import type { RawClient } from './raw-client.ts'
import { MeasuredServer } from './servers.ts'
import { MadeTokenBody } from '../../src/wire/identity-bodies.ts'

const FLOOD = fileURLToPath(new URL('./flood.ts', import.meta.url))
const SECOND_MS = 1_000
/** One process that sends has less time than the server that answers. */
const SENDERS = 2

export const cases: readonly BenchCase[] = [
  {
    name: 'logins: saves while 1,000 wrong logins a second come, against calm ones',
    must: { atMost: 2, unit: 'times' },
    measure: (run) => savesInAFlood(run, 'logins'),
  },
  {
    name: 'logins: saves while 1,000 registrations a second come, against calm ones',
    must: { atMost: 2, unit: 'times' },
    measure: (run) => savesInAFlood(run, 'registrations'),
  },
  {
    name: 'logins: a short answer to a token, against the same to a password, by CPU',
    must: { atMost: 1.2, unit: 'times' },
    measure: tokenAgainstPassword,
  },
]

/** The cost of one answer either way, measured alternately. */
async function tokenAgainstPassword({ quick }: BenchRun) {
  const { places } = await historyOf(100, 20_000)
  await using server = await MeasuredServer.cairn(places)
  const body = JSON.stringify({ name: 'bench', scope: 'read' })
  const headers = { 'content-length': String(body.length) }
  const made = await server.send('/api/tokens', { method: 'POST', headers, body })
  const { token } = MadeTokenBody.parse(JSON.parse(String(made)))
  using byPassword = server.askerOf('/api/agents')
  using byToken = server.askerOf('/api/agents', { authorization: `Bearer ${token}` })
  await server.rest()
  const cost = async (asker: RawClient) => {
    const before = server.cpu()
    await asker.ask(quick ? 200 : 5_000)
    return server.cpu() - before
  }
  for (const asker of [byPassword, byToken, byPassword, byToken]) await cost(asker)
  const ratios: number[] = []
  for (let round = 0; round < (quick ? 1 : 9); round += 1) {
    const password = await cost(byPassword)
    ratios.push((await cost(byToken)) / password)
  }
  return { value: median(ratios) }
}

type Flood = 'logins' | 'registrations'

/** Calm saves and those in a flood in turns, so that what else the machine does meets both. */
async function savesInAFlood({ quick }: BenchRun, kind: Flood) {
  const { places } = await historyOf(100, 20_000)
  await using server = await MeasuredServer.cairn(places, ['--trusted-proxies', '127.0.0.1'])
  const saves = new Saves(server, quick ? 3 : 20)
  await saves.median()
  await server.rest()
  const rounds: { readonly calm: number; readonly flooded: number; readonly answered: number }[] =
    []
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    const calm = await saves.median()
    const flood = await beginFlood(server.url, kind)
    const flooded = await saves.median()
    rounds.push({ calm, flooded, answered: await flood.end() })
  }
  const [calm, flooded] = [
    median(rounds.map((round) => round.calm)),
    median(rounds.map((round) => round.flooded)),
  ]
  const answered = median(rounds.map((round) => round.answered))
  return {
    value: flooded / calm,
    facts: { 'calm, ms': calm, 'flooded, ms': flooded, 'answered a second': answered },
  }
}

class Saves {
  readonly #server: MeasuredServer
  readonly #count: number
  #saved = 0

  constructor(server: MeasuredServer, count: number) {
    this.#server = server
    this.#count = count
  }

  /** The milliseconds that some saves, one after the other, take. */
  async median(): Promise<number> {
    const times: number[] = []
    for (let n = 0; n < this.#count; n += 1) {
      const pipelines = documentWith(`saved-${(this.#saved += 1)}`)
      const document = pipelines.replaceAll('.git" />', '.git" autoUpdate="false" />')
      const start = performance.now()
      await this.#server.save(document)
      times.push(performance.now() - start)
    }
    return median(times)
  }
}

async function beginFlood(url: string, kind: Flood) {
  const senders = await Promise.all(
    Array.from({ length: SENDERS }, (_, n) => beginSender(url, kind, n)),
  )
  const end = async () => {
    const answered = await Promise.all(senders.map((sender) => sender.end()))
    return answered.reduce((sum, each) => sum + each, 0)
  }
  return { end }
}

async function beginSender(url: string, kind: Flood, n: number) {
  const args = ['--import', 'tsx', FLOOD, url, String(SECOND_MS / SENDERS), kind, String(n)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const end = async () => {
    child.kill('SIGTERM')
    const [line] = await once(child.stdout, 'data')
    await once(child, 'close')
    return Number(/answered (\d+)/.exec(String(line))?.[1] ?? 0)
  }
  return { end }
}
