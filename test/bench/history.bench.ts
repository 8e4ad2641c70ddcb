import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import nodeFs from 'node:fs/promises'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CommitSha } from '../../src/core/revision.ts'
import { IndexKeeper, NO_STORE } from '../../src/history/index/index-keeper.ts'
import { openObjectReader } from '../../src/git/objects/open-object-reader.ts'
import { inspectAsIs } from '../../src/configuration/current/validate-only.ts'
import { git } from '../support/git/git.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { documentWith } from '../support/documents/documents.ts'
import { historyOf } from './histories.ts'
import { until } from '../support/programs/until.ts'
import { interleaved, median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

/** Saves on each history; the first ones, while the service is still being compiled, are not counted. */
const SAVES = 120
const WARMING = 40

/** Git puts everything that a commit writes on disk before it returns, as the service does. */
const DURABLE = ['-c', 'core.fsync=all', '-c', 'core.fsyncMethod=fsync']

export const cases: readonly BenchCase[] = [
  {
    name: 'history: a durable save of 110 KB over HTTP against git commit',
    must: { atMost: 1.2, unit: 'times git commit' },
    measure: async (run) => {
      const { long } = await saveTimes(run)
      return { value: long.ours / long.git, facts: { 'wall, ms': long.ours, 'git, ms': long.git } }
    },
  },
  {
    name: 'history: such a save upon a long history against a short one',
    must: { atMost: 1.2, unit: 'times' },
    measure: async (run) => {
      const { long, short } = await saveTimes(run)
      const facts = { 'short, ms': short.ours, 'long, ms': long.ours }
      return { value: long.ours / short.ours, facts }
    },
  },
  {
    name: 'history: reading the index of 100,000 revisions anew',
    must: { atMost: 2, unit: 'times git log' },
    measure: rebuild,
  },
  {
    name: 'history: a text in 10,000 revisions of 200 KB, first asked for',
    must: { atMost: 1_000, unit: 'ms' },
    measure: searchText,
  },
  {
    name: 'history: longest wait of another caller while 1 MB is saved',
    must: { atMost: 500, unit: 'ms' },
    measure: (run) => longestWait(run, { bytes: 1_000_000, rounds: 5 }),
  },
  {
    name: 'history: longest wait of another caller while 4 MB are saved',
    must: { atMost: 500, unit: 'ms' },
    measure: (run) => longestWait(run, { bytes: 4_000_000, rounds: 3 }),
  },
]

interface SaveTimes {
  readonly ours: number
  readonly git: number
}

/** Medians in milliseconds, of saves made in turns upon a long and a short history. */
async function saveTimes(run: BenchRun): Promise<{ long: SaveTimes; short: SaveTimes }> {
  await using long = await Saving.open(run, { name: 'long', revisions: run.quick ? 500 : 10_000 })
  await using short = await Saving.open(run, { name: 'short', revisions: 100 })
  for (let n = 0; n < (run.quick ? 4 : SAVES); n += 1) {
    for (const saving of [long, short]) await saving.saveBothWays(n)
  }
  return { long: long.medians(), short: short.medians() }
}

/** One history that is saved to by the service, and a copy of it that is committed to by git. */
class Saving implements AsyncDisposable {
  readonly #server: MeasuredServer
  readonly #copy: string
  readonly #lines: string[]
  readonly #times: { ours: number; git: number }[] = []

  private constructor(server: MeasuredServer, copy: string) {
    this.#server = server
    this.#copy = copy
    this.#lines = readFileSync(join(copy, 'config.xml'), 'utf8').split('\n')
  }

  static async open(
    { folder }: BenchRun,
    { name, revisions }: { name: string; revisions: number },
  ): Promise<Saving> {
    const { places } = await historyOf(revisions, 110_000)
    const [ours, theirs] = [join(folder, `${name}-ours`), join(folder, `${name}-git`)]
    for (const copy of [ours, theirs]) cpSync(places.repository, copy, { recursive: true })
    const state = join(folder, `${name}-state`)
    cpSync(places.state, state, { recursive: true })
    return new Saving(await MeasuredServer.cairn({ repository: ours, state }), theirs)
  }

  async saveBothWays(n: number): Promise<void> {
    const place = this.#lines.findIndex((line, at) => at > n * 20 && line.includes('<git url'))
    this.#lines[place] =
      `        <git url="https://example.org/saved-${n}.git" autoUpdate="false" />`
    const document = this.#lines.join('\n')
    const ours = await timeOf(() => this.#server.save(document))
    const theirs = await timeOf(() => {
      writeFileSync(join(this.#copy, 'config.xml'), document)
      git(this.#copy, ...DURABLE, 'commit', '--quiet', '-a', '-m', `Save ${n}`)
    })
    this.#times.push({ ours, git: theirs })
  }

  medians(): SaveTimes {
    const counted = this.#times.slice(Math.min(WARMING, this.#times.length >> 1))
    const of = (who: 'ours' | 'git') => median(counted.map((times) => times[who]))
    return { ours: of('ours'), git: of('git') }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]()
  }
}

/** Texts that come and go in few revisions, in all, and in none, each asked for once; git is asked for one. */
async function searchText({ quick }: BenchRun) {
  const { places } = await historyOf(quick ? 200 : 10_000, 200_000)
  await using server = await MeasuredServer.cairn(places)
  const search = (text: string) =>
    server.get(`/api/config/revisions?text=${encodeURIComponent(text)}`)
  const isIndexed = async () =>
    !(await server.get('/config?text=index')).includes('Indexing history')
  const indexing = await timeOf(() => until(isIndexed, 900_000))
  const texts = ['change-17.git', 'change-', 'autoUpdate="false"', 'nowhere at all', '</svn>']
  const times: number[] = []
  for (const text of texts) times.push(await timeOf(() => search(text)))
  const ofGit = await timeOf(() =>
    git(places.repository, 'log', '-S', texts[0] ?? '', '--format=%H'),
  )
  const facts = { 'median, ms': median(times), 'git, ms': ofGit, 'indexing, ms': indexing }
  return { value: Math.max(...times), facts }
}

async function rebuild({ quick }: BenchRun) {
  const { places } = await historyOf(quick ? 2_000 : 100_000, 20_000)
  const { repository } = places
  const head = CommitSha.parse(git(repository, 'rev-parse', 'HEAD').trim())
  const gitDir = join(repository, '.git')
  await using reader = await openObjectReader({ fs: nodeFs, gitDir, path: process.env['PATH'] })
  const context = { reader, fileName: 'config.xml', inspect: inspectAsIs, serverEdition: 'none' }
  const costs = await interleaved(
    {
      ours: () => new IndexKeeper(NO_STORE, context).moveTo(head),
      git: () =>
        spawnSync('git', ['log', '--format=%H%n%B'], { cwd: repository, maxBuffer: 1 << 28 }),
    },
    { rounds: quick ? 2 : 5, times: 1 },
  )
  const [ours, theirs] = [costs.get('ours'), costs.get('git')]
  const facts = { 'wall, ms': ours?.wall ?? NaN, 'git, ms': theirs?.wall ?? NaN }
  return { value: facts['wall, ms'] / facts['git, ms'], facts }
}

/** How long `/health` is waited for at most while a large document is saved. */
async function longestWait(
  { quick, folder }: BenchRun,
  { bytes, rounds }: { readonly bytes: number; readonly rounds: number },
) {
  const places = { repository: join(folder, 'config-repo'), state: join(folder, 'state') }
  await using server = await MeasuredServer.cairn(places)
  const waits: number[] = []
  for (let n = 0; n < (quick ? 1 : rounds); n += 1) {
    const saved = new AbortController()
    const saving = server.save(largeDocument(bytes, n)).finally(() => saved.abort())
    let longest = 0
    while (!saved.signal.aborted)
      longest = Math.max(longest, await timeOf(() => server.get('/health')))
    await saving
    waits.push(longest)
  }
  return { value: median(waits) }
}

function largeDocument(bytes: number, n: number): string {
  const one = documentWith('pipeline-00000').length - documentWith().length
  const names = Array.from({ length: Math.round(bytes / one) }, (_, place) => `p${n}-${place}`)
  const document = documentWith(...names)
  return document.replaceAll('.git" />', '.git" autoUpdate="false" />')
}

async function timeOf(way: () => unknown): Promise<number> {
  const start = performance.now()
  await way()
  return performance.now() - start
}
