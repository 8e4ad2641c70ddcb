import { cpSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../support/git/git.ts'
import type { BenchCase, BenchRun, Measured } from './case.ts'
import { toldHistoryOf } from './histories.ts'
import { readIndexAnew } from './index-anew.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

interface Size {
  readonly revisions: number
  /** Of each document, in bytes. */
  readonly document: number
}

const MILLION: Size = { revisions: 1_000_000, document: 20_000 }
const LARGE: Size = { revisions: 200_000, document: 110_000 }
/** The revisions of a short history. */
const SHORT = 1_000
/** The pipelines of a document of 20 KB. */
const PIPELINES = 57
/** How often something is called; the first calls, while the service is still being compiled, are not counted. */
const OFTEN = { warming: 20, calls: 40 }
const SELDOM = { warming: 2, calls: 5 }
/** Below this many milliseconds of CPU, two costs are not told apart. */
const MIN_COST_MS = 0.5

export const cases: readonly BenchCase[] = [
  {
    name: 'million: memory upon 1,000,000 revisions at rest',
    must: { atMost: 250, unit: 'MB' },
    measure: async (run) => {
      const { memory, start } = await measureStart(run)
      return { value: memory, facts: { 'start, ms': start } }
    },
  },
  {
    name: 'million: start upon 1,000,000 revisions',
    must: { atMost: 2_000, unit: 'ms' },
    measure: async (run) => ({ value: (await measureStart(run)).start }),
  },
  {
    name: 'million: reading the index of 1,000,000 revisions anew',
    must: { atMost: 1.5, unit: 'times git log' },
    measure: async ({ quick }) => {
      const { places } = await toldHistoryOf(quick ? SHORT : MILLION.revisions, MILLION.document)
      return readIndexAnew(places, quick ? 1 : 3)
    },
  },
  {
    name: 'million: calls about 1,000,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { calls: READS }),
  },
  {
    name: 'million: a save and a plan of one upon 1,000,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { calls: { plan, save } }),
  },
  {
    name: 'million: disk for each of 1,000,000 revisions beyond the pack of git gc',
    must: { atMost: 1_024, unit: 'bytes' },
    measure: diskBeyondGit,
  },
  {
    name: 'million: a rare text in 1,000,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { calls: { text }, times: SELDOM }),
  },
  {
    name: 'million: the page of a pipeline with 17,500 changes against 17',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { calls: { page } }),
  },
  {
    name: 'million: who changed each line, of 1,000,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { calls: { blame } }),
  },
  {
    name: 'million: calls about 200,000 revisions of 110 KB against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { of: LARGE, calls: { ...READS, blame } }),
  },
  {
    name: 'million: a save and a plan of one upon 200,000 revisions of 110 KB against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { of: LARGE, calls: { plan, save } }),
  },
]

/** A server, digests and commits of its revisions, and the number of the call. */
interface Asked {
  readonly server: MeasuredServer
  readonly digests: readonly string[]
  readonly commits: readonly string[]
  readonly n: number
}

type Calls = Readonly<Record<string, (asked: Asked) => Promise<unknown>>>

const READS: Calls = {
  list: ({ server, n }) => server.get(`/api/config/revisions?offset=${n * 7}&limit=10`),
  snapshot: ({ server, digests, n }) => server.get(`/api/admin/config/${some(digests, n)}.xml`),
  diff: ({ server, commits, n }) =>
    server.get(`/api/config/diff/${some(commits, n + 1)}/${some(commits, n)}`),
  watch: ({ server, commits, n }) =>
    server.get(`/api/config/watch?since=${commits[n + 1] ?? ''}&wait=0`),
}

async function plan({ server, n }: Asked): Promise<void> {
  const body = await changedDocument(server, `planned-${n}`)
  await server.send('/api/config/plan', { method: 'POST', body })
}

function text({ server, n }: Asked): Promise<unknown> {
  return server.get(`/api/config/revisions?text=change-${n + 300}.git`)
}

function page({ server, n }: Asked): Promise<unknown> {
  const pipeline = String(n % PIPELINES).padStart(5, '0')
  const offset = Math.floor(n / PIPELINES)
  return server.get(`/config/entity/pipeline/pipeline-${pipeline}?offset=${offset}`)
}

function blame({ server, digests, n }: Asked): Promise<unknown> {
  return server.get(`/config/${spread(digests, n)}?blame=1`)
}

let saves = 0
async function save({ server }: Asked): Promise<void> {
  saves += 1
  await server.save(await changedDocument(server, `saved-${saves}`))
}

