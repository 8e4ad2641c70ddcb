import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { git } from '../support/git/git.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { Crowd, KEY, makeAgentsRepository, membersOf } from './crowd.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

/** From one contact of an agent to its next one, in milliseconds. */
const CONTACT_INTERVAL_MS = 5_000

export const cases: readonly BenchCase[] = [
  {
    name: 'agents: contacts of 10,000, every 5 s',
    must: { atMost: 0.5, unit: 'cores' },
    measure: contacts,
  },
  {
    name: 'agents: 1,000 enable themselves while an administrator saves',
    must: { atMost: 10, unit: 's' },
    measure: enrolment,
  },
  {
    name: 'agents: list of 10,000 against one of 10, for each agent',
    must: { atMost: 1, unit: 'times' },
    measure: async (run) => {
      const few = await costOfList(run, 10)
      const many = await costOfList(run, countIn(run))
      const facts = { 'ms of CPU': many, 'ms of CPU, 10': few }
      return { value: many / countIn(run) / (few / 10), facts }
    },
  },
  {
    name: 'agents: list of 10,000 while they call',
    must: { atMost: 50, unit: 'ms of CPU' },
    measure: async (run) => {
      await using crowd = await Crowd.gather(run.folder, countIn(run))
      const costs: number[] = []
      for (let n = 0; n < 20; n += 1) {
        await crowd.contact(50)
        costs.push(await crowd.server.costOf(['/api/agents']))
      }
      return { value: costs.reduce((sum, cost) => sum + cost, 0) / costs.length }
    },
  },
  {
    name: 'agents: list of 10,000 of whom none has anything new to say',
    must: { atMost: 10, unit: 'ms of CPU' },
    measure: (run) => costOf(run, '/api/agents', 40),
  },
  {
    name: 'agents: whether a server of 10,000 is ready',
    must: { atMost: 0.5, unit: 'ms of CPU' },
    measure: (run) => costOf(run, '/health/ready', 400),
  },
  {
    name: 'agents: one of 10,000 is enabled, with all that follows it',
    must: { atMost: 100, unit: 'ms of CPU' },
    measure: costOfDecisions,
  },
]

/** For a minute, so that each agent's contact time is written once, too. */
async function contacts(run: BenchRun) {
  await using crowd = await Crowd.gather(run.folder, countIn(run))
  const { server } = crowd
  const rounds = run.quick ? 1 : 12
  const begin = performance.now()
  const before = server.cpu()
  for (let round = 0; round < rounds; round += 1) {
    await crowd.contact(crowd.size)
    await wait(Math.max(0, (round + 1) * CONTACT_INTERVAL_MS - (performance.now() - begin)))
  }
  const cpu = server.cpu() - before
  const wall = performance.now() - begin
  return {
    value: cpu / (rounds * CONTACT_INTERVAL_MS),
    facts: { 'ms of CPU a contact': cpu / (rounds * crowd.size), 'wall, s': wall / 1000 },
  }
}

/** Until the last agent is enabled; the administrator saves again and again meanwhile. */
async function enrolment({ quick, folder }: BenchRun) {
  const count = quick ? 100 : 1_000
  const repository = join(folder, 'enrolment')
  makeAgentsRepository(repository, 1)
  const key = ['--auto-register-key', KEY]
  const places = { repository, state: join(folder, 'enrolment-state') }
  await using server = await MeasuredServer.cairn(places, key)
  const crowd = new Crowd(server, membersOf(count))
  const done = new AbortController()
  const begin = performance.now()
  const saved = saveUntil(server, done.signal)
  await crowd.register(KEY)
  const wall = performance.now() - begin
  done.abort()
  const saves = await saved
  const commits = Number(git(repository, 'rev-list', '--count', 'HEAD'))
  const facts = { commits, saves: saves.length, 'slowest save, ms': Math.max(...saves) }
  return { value: wall / 1000, facts }
}

/** How long each save took, in milliseconds. */
async function saveUntil(server: MeasuredServer, done: AbortSignal): Promise<number[]> {
  const times: number[] = []
  while (!done.aborted) {
    const document = String(await server.get('/api/admin/config.xml'))
    const md5 = createHash('md5').update(document).digest('hex')
    const body = document.replace(/<server[^>]*>/, `<server jobTimeout="${times.length + 1}">`)
    const begin = performance.now()
    await server.send('/api/admin/config.xml', {
      method: 'PUT',
      headers: { 'if-match': `"${md5}"` },
      body,
    })
    times.push(performance.now() - begin)
  }
  return times
}

async function costOfList(run: BenchRun, count: number): Promise<number> {
  await using crowd = await Crowd.gather(run.folder, count)
  const times = Math.ceil(20_000 / count)
  const costs: number[] = []
  for (let round = 0; round < 5; round += 1) {
    costs.push(await crowd.server.costOf(Array.from({ length: times }, () => '/api/agents')))
  }
  return median(costs.slice(1))
}

/**
 * CPU milliseconds per request for a path, among this number of requests; the median of several
 * rounds.
 */
async function costOf(run: BenchRun, path: string, times: number) {
  await using crowd = await Crowd.gather(run.folder, countIn(run))
  await crowd.server.rest()
  const paths = Array.from({ length: times }, () => path)
  const costs: number[] = []
  for (let round = 0; round < 6; round += 1) costs.push(await crowd.server.costOf(paths))
  return { value: median(costs.slice(1)) }
}

/** Agents that were disabled are enabled, one after the other; the first ones warm up. */
async function costOfDecisions(run: BenchRun) {
  await using crowd = await Crowd.gather(run.folder, countIn(run))
  const { server } = crowd
  const costs: Record<string, number[]> = { disable: [], enable: [], delete: [] }
  for (const [what, begin] of [
    ['disable', 0],
    ['enable', 0],
    ['disable', 10],
    ['delete', 10],
  ] as const) {
    for (const uuid of crowd.uuids().slice(begin, begin + 10)) {
      const before = server.cpu()
      await server.send(`/api/agents/${uuid}/${what}`, { method: 'POST' })
      await server.rest()
      costs[what]?.push(server.cpu() - before)
    }
  }
  const [disabled, enabled, deleted] = [costs['disable'], costs['enable'], costs['delete']].map(
    (each) => median(each ?? []),
  )
  const facts = { 'disabled, ms': disabled ?? NaN, 'deleted, ms': deleted ?? NaN }
  return { value: enabled ?? NaN, facts }
}

function countIn({ quick }: BenchRun): number {
  return quick ? 500 : 10_000
}
