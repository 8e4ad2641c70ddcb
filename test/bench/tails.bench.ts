import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchCase, BenchRun, Measured } from './case.ts'
import { USUAL } from './documents.ts'
import { longestTurnIn, TURN_LIMIT } from './longest-turn.ts'
import { MeasuredServer } from './servers.ts'

const LIST = '/api/config/revisions?limit=10'
const LIVE = '/health/live'
const CONNECTIONS = 64
const SAVERS = 4
/** Revisions of 110 KB that are there before. */
const REVISIONS = 20
/** Answers that are waited for, after as many that are not counted. */
const ANSWERS = { [LIST]: 20_000, [LIVE]: 400 }
const QUICK_ANSWERS = 200

/** The longest waits of callers, for answers that take no time of their own. */
export const cases: readonly BenchCase[] = [
  {
    name: 'tails: the 99th of 100 lists of 10 revisions, asked for over 64 connections',
    must: { atMost: 25, unit: 'ms' },
    measure: async (run) => shown(await listsOf(run, 0), 'p99'),
  },
  {
    name: 'tails: the last list of 10 revisions, asked for over 64 connections',
    must: { atMost: 150, unit: 'ms' },
    measure: async (run) => shown(await listsOf(run, 0), 'longest'),
  },
  {
    name: 'tails: the 99th of 100 lists over 64 connections beside 4 savers',
    must: { atMost: 60, unit: 'ms' },
    measure: async (run) => shown(await listsOf(run, SAVERS), 'p99'),
  },
  {
    name: 'tails: the last list over 64 connections beside 4 savers',
    must: { atMost: 250, unit: 'ms' },
    measure: async (run) => shown(await listsOf(run, SAVERS), 'longest'),
  },
  {
    name: 'tails: longest wait for /health/live beside 4 savers',
    must: { atMost: 100, unit: 'ms' },
    measure: longestLive,
  },
  {
    name: 'tails: longest turn of the main thread beside 4 savers and 64 connections',
    must: TURN_LIMIT,
    measure: longestTurn,
  },
]

/** How long answers were waited for, in milliseconds. */
interface Waits {
  readonly p99: number
  readonly longest: number
}

interface Compared {
  readonly ours: Waits
  /** The same for a server that answers these bytes and does nothing else. */
  readonly bare: Waits
}

function shown({ ours, bare }: Compared, wait: keyof Waits): Measured {
  const facts = {
    p99: ours.p99,
    longest: ours.longest,
    'bare, p99': bare.p99,
    'bare, longest': bare.longest,
  }
  return { value: ours[wait], facts }
}

async function listsOf(run: BenchRun, savers: number): Promise<Compared> {
  await using cairn = await serve(run)
  return await besideSavers(cairn, savers, () => compared(run, cairn, LIST, CONNECTIONS))
}

async function longestLive(run: BenchRun): Promise<Measured> {
  await using cairn = await serve(run)
  const waits = await besideSavers(cairn, SAVERS, () => compared(run, cairn, LIVE, 1))
  return shown(waits, 'longest')
}

/** Asks the service, and then a bare server, with the same beside them. */
async function compared(
  { quick, folder }: BenchRun,
  cairn: MeasuredServer,
  path: keyof typeof ANSWERS,
  connections: number,
): Promise<Compared> {
  const times = quick ? QUICK_ANSWERS : ANSWERS[path]
  const file = join(folder, 'bare-body')
  writeFileSync(file, await cairn.get(path))
  await using bare = await MeasuredServer.bare(file, 'application/json; charset=utf-8')
  const ours = await waitsFor(cairn, path, times, connections)
  return { ours, bare: await waitsFor(bare, '/', times, connections) }
}

async function longestTurn(run: BenchRun): Promise<Measured> {
  await using cairn = await serve(run)
  const times = run.quick ? QUICK_ANSWERS : ANSWERS[LIST]
  return await besideSavers(cairn, SAVERS, async () => {
    await waitsFor(cairn, LIST, times, CONNECTIONS)
    return longestTurnIn(cairn, () => waitsFor(cairn, LIST, times, CONNECTIONS))
  })
}

async function serve({ folder }: BenchRun): Promise<MeasuredServer> {
  const places = { repository: join(folder, 'repository'), state: join(folder, 'state') }
  const server = await MeasuredServer.sampled(places)
  for (let n = 0; n < REVISIONS; n += 1) await server.save(documentNumbered(n))
  await server.rest()
  return server
}

function documentNumbered(n: number): string {
  return USUAL.replace('/p-40.git"', `/saved-${n}.git"`)
}

async function waitsFor(
  server: MeasuredServer,
  path: string,
  times: number,
  connections: number,
): Promise<Waits> {
  using asker = server.askerOf(path, {}, connections)
  await asker.ask(times)
  const waits: number[] = []
  await asker.ask(times, (wait) => waits.push(wait))
  waits.sort((one, other) => one - other)
  return { p99: waits[Math.floor(waits.length * 0.99)] ?? NaN, longest: waits.at(-1) ?? NaN }
}

/** Does something while so many callers save a document of their own each, one after the other. */
async function besideSavers<Result>(
  server: MeasuredServer,
  savers: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const done = new AbortController()
  let saves = REVISIONS
  const saving = Array.from({ length: savers }, async () => {
    while (!done.signal.aborted) {
      saves += 1
      await server.save(documentNumbered(saves))
    }
  })
  try {
    return await work()
  } finally {
    done.abort()
    await Promise.all(saving)
  }
}
