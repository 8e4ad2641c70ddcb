import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCase, BenchRun } from './case.ts'
import { historyOf } from './histories.ts'
import { type Cost, median } from './measure.ts'
import type { RawClient } from './raw-client.ts'
import { MeasuredServer } from './servers.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const XML_TYPE = 'application/xml; charset=utf-8'
const GZIP = { 'accept-encoding': 'gzip' }

/** Rounds of requests to the one server and the other in turns; the first ones are not counted. */
const ROUNDS = 16
const WARMING = 3
/** Calls that read from the repository need more rounds until all code is compiled. */
const COLD_WARMING = 6
/** Servers on a short history and a long one each, in turns. */
const SERVERS = 9

/**
 * Revisions of a short history. Deltas form chains of 20: of a hundred snapshots that are spread over it,
 * each is in a chain of its own, as in a long history, and not in one that the warm-up has read.
 */
const SHORT = 2_000

/** The least speed of hot answers, by CPU: clarity beats the rest, which a user would not feel. */
const SHARE_OF_BARE = 0.55

interface Against {
  readonly path: (asked: { cairn: MeasuredServer; digests: readonly string[] }) => Promise<string>
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly times: number
}

const LIST_10: Against = {
  path: async () => '/api/config/revisions?limit=10',
  type: JSON_TYPE,
  headers: {},
  times: 5_000,
}
const LIST_ALL: Against = {
  path: async () => '/api/config/revisions',
  type: JSON_TYPE,
  headers: GZIP,
  times: 800,
}
const SNAPSHOT: Against = {
  path: async () => '/api/admin/config.xml',
  type: XML_TYPE,
  headers: {},
  times: 4_000,
}
const SNAPSHOT_BY_DIGEST: Against = {
  ...SNAPSHOT,
  path: async ({ digests }) => pathOfDigest(digests[digests.length >> 1] ?? ''),
}
const DIFF: Against = {
  path: async ({ cairn }) =>
    `/api/config/diff/${(await commitsOf(cairn, '?limit=2')).toReversed().join('/')}`,
  type: 'text/plain; charset=utf-8',
  headers: {},
  times: 5_000,
}

export const cases: readonly BenchCase[] = [
  hot('http: the newest 10 revisions', LIST_10),
  hot('http: all revisions, gzip', LIST_ALL),
  hot('http: the current snapshot', SNAPSHOT),
  hot('http: a snapshot by digest, hot', SNAPSHOT_BY_DIGEST),
  hot('http: a diff of neighbours, hot', DIFF),
  {
    name: 'http: a snapshot by digest, cold, from a packed history',
    must: { atMost: 1.6, unit: 'ms of CPU' },
    measure: coldSnapshots,
  },
  {
    name: 'http: a snapshot by digest from a long history against a short one',
    must: { atMost: 1.2, unit: 'times' },
    measure: async (run) => {
      const costs: { readonly short: Snapshots; readonly long: Snapshots }[] = []
      for (let n = 0; n < (run.quick ? 1 : SERVERS); n += 1) {
        const short = await hundredColdSnapshots(run, run.quick ? 200 : SHORT, n)
        const long = await hundredColdSnapshots(run, run.quick ? 2_000 : 100_000, n)
        costs.push({ short, long })
      }
      const [short, long] = [
        median(costs.map((cost) => cost.short.each)),
        median(costs.map((cost) => cost.long.each)),
      ]
      const first = median(costs.map((cost) => cost.long.first))
      return { value: long / short, facts: { short, long, 'first of long': first } }
    },
  },
  {
    name: 'http: a diff of neighbours, cold',
    must: { atMost: 4, unit: 'ms of CPU' },
    measure: (run) => coldDiffs(run, 1),
  },
  {
    name: 'http: a diff of revisions 5,000 apart, cold',
    must: { atMost: 12, unit: 'ms of CPU' },
    measure: (run) => coldDiffs(run, run.quick ? 100 : 5_000),
  },
  {
    name: 'http: start with a warm index, 100,000 revisions',
    must: { atMost: 1_500, unit: 'ms' },
    measure: warmStart,
  },
]

/** The cost of a hot answer on a bare server, as a share of its cost here. */
function hot(name: string, against: Against): BenchCase {
  return {
    name: `${name}, as a share of a bare server's speed`,
    must: { atLeast: SHARE_OF_BARE, unit: 'of bare' },
    measure: async (run) => {
      const { places, digests } = await historyOf(revisionsIn(run), 110_000)
      await using cairn = await MeasuredServer.cairn(places)
      await cairn.rest()
      const path = await against.path({ cairn, digests })
      const file = join(run.folder, 'bare-body')
      writeFileSync(file, await cairn.get(path))
      await using bare = await MeasuredServer.bare(file, against.type)
      return await compare({ cairn, bare, path, against, quick: run.quick })
    },
  }
}

/**
 * The cost of one request on either server at the same time, while it is busy throughout. The share
 * of bare in requests per second is the same where each has a processor to itself.
 */
