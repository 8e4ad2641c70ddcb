import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { git } from '../support/git/git.ts'
import type { BenchCase, BenchRun, Measured } from './case.ts'
import { makeHistory } from './make-history.ts'
import { median } from './measure.ts'
import { costOfPage, nextPaintOf, type PageCost } from './measured-page.ts'
import { MeasuredServer } from './servers.ts'

const GZIP = { 'accept-encoding': 'gzip' }
const MEGABYTE = 2 ** 20
/** A comparison may not be larger, compressed, in bytes. */
const MAX_PAGE_BYTES = 30_000
const ASSETS = fileURLToPath(new URL('../../dist/pages/scripts/', import.meta.url))

export const cases: readonly BenchCase[] = [
  {
    name: 'pages: a small change of 1 MB compared with the one before',
    must: { atMost: 60, unit: 'ms of CPU' },
    measure: (run) => compareCost(run, 1),
  },
  {
    name: 'pages: the small changes of 10 revisions of 1 MB compared',
    must: { atMost: 60, unit: 'ms of CPU' },
    measure: (run) => compareCost(run, 10),
  },
  {
    name: 'pages: a small change of 1 MB in the browser',
    must: { atMost: 250, unit: 'ms main thread' },
    measure: (run) => inBrowser(run, { revisions: 12, size: MEGABYTE }, '/config/compare/r2/r11'),
  },
  {
    name: 'pages: the history of 10,000 revisions in the browser',
    must: { atMost: 150, unit: 'ms main thread' },
    measure: (run) => inBrowser(run, MANY, '/config'),
  },
  {
    name: 'pages: the change of one revision in the browser',
    must: { atMost: 50, unit: 'ms main thread' },
    measure: (run) => inBrowser(run, { revisions: 12, size: 110_000 }, '/config/compare/r10/r11'),
  },
  {
    name: 'pages: a key on the history of 10,000 revisions',
    must: { atMost: 100, unit: 'ms to the next paint, p98' },
    measure: (run) => keys(run, MANY, { path: '/config', keys: ['j', 'k'] }),
  },
  {
    name: 'pages: a key on a large change',
    must: { atMost: 100, unit: 'ms to the next paint, p98' },
    measure: (run) =>
      keys(run, LARGE, { path: `/config/compare/r2/r${run.quick ? 50 : 200}`, keys: ['n', 'p'] }),
  },
  {
    name: 'pages: the history of 100 revisions in the browser',
    must: { atMost: 150, unit: 'ms main thread' },
    measure: (run) => inBrowser(run, { revisions: 100, size: USUAL }, '/config'),
  },
  {
    name: 'pages: the change of one revision of 10 MB in the browser',
    must: { atMost: 50, unit: 'ms main thread' },
    measure: (run) => inBrowser(run, { revisions: 3, size: HUGE }, '/config/compare/r2/r3'),
  },
  {
    name: 'pages: a snapshot in the browser',
    must: { atMost: 100, unit: 'ms main thread' },
    measure: (run) => inBrowser(run, { revisions: 12, size: USUAL }, '/config/r11'),
  },
  {
    name: 'pages: a snapshot of 10 MB in the browser',
    must: { atMost: 100, unit: 'ms main thread' },
    measure: (run) => inBrowser(run, { revisions: 2, size: HUGE }, '/config/r2?line=90000'),
  },
  {
    name: 'pages: who wrote the lines of a document',
    must: { atMost: 30, unit: 'KB, gzip' },
    measure: (run) => blameSize(run, { revisions: 100, size: USUAL }),
  },
  {
    name: 'pages: who wrote 3,000 lines shown whole',
    must: { atMost: 30, unit: 'KB, gzip' },
    measure: (run) => blameSize(run, { revisions: 100, size: WHOLE }),
  },
  {
    name: 'pages: who wrote the lines of a document of 10 MB',
    must: { atMost: 30, unit: 'KB, gzip' },
    measure: (run) => blameSize(run, { revisions: 12, size: HUGE }),
  },
  {
    name: 'pages: the editor of 4,500 lines in the browser',
    must: { atMost: 250, unit: 'ms main thread' },
    measure: (run) => inBrowser(run, { revisions: 12, size: USUAL }, '/config/edit'),
  },
  {
    name: 'pages: the preview of a restore in the browser',
    must: { atMost: 12_000, unit: 'elements' },
    measure: (run) => elementsIn(run, { revisions: 100, size: USUAL }, '/config/r2/restore'),
  },
  {
    name: 'pages: the preview of a restore of every line of 10 MB',
    must: { atMost: 12_000, unit: 'elements' },
    measure: (run) =>
      everyLine(run, async (server) => elementsOf(await pageOf(server, '/config/r2/restore'))),
  },
  {
    name: 'pages: the first row of a change of every line of 10 MB',
    must: { atMost: 300, unit: 'ms' },
    measure: (run) => everyLine(run, firstRow),
  },
  {
    name: 'pages: a change of every line of 10 MB in the browser',
    must: { atMost: 250, unit: 'ms main thread' },
    measure: (run) => everyLine(run, async (server) => shown(await pageOf(server, EVERY_LINE))),
  },
  {
    name: 'pages: others wait for a change of every line of 10 MB',
    must: { atMost: 250, unit: 'ms at most' },
    measure: (run) => everyLine(run, longestWait),
  },
  asset('enhance.js', 5),
  asset('keys.js', 5),
  asset('editor.js', 130),
]

