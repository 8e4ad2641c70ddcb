import { join } from 'node:path'
import { documentWith } from '../support/documents/documents.ts'
import { PostgresCluster } from '../support/programs/postgres-cluster.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'
import { type Places, shareFiles } from './shared-files.ts'

/** The number of concurrent savers. */
const AT_ONCE = 16
const CURRENT = '/api/admin/config.xml'

export const cases: readonly BenchCase[] = [
  {
    name: 'several servers: a save over PostgreSQL against one on one machine, by time',
    must: { atMost: 4, unit: 'times' },
    measure: compareSaves,
  },
  {
    name: 'several servers: a read on a follower against one machine, by CPU',
    must: { atMost: 1.5, unit: 'times' },
    measure: compareReads,
  },
]

/** One machine, and two servers of a database, the first of which leads. */
async function withBoth<T>(
  { folder }: BenchRun,
  measure: (one: MeasuredServer, two: readonly [MeasuredServer, MeasuredServer]) => Promise<T>,
): Promise<T> {
  const placesOf = (name: string): Places => ({
    repository: join(folder, name, 'config-repo'),
    state: join(folder, name, 'state'),
  })
  await using cluster = await PostgresCluster.start({ isSynced: true })
  const database = ['--state', cluster.freshSchema()]
  await using one = await MeasuredServer.cairn(placesOf('one'))
  await using first = await MeasuredServer.cairn(placesOf('first'), database)
  shareFiles(placesOf('first'), placesOf('second'))
  await using second = await MeasuredServer.cairn(placesOf('second'), database)
  return await measure(one, [first, second])
}

async function compareSaves(run: BenchRun) {
  const count = run.quick ? 20 : 300
  return withBoth(run, async (one, [first, second]) => {
    for (const server of [one, first, second])
      await timesOfSaves([server], { count: 10, atOnce: 1 })
    const alone = await timesOfSaves([one], { count, atOnce: 1 })
    const shared = await timesOfSaves([second], { count, atOnce: 1 })
    const crowdAlone = await timesOfSaves([one], { count, atOnce: AT_ONCE })
    const crowdShared = await timesOfSaves([first, second], { count, atOnce: AT_ONCE })
    return {
      value: median(shared.times) / median(alone.times),
      facts: {
        'one machine, ms': median(alone.times),
        'over PostgreSQL, ms': median(shared.times),
        'one machine, saves per second at 16': crowdAlone.perSecond,
        'two servers, saves per second at 16': crowdShared.perSecond,
      },
    }
  })
}

async function compareReads(run: BenchRun) {
  const paths = Array.from({ length: run.quick ? 200 : 4_000 }, () => CURRENT)
  return withBoth(run, async (one, [, second]) => {
    for (const server of [one, second]) await server.costOf(paths)
    const alone = await one.costOf(paths)
    const shared = await second.costOf(paths)
    return {
      value: shared / alone,
      facts: { 'one machine, ms': alone, 'follower, ms': shared },
    }
  })
}

let documents = 0

async function timesOfSaves(
  servers: readonly MeasuredServer[],
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
): Promise<{ readonly times: readonly number[]; readonly perSecond: number }> {
  const times: number[] = []
  let left = count
  const began = performance.now()
  const savers = Array.from({ length: atOnce }, async (_, saver) => {
    while (left > 0) {
      left -= 1
      documents += 1
      const before = performance.now()
      await servers[saver % servers.length]?.save(documentWith(`p${documents}`))
      times.push(performance.now() - before)
    }
  })
  await Promise.all(savers)
  return { times, perSecond: (count * 1_000) / (performance.now() - began) }
}
