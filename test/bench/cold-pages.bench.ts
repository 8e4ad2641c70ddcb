import { git, gitBytes } from '../support/git/git.ts'
import type { BenchCase, BenchRun, Measured } from './case.ts'
import { historyOf } from './histories.ts'
import { longestTurnIn, TURN_LIMIT } from './longest-turn.ts'
import { costOf, median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

/** Starts of the service; the first one, which may have to build what others find, is not counted. */
const STARTS = 4
/** Comparisons while the service is still being compiled, which are not counted. */
const WARMING = 3
/** How often a page is asked for again. */
const AGAIN = 20

/** Reads in one round, and the rounds of ours and of git in turns; the first is not counted. */
const READS = 100
const ROUNDS = 5

export const cases: readonly BenchCase[] = [
  {
    name: 'cold: a snapshot of 110 KB by digest against git cat-file --batch',
    must: { atMost: 1.3, unit: 'times git' },
    measure: (run) =>
      againstGit(run, {
        ours: (cairn, places) =>
          cairn.costOfEach(places, ({ digest }) => cairn.get(`/api/admin/config/${digest}.xml`), 1),
        git: (repository, places) => {
          const input = places.map(({ commit }) => `${commit}:config.xml\n`).join('')
          gitBytes(repository, ['cat-file', '--batch', '--buffer'], { input })
        },
      }),
  },
  {
    name: 'cold: a diff of two far revisions of 110 KB against git diff',
    must: { atMost: 1, unit: 'times git' },
    measure: (run) =>
      againstGit(run, {
        ours: (cairn, places) =>
          cairn.costOfEach(
            places,
            ({ commit, far }) => cairn.get(`/api/config/diff/${commit}/${far}`),
            1,
          ),
        git: (repository, places) => {
          for (const { commit, far } of places) gitBytes(repository, ['diff', commit, far])
        },
      }),
  },
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
  {
    name: 'cold: longest turn of the main thread in reads, comparisons and pages of the history',
    must: TURN_LIMIT,
    measure: async (run) => {
      const { places, digests } = await history(run)
      await using cairn = await MeasuredServer.sampled(places)
      await cairn.rest()
      await readAll(cairn, digests, 0)
      return await longestTurnIn(cairn, () => readAll(cairn, digests, 1))
    },
  },
]

/** Reads what nobody has asked for in another round. */
async function readAll(cairn: MeasuredServer, digests: readonly string[], round: number) {
  const distance = digests.length / 2
  for (let n = 1; n <= AGAIN; n += 1) {
    const revision = round * AGAIN + n
    await cairn.get(`/api/admin/config/${digests[distance + revision]}.xml`)
    await cairn.get(`/config/compare/r${revision}/r${revision + distance}`)
    await cairn.get(`/config?offset=${revision}`)
  }
}

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

/** A revision, and one that is half of the history away. */
interface ColdPlace {
  readonly digest: string
  readonly commit: string
  readonly far: string
}

interface ColdRead {
  /** CPU milliseconds of the server for one of them. */
  readonly ours: (cairn: MeasuredServer, places: readonly ColdPlace[]) => Promise<number>
  readonly git: (repository: string, places: readonly ColdPlace[]) => void
}

/** CPU of revisions from all over the history that nobody has asked for before, in turns with git. */
async function againstGit(run: BenchRun, { ours, git: theirs }: ColdRead): Promise<Measured> {
  const { places, digests } = await history(run)
  const commits = git(places.repository, 'log', '--reverse', '--format=%H').split('\n')
  const placeOf = (n: number): ColdPlace => {
    const at = Math.floor(((n * 0.618) % 1) * digests.length)
    const far = (at + digests.length / 2) % digests.length
    return { digest: digests[at] ?? '', commit: commits[at] ?? '', far: commits[far] ?? '' }
  }
  await using cairn = await MeasuredServer.cairn(places)
  await cairn.rest()
  const reads = run.quick ? 5 : READS
  const costs: { readonly mine: number; readonly others: number }[] = []
  for (let round = 0; round <= (run.quick ? 1 : ROUNDS); round += 1) {
    const read = Array.from({ length: reads }, (_, n) => placeOf(round * reads + n + 1))
    const mine = await ours(cairn, read)
    const { cpu } = await costOf(() => theirs(places.repository, read), 1)
    costs.push({ mine, others: cpu / reads })
  }
  const counted = costs.slice(1)
  const [mine, others] = [
    median(counted.map((cost) => cost.mine)),
    median(counted.map((cost) => cost.others)),
  ]
  return { value: mine / others, facts: { 'ms of CPU': mine, 'git, ms': others } }
}
