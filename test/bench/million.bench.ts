import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../support/git/git.ts'
import type { BenchCase, BenchRun, Measured } from './case.ts'
import { toldHistoryOf } from './histories.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

const [LONG, SHORT] = [1_000_000, 1_000]
const DOCUMENT_SIZE = 4_000
/** How often something is called; the first calls, while the service is still being compiled, are not counted. */
const OFTEN = { warming: 20, calls: 40 }
const SELDOM = { warming: 2, calls: 5 }
/** Below this many milliseconds of CPU, two costs are not told apart. */
const LEAST = 0.5

export const cases: readonly BenchCase[] = [
  {
    name: 'million: memory upon 1,000,000 revisions at rest',
    must: { atMost: 500, unit: 'MB' },
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
    name: 'million: calls about 1,000,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, READS),
  },
  {
    name: 'million: a save upon 1,000,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { save }),
  },
  {
    name: 'million: a rare text in 1,000,000 revisions against 1,000',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { text }, SELDOM),
  },
  {
    name: 'million: the page of a pipeline with 250,000 changes against 250',
    must: { atMost: 1.5, unit: 'times' },
    measure: (run) => growthOf(run, { page }),
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
}

function text({ server, n }: Asked): Promise<unknown> {
  return server.get(`/api/config/revisions?text=change-${n + 300}.git`)
}

function page({ server, n }: Asked): Promise<unknown> {
  return server.get(`/config/entity/pipeline/pipeline-00001?offset=${n}`)
}

let saves = 0
async function save({ server }: Asked): Promise<void> {
  saves += 1
  const document = (await server.get('/api/admin/config.xml')).toString()
  await server.save(
    document.replace(/<git url="[^"]*"/, `<git url="https://example.org/saved-${saves}"`),
  )
}

function some(names: readonly string[], n: number): string {
  return names[(n * 7) % names.length] ?? ''
}

let started: Promise<{ memory: number; start: number }> | null = null

/** Measured once, for the rows about it: a second start, whose index is there. */
function measureStart(run: BenchRun): Promise<{ memory: number; start: number }> {
  started ??= (async () => {
    const places = await copyOf(run, run.quick ? SHORT : LONG, 'started')
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

/** The call that grows most, by its CPU. */
async function growthOf(run: BenchRun, calls: Calls, times = OFTEN): Promise<Measured> {
  const short = await costsOf(run, { revisions: SHORT, times }, calls)
  const long = await costsOf(run, { revisions: run.quick ? SHORT * 2 : LONG, times }, calls)
  const grown = [...long].map(([name, cost]) => [name, cost, short.get(name) ?? NaN] as const)
  const facts = grown.flatMap(([name, cost, before]) => [
    [`${name}, ms`, cost],
    [`${name} of 1,000, ms`, before],
  ])
  const growths = grown.map(([, cost, before]) => cost / Math.max(before, LEAST))
  return { value: Math.max(...growths), facts: Object.fromEntries(facts) }
}

interface Amount {
  readonly revisions: number
  readonly times: typeof OFTEN
}

async function costsOf(run: BenchRun, { revisions, times }: Amount, calls: Calls) {
  const { warming, calls: counted } = run.quick ? { warming: 0, calls: 2 } : times
  const { places, digests } = await toldHistoryOf(revisions, DOCUMENT_SIZE)
  const commits = git(places.repository, 'log', '--format=%H').split('\n').slice(0, -1)
  await using server = await MeasuredServer.cairn(await copyOf(run, revisions, 'asked'))
  await server.rest()
  const costs = new Map<string, number>()
  for (const [name, call] of Object.entries(calls)) {
    const all: number[] = []
    for (let n = 0; n < warming + counted; n += 1) {
      const before = server.cpu()
      await call({ server, digests, commits, n })
      all.push(server.cpu() - before)
    }
    costs.set(name, median(all.slice(warming)))
  }
  return costs
}

async function copyOf({ folder }: BenchRun, revisions: number, name: string) {
  const { places } = await toldHistoryOf(revisions, DOCUMENT_SIZE)
  const repository = join(folder, `${name}-${revisions}`)
  const state = join(folder, `${name}-state-${revisions}`)
  cpSync(places.repository, repository, { recursive: true })
  cpSync(places.state, state, { recursive: true })
  return { repository, state }
}