/** A document of 126,000 bytes has about 4,500 lines. */
const USUAL = 126_000
/** As many bytes have just under 3,000 lines. */
const WHOLE = 74_000
const HUGE = 10 * MEGABYTE
const MANY = { revisions: 10_000, size: 20_000 }
const LARGE = { revisions: 200, size: MEGABYTE }
const EVERY_LINE = '/config/compare/r2/r3'
const ROUNDS = 5

function asset(name: string, most: number): BenchCase {
  return {
    name: `pages: the size of ${name}`,
    must: { atMost: most, unit: 'KB, gzip' },
    measure: () => ({ value: gzipSync(readFileSync(join(ASSETS, name))).length / 1_000 }),
  }
}

/** CPU of the server for comparisons that were not requested before. */
async function compareCost(run: BenchRun, step: number): Promise<Measured> {
  const shape = { revisions: run.quick ? 24 : 36, size: run.quick ? 100_000 : MEGABYTE }
  return serving(run, shape, async (server) => {
    await known(server, shape.revisions)
    const paths = Array.from({ length: shape.revisions - 12 }, (_, n) => {
      return `/config/compare/r${n + 2}/r${n + 2 + step}`
    })
    const half = paths.length >> 1
    await server.costOf(paths.slice(0, half), GZIP)
    const value = await server.costOf(paths.slice(half), GZIP)
    const page = await server.get(paths.at(-1) ?? '', GZIP)
    const isLarge = page.length > MAX_PAGE_BYTES
    return { value: isLarge ? Infinity : value, facts: { 'KB gzip': page.length / 1_000 } }
  })
}

interface HistoryShape {
  readonly revisions: number
  readonly size: number
}

function inBrowser(run: BenchRun, whole: HistoryShape, path: string): Promise<Measured> {
  return servingKnown(run, whole, async (server) => shown(await pageOf(server, path)))
}

function elementsIn(run: BenchRun, whole: HistoryShape, path: string): Promise<Measured> {
  return servingKnown(run, whole, async (server) => elementsOf(await pageOf(server, path)))
}

/** The page is sent as it is once the authors are known, which its first visitor may wait for. */
function blameSize(run: BenchRun, whole: HistoryShape): Promise<Measured> {
  return servingKnown(run, whole, async (server) => {
    const path = `/config/r${run.quick ? Math.min(whole.revisions, 60) : whole.revisions}?blame=1`
    for (let n = 0; n < 30; n += 1) {
      const page = await server.get(path)
      if (!page.includes('Finding the author')) break
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    return { value: (await server.get(path, GZIP)).length / 1_000 }
  })
}

/**
 * The time of the first row, of pages that were not requested before, on a service that has
 * compared before.
 */
async function firstRow(server: MeasuredServer): Promise<Measured> {
  await server.get('/config/compare/r1/r2')
  const first: number[] = []
  const whole: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await server.rest()
    const times = await server.timesOf(`${EVERY_LINE}?round=${round}`, '<tr')
    first.push(times.seen)
    whole.push(times.end)
  }
  return { value: median(first), facts: { 'ms for the page': median(whole) } }
}