async function changedDocument(server: MeasuredServer, name: string): Promise<string> {
  const document = (await server.get('/api/admin/config.xml')).toString()
  return document.replace(/<git url="[^"]*"/, `<git url="https://example.org/${name}"`)
}

function some(names: readonly string[], n: number): string {
  return names[(n * 7) % names.length] ?? ''
}

/** Names from the whole of a history, in no order. */
function spread(names: readonly string[], n: number): string {
  return names[Math.floor(((n * 0.618) % 1) * names.length)] ?? ''
}

/** The disk space of a service at rest, with its state, beside that of the same history in git. */
async function diskBeyondGit(run: BenchRun): Promise<Measured> {
  const size = run.quick ? { ...MILLION, revisions: SHORT } : MILLION
  const places = await copyOf(run, size, 'weighed')
  const peer = join(run.folder, 'gc')
  git(run.folder, 'clone', '--quiet', '--bare', '--no-local', places.repository, peer)
  git(peer, 'gc', '--quiet')
  {
    await using server = await MeasuredServer.cairn(places)
    await server.rest()
  }
  const ours = bytesIn(places.repository) + bytesIn(places.state)
  const theirs = bytesIn(peer)
  const facts = { 'ours, MB': ours / 1e6, 'git gc, MB': theirs / 1e6 }
  return { value: (ours - theirs) / size.revisions, facts }
}

function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

let started: Promise<{ memory: number; start: number }> | null = null

/** Measured once, for the rows about it: a second start, whose index is there. */
function measureStart(run: BenchRun): Promise<{ memory: number; start: number }> {
  started ??= (async () => {
    const size = run.quick ? { ...MILLION, revisions: SHORT } : MILLION
    const places = await copyOf(run, size, 'started')
    {
      await using first = await MeasuredServer.cairn(places)
      await first.rest()
    }
    await using server = await MeasuredServer.cairn(places)
    await server.rest()
    return { memory: server.memory(), start: server.startTime }
  })()
  return started
}

interface Growth {
  /** The long history; the short one has documents of the same size. */
  readonly of?: Size
  readonly calls: Calls
  readonly times?: typeof OFTEN
}

/** The call that grows most, by its CPU. Both histories are asked in turns. */
async function growthOf(
  run: BenchRun,
  { of: size = MILLION, calls, times = OFTEN }: Growth,
): Promise<Measured> {
  const { warming, calls: counted } = run.quick ? { warming: 0, calls: 2 } : times
  await using short = await AskedHistory.open(run, { ...size, revisions: SHORT })
  await using long = await AskedHistory.open(
    run,
    run.quick ? { ...size, revisions: SHORT * 2 } : size,
  )
  const facts: Record<string, number> = {}
  const growths: number[] = []
  for (const [name, call] of Object.entries(calls)) {
    const all: { before: number; cost: number }[] = []
    for (let n = 0; n < warming + counted; n += 1) {
      all.push({ before: await short.costOf(call, n), cost: await long.costOf(call, n) })
    }
    const before = median(all.slice(warming).map((each) => each.before))
    const cost = median(all.slice(warming).map((each) => each.cost))
    Object.assign(facts, { [`${name}, ms`]: cost, [`${name} of 1,000, ms`]: before })
    growths.push(cost / Math.max(before, MIN_COST_MS))
  }
  return { value: Math.max(...growths), facts }
}

/** A history that is asked by its server. */
class AskedHistory implements AsyncDisposable {
  readonly #asked: Omit<Asked, 'n'>

  private constructor(asked: Omit<Asked, 'n'>) {
    this.#asked = asked
  }

  static async open(run: BenchRun, size: Size): Promise<AskedHistory> {
    const { places, digests } = await toldHistoryOf(size.revisions, size.document)
    const commits = git(places.repository, 'log', '--format=%H').split('\n').slice(0, -1)
    const server = await MeasuredServer.cairn(await copyOf(run, size, 'asked'))
    await server.rest()
    return new AskedHistory({ server, digests, commits })
  }

  /** Milliseconds of CPU. */
  async costOf(call: (asked: Asked) => Promise<unknown>, n: number): Promise<number> {
    const { server } = this.#asked
    const before = server.cpu()
    await call({ ...this.#asked, n })
    return server.cpu() - before
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#asked.server[Symbol.asyncDispose]()
  }
}

async function copyOf({ folder }: BenchRun, { revisions, document }: Size, name: string) {
  const { places } = await toldHistoryOf(revisions, document)
  const repository = join(folder, `${name}-${revisions}`)
  const state = join(folder, `${name}-state-${revisions}`)
  cpSync(places.repository, repository, { recursive: true })
  cpSync(places.state, state, { recursive: true })
  return { repository, state }
}
