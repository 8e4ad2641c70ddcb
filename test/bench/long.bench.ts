import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCase, BenchRun } from './case.ts'
import { historyOf } from './histories.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

const [LONG, SHORT] = [100_000, 1_000]
const DOCUMENT_SIZE = 4_000
/** The first looks, while the service is still being compiled, are not counted. */
const [WARMING, LOOKS] = [10, 20]

export const cases: readonly BenchCase[] = [
  {
    name: 'long: the page of the history after each save, 100,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: async (run) => {
      const short = await costOfLooks(run, SHORT)
      const long = await costOfLooks(run, run.quick ? SHORT * 2 : LONG)
      const facts = {
        'ms of CPU': long.cost,
        'ms, short': short.cost,
        'first look, ms': long.first,
      }
      return { value: long.cost / short.cost, facts }
    },
  },
  {
    name: 'long: the page of a user at the first look, 100,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => firstLooks(run, (user) => `/config?user=user${user}`),
  },
  {
    name: 'long: the newest revisions of a user, 100,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => firstLooks(run, (user) => `/api/config/revisions?user=user${user}&limit=10`),
  },
]

/** The authors of a made history, and those whose looks are not counted. */
const [USERS, WARMING_USERS] = [12, 4]

/** Each user is looked at once, in turns on both histories. */
async function firstLooks(run: BenchRun, addressOf: (user: number) => string) {
  await using short = await serverOf(run, SHORT)
  await using long = await serverOf(run, run.quick ? SHORT * 2 : LONG)
  const costs: { readonly short: number; readonly long: number }[] = []
  for (let user = 0; user < USERS; user += 1) {
    const paths = [addressOf(user)]
    costs.push({ short: await short.costOf(paths), long: await long.costOf(paths) })
  }
  const counted = costs.slice(WARMING_USERS)
  const [before, cost] = [
    median(counted.map((each) => each.short)),
    median(counted.map((each) => each.long)),
  ]
  return { value: cost / before, facts: { 'ms of CPU': cost, 'ms, short': before } }
}

/**
 * The CPU time of reading `/config` after a save, in milliseconds, and how long the first read
 * takes.
 */
async function costOfLooks(run: BenchRun, revisions: number) {
  const { quick } = run
  await using server = await serverOf(run, revisions)
  const begin = performance.now()
  await server.get('/config')
  const first = performance.now() - begin
  const document = (await server.get('/api/admin/config.xml')).toString()
  const costs: number[] = []
  for (let n = 0; n < (quick ? 2 : WARMING + LOOKS); n += 1) {
    await server.save(document.replace(/<git url="[^"]*"/, `<git url="https://example.org/${n}"`))
    await server.rest()
    costs.push(await server.costOf(['/config']))
  }
  return { first, cost: median(costs.slice(quick ? 0 : WARMING)) }
}

/** A server at rest on a copy of such a history. */
async function serverOf({ folder }: BenchRun, revisions: number): Promise<MeasuredServer> {
  const { places } = await historyOf(revisions, DOCUMENT_SIZE)
  const [repository, state] = [
    join(folder, `ours-${revisions}`),
    join(folder, `state-${revisions}`),
  ]
  cpSync(places.repository, repository, { recursive: true })
  cpSync(places.state, state, { recursive: true })
  const server = await MeasuredServer.cairn({ repository, state })
  await server.rest()
  return server
}