/** How long a reader who presses keys waits for what they do. */
function keys(
  run: BenchRun,
  whole: HistoryShape,
  { path, keys: pressed }: { readonly path: string; readonly keys: readonly string[] },
): Promise<Measured> {
  return servingKnown(run, whole, async (server) => {
    await server.get(path)
    await server.rest()
    return { value: await nextPaintOf(`${server.url}${path}`, server.credentials, pressed) }
  })
}

function servingKnown(
  run: BenchRun,
  { revisions, size }: HistoryShape,
  measure: (server: MeasuredServer) => Promise<Measured>,
): Promise<Measured> {
  const shape = run.quick
    ? { revisions: Math.min(revisions, 60), size: Math.min(size, 100_000) }
    : { revisions, size }
  return serving(run, shape, async (server) => {
    await known(server, shape.revisions)
    return measure(server)
  })
}

/** A history whose last revision differs in the white space of every line. */
async function everyLine(
  run: BenchRun,
  measure: (server: MeasuredServer) => Promise<Measured>,
): Promise<Measured> {
  const shape = { revisions: 2, size: run.quick ? 200_000 : 10 * MEGABYTE }
  return serving(run, shape, measure, (repository) => {
    const file = join(repository, 'config.xml')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replaceAll(/^ +</gm, (indent) => ` ${indent}`),
    )
    const identity = ['-c', 'user.name=Gil', '-c', 'user.email=gil@example.org']
    git(repository, ...identity, 'commit', '-q', '-a', '-m', 'Indent')
  })
}

async function serving(
  { folder }: BenchRun,
  { revisions, size }: { readonly revisions: number; readonly size: number },
  measure: (server: MeasuredServer) => Promise<Measured>,
  prepare: (repository: string) => void = () => {},
): Promise<Measured> {
  const repository = join(folder, 'repository')
  await makeHistory({ folder: repository, revisions, documentSize: size })
  prepare(repository)
  await using server = await MeasuredServer.cairn({ repository, state: join(folder, 'state') })
  return await measure(server)
}

/** Resolves when the service knows what each revision changed, as it does soon after its first start. */
async function known(server: MeasuredServer, revisions: number): Promise<void> {
  for (let n = 0; n < 300; n += 1) {
    const pages = [
      await server.get('/config?q=no-such-text'),
      await server.get('/config?text=none'),
    ]
    if (!pages.some((page) => page.includes('Indexing history'))) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`What ${revisions} revisions changed is not known after a minute`)
}

/** The server is at rest: beside one that reads a new history, the same work costs a browser three times as much. */
async function pageOf(server: MeasuredServer, path: string): Promise<PageCost> {
  await server.get(path)
  await server.rest()
  return costOfPage(`${server.url}${path}`, server.credentials)
}

function shown({ mainThread, elements }: PageCost): Measured {
  return { value: elements > 12_000 ? Infinity : mainThread, facts: { elements } }
}

function elementsOf({ mainThread, elements }: PageCost): Measured {
  return { value: elements, facts: { 'ms main thread': mainThread } }
}

/** How long another call waits at most while a comparison is made. */
async function longestWait(server: MeasuredServer): Promise<Measured> {
  await server.get('/health')
  const waiting = new AbortController()
  let longest = 0
  const start = performance.now()
  const comparison = server.get(EVERY_LINE).finally(() => {
    waiting.abort()
  })
  while (!waiting.signal.aborted) {
    const asked = performance.now()
    await server.get('/health')
    longest = Math.max(longest, performance.now() - asked)
  }
  const page = await comparison
  return {
    value: longest,
    facts: { 'ms for the page': performance.now() - start, KB: page.length / 1_000 },
  }
}