async function compare(options: {
  cairn: MeasuredServer
  bare: MeasuredServer
  path: string
  against: Against
  quick: boolean
}) {
  const { path, against, quick } = options
  const times = quick ? 200 : against.times
  using ours = new Asked(options.cairn, path, against.headers)
  using bare = new Asked(options.bare, path, against.headers)
  for (let round = 0; round < (quick ? 1 : WARMING); round += 1) {
    for (const asked of [ours, bare]) await asked.ask(times)
  }
  const costs: { readonly ours: Cost; readonly bare: Cost }[] = []
  for (let round = 0; round < (quick ? 2 : ROUNDS); round += 1) {
    costs.push({ ours: await ours.ask(times), bare: await bare.ask(times) })
  }
  const medianOf = (amount: (cost: (typeof costs)[number]) => number) => median(costs.map(amount))
  return {
    value: medianOf((cost) => cost.bare.cpu / cost.ours.cpu),
    facts: {
      'us of CPU': 1_000 * medianOf((cost) => cost.ours.cpu),
      bare: 1_000 * medianOf((cost) => cost.bare.cpu),
      'of bare by the clock': medianOf((cost) => cost.bare.wall / cost.ours.wall),
    },
  }
}

/** A server that is asked for one thing. */
class Asked implements Disposable {
  readonly #server: MeasuredServer
  readonly #asker: RawClient

  constructor(server: MeasuredServer, path: string, headers: Against['headers']) {
    this.#server = server
    this.#asker = server.askerOf(path, headers)
  }

  /** The cost of one answer, in milliseconds. */
  async ask(times: number): Promise<Cost> {
    const [cpu, start] = [this.#server.cpu(), performance.now()]
    await this.#asker.ask(times)
    const wall = performance.now() - start
    return { cpu: (this.#server.cpu() - cpu) / times, wall: wall / times }
  }

  [Symbol.dispose](): void {
    this.#asker[Symbol.dispose]()
  }
}

/**
 * The cost of snapshots that were not requested before, on a server that has answered thousands of
 * others.
 */
async function coldSnapshots(run: BenchRun) {
  const { places, digests } = await historyOf(revisionsIn(run), 110_000)
  await using cairn = await MeasuredServer.cairn(places)
  const rounds = run.quick ? 4 : ROUNDS
  const costs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const asked = digests.filter((_, n) => n % rounds === round)
    costs.push(await cairn.costOf(asked.map(pathOfDigest)))
  }
  return { value: median(costs.slice(run.quick ? 1 : COLD_WARMING)) }
}

/** Milliseconds of CPU for a snapshot by digest. */
interface Snapshots {
  /** The first after a start, which puts all digests in order. */
  readonly first: number
  readonly each: number
}

/** The cost of a hundred snapshots on a server of their own. */
async function hundredColdSnapshots(
  run: BenchRun,
  revisions: number,
  n: number,
): Promise<Snapshots> {
  const { places, digests } = await historyOf(revisions, 20_000)
  await using cairn = await MeasuredServer.cairn(places)
  await cairn.costOf(await diffsToWarmUpWith(cairn, run))
  await cairn.rest()
  const [oldest = '', ...others] = digests.slice(n)
  const first = await cairn.costOf([pathOfDigest(oldest)])
  return { first, each: await cairn.costOf(spread(others, 100).map(pathOfDigest)) }
}

/** Diffs read documents as snapshots do, and there are enough of them in any history. */
async function diffsToWarmUpWith(cairn: MeasuredServer, { quick }: BenchRun): Promise<string[]> {
  const newest = await commitsOf(cairn, '?limit=60')
  const pairs = newest.flatMap((to, n) => newest.slice(n + 1).map((from) => [from, to]))
  return spread(pairs, quick ? 50 : 1_000).map((pair) => `/api/config/diff/${pair.join('/')}`)
}

async function commitsOf(cairn: MeasuredServer, query = ''): Promise<string[]> {
  const answer = await cairn.get(`/api/config/revisions${query}`)
  const list: { commitSHA: string }[] = JSON.parse(String(answer))
  return list.map(({ commitSHA }) => commitSHA)
}

async function coldDiffs(run: BenchRun, distance: number) {
  const { places } = await historyOf(revisionsIn(run), 110_000)
  await using cairn = await MeasuredServer.cairn(places)
  const commits = await commitsOf(cairn)
  const paths = commits
    .slice(0, commits.length - distance)
    .map((commit, n) => `/api/config/diff/${commits[n + distance]}/${commit}`)
  await cairn.costOf(spread(paths.toReversed(), 40))
  return { value: await cairn.costOf(spread(paths, run.quick ? 50 : 300)) }
}

async function warmStart(run: BenchRun) {
  const { places } = await historyOf(run.quick ? 2_000 : 100_000, 20_000)
  const times: number[] = []
  for (let n = 0; n < 4; n += 1) {
    await using cairn = await MeasuredServer.cairn(places)
    times.push(cairn.startTime)
  }
  return {
    value: median(times.slice(1)),
    facts: { 'first, with the index built': times[0] ?? NaN },
  }
}

function revisionsIn({ quick }: BenchRun): number {
  return quick ? 500 : 10_000
}

function pathOfDigest(digest: string): string {
  return `/api/admin/config/${digest}.xml`
}

/** Some of them, evenly over the whole. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, Math.floor(items.length / count))
  return items.filter((_, n) => n % step === 0).slice(0, count)
}
