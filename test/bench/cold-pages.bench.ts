import type { BenchCase, BenchRun } from './case.ts'
import { historyOf } from './histories.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

/** Starts of the service; the first one, which may have to build what others find, is not counted. */
const STARTS = 4
/** Comparisons while the service is still being compiled, which are not counted. */
const WARMING = 3
/** How often a page is asked for again. */
const AGAIN = 20

export const cases: readonly BenchCase[] = [
  {
    name: 'cold: the first bytes of a comparison of revisions 5,000 apart',
    must: { atMost: 300, unit: 'ms of CPU' },
    measure: async (run) => {
      const { places, digests } = await history(run)
      await using cairn = await MeasuredServer.cairn(places)
      await cairn.rest()
      const distance = digests.length / 2
      const costs: { readonly first: number; readonly whole: number }[] = []
      for (let n = 1; n <= WARMING + (run.quick ? 1 : 7); n += 1) {
        costs.push(await costInParts(cairn, `/config/compare/r${n}/r${n + distance}`))
        await cairn.rest()
      }
      const counted = costs.slice(WARMING)
      const whole = median(counted.map((cost) => cost.whole))
      return {
        value: median(counted.map(({ first }) => first)),
        facts: { 'the whole page': whole },
      }
    },
  },
  {
    name: 'cold: the page of the history, first after a start',
    must: { atMost: 100, unit: 'ms of CPU' },
    measure: async (run) => (await historyPages(run)).first,
  },
  {
    name: 'cold: the page of the history, again',
    must: { atMost: 30, unit: 'ms of CPU' },
    measure: async (run) => (await historyPages(run)).again,
  },
]

function history({ quick }: BenchRun) {
  return historyOf(quick ? 500 : 10_000, 110_000)
}

async function historyPages(run: BenchRun) {
  const { places } = await history(run)
  const costs: { readonly first: number; readonly again: number }[] = []
  for (let n = 0; n < STARTS; n += 1) {
    await using cairn = await MeasuredServer.cairn(places)
    await cairn.rest()
    const first = await cairn.costOfEach(['/config'], (path) => cairn.get(path))
    // Each is another page, so that none is answered from the cache of answers.
    const pages = Array.from({ length: AGAIN }, (_, page) => `/config?offset=${page + 1}`)
    costs.push({ first, again: await cairn.costOf(pages) })
  }
  const counted = costs.slice(1)
  return {
    first: { value: median(counted.map(({ first }) => first)) },
    again: { value: median(counted.map(({ again }) => again)) },
  }
}

/** CPU milliseconds of a server until the first bytes of a page, and until its end. */
async function costInParts(cairn: MeasuredServer, path: string) {
  const before = cairn.cpu()
  let first = Infinity
  await cairn.send(path, {}, () => {
    first = Math.min(first, cairn.cpu() - before)
  })
  return { first, whole: cairn.cpu() - before }
}
