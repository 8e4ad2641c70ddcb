import { cpSync, readFileSync } from 'node:fs'
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
]

/**
 * The CPU time of reading `/config` after a save, in milliseconds, and how long the first read
 * takes.
 */
async function costOfLooks({ quick, folder }: BenchRun, revisions: number) {
  const { places } = await historyOf(revisions, DOCUMENT_SIZE)
  const [repository, state] = [
    join(folder, `ours-${revisions}`),
    join(folder, `state-${revisions}`),
  ]
  cpSync(places.repository, repository, { recursive: true })
  cpSync(places.state, state, { recursive: true })
  await using server = await MeasuredServer.cairn({ repository, state })
  await server.rest()
  const begin = performance.now()
  await server.get('/config')
  const first = performance.now() - begin
  const document = readFileSync(join(repository, 'config.xml'), 'utf8')
  const costs: number[] = []
  for (let n = 0; n < (quick ? 2 : WARMING + LOOKS); n += 1) {
    await server.save(document.replace(/<git url="[^"]*"/, `<git url="https://example.org/${n}"`))
    await server.rest()
    costs.push(await server.costOf(['/config']))
  }
  return { first, cost: median(costs.slice(quick ? 0 : WARMING)) }
}
