import { createHash } from 'node:crypto'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, gitScript } from '../support/git/git.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { documentWith } from '../support/documents/documents.ts'
import { historyOf } from './histories.ts'
import { readIndexAnew } from './index-anew.ts'
import { until } from '../support/programs/until.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'
import { onSlowDisk } from './slow-disk.ts'

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
      const facts = {
        'short, ms': short.ours,
        'long, ms': long.ours,
        'CPU, short': short.cpu,
        'CPU, long': long.cpu,
      }
      return { value: long.ours / short.ours, facts }
    },
  },
  {
    name: 'history: CPU of a save of 110 KB upon 10,000 revisions, with all that follows it',
    must: { atMost: 15, unit: 'ms' },
    measure: async (run) => {
      const { long } = await saveTimes(run)
      return { value: long.cpu, facts: { 'wall, ms': long.ours } }
    },
  },
  {
    name: 'history: saves of 16 savers at once against git commit',
    must: { atLeast: 5, unit: 'times git commit' },
    measure: (run) => savesAtOnce(run, []),
  },
  {
    name: 'history: the same where a sync takes 20 ms longer',
    must: { atLeast: 5, unit: 'times git commit' },
    measure: (run) => savesAtOnce(run, onSlowDisk(20)),
  },
  {
    name: 'history: reading the index of 100,000 revisions anew',
    must: { atMost: 1.5, unit: 'times git log' },
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
  /** CPU time of the service for a save and all that follows it. */
  readonly cpu: number
}

type BothSaveTimes = { readonly long: SaveTimes; readonly short: SaveTimes }

let measured: Promise<BothSaveTimes> | null = null

/** Measured once, for the rows about it. */
function saveTimes(run: BenchRun): Promise<BothSaveTimes> {
  measured ??= measureSaves(run)
  return measured
}

/** Medians in milliseconds, of saves made alternately on a long and a short history. */
async function measureSaves(run: BenchRun): Promise<BothSaveTimes> {
  await using long = await Saving.open(run, { name: 'long', revisions: run.quick ? 500 : 10_000 })
  await using short = await Saving.open(run, { name: 'short', revisions: 100 })
  const saves = run.quick ? 4 : SAVES
  for (let n = 0; n < saves; n += 1) {
    if (n === Math.min(WARMING, saves >> 1)) for (const saving of [long, short]) saving.count()
    for (const saving of [long, short]) await saving.saveBothWays(n)
  }
  return { long: await long.medians(), short: await short.medians() }
}

/** Savers who each change a pipeline of their own, and wait for each other's answers only. */
const SAVERS = 16
const ROUNDS = 3

/** As many saves as commits, in turns, of documents of 20 KB with 40 pipelines. */
async function savesAtOnce({ quick, folder }: BenchRun, through: readonly string[]) {
  const { places: made } = await historyOf(200, 20_000)
  const [repository, copy] = [join(folder, 'ours'), join(folder, 'git')]
  for (const each of [repository, copy]) cpSync(made.repository, each, { recursive: true })
  const places = { repository, state: join(folder, 'state') }
  await using server = await MeasuredServer.cairn(places, [], through)
  await server.rest()
  const [ours, theirs]: [number[], number[]] = [[], []]
  const each = quick ? 2 : 20
  let cpu = 0
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [before, start] = [server.cpu(), performance.now()]
    await Promise.all(
      Array.from({ length: SAVERS }, async (_, saver) => {
        for (let n = 0; n < each; n += 1) await changeOwn(server, saver, `${round}-${n}`)
      }),
    )
    const time = (performance.now() - start) / (SAVERS * each)
    if (round > 0) ours.push(time)
    cpu = (server.cpu() - before) / (SAVERS * each)
    const commits = quick ? 4 : 40
    const gits = await timeOf(() => commitOften({ copy, through }, commits, round))
    if (round > 0) theirs.push(gits / commits)
  }
  const [mine, others] = [median(ours), median(theirs)]
  const facts = { 'saves a second': 1_000 / mine, 'git, a second': 1_000 / others, 'CPU, ms': cpu }
  return { value: others / mine, facts }
}

async function changeOwn(server: MeasuredServer, saver: number, text: string): Promise<void> {
  const document = (await server.get('/api/admin/config.xml')).toString()
  const digest = createHash('md5').update(document).digest('hex')
  await server.save(withAddress(document, saver, `${saver}-${text}`), `"${digest}"`)
}

function commitOften(
  { copy, through }: { copy: string; through: readonly string[] },
  count: number,
  round: number,
): void {
  const file = join(copy, 'config.xml')
  for (let n = 0; n < count; n += 1) {
    const document = withAddress(readFileSync(file, 'utf8'), n % SAVERS, `${round}-${n}`)
    writeFileSync(file, document)
    const commit = ['git', ...DURABLE, 'commit', '--quiet', '-a', '-m', `Save ${n}`]
    gitScript(copy, '"$@"', [...through, ...commit])
  }
}

/** Another address for the material of one pipeline. */
function withAddress(document: string, pipeline: number, name: string): string {
  let place = -1
  return document.replaceAll(/<git url="[^"]*"/g, (found) => {
    place += 1
    return place === pipeline * 2 ? `<git url="https://example.org/saved-${name}.git"` : found
  })
}

/** One history that is saved to by the service, and a copy of it that is committed to by git. */
class Saving implements AsyncDisposable {
  readonly #server: MeasuredServer
  readonly #copy: string
  readonly #lines: string[]
  #times: { ours: number; git: number }[] = []
  #cpu = 0

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
    const server = await MeasuredServer.cairn({ repository: ours, state })
    await server.rest()
    return new Saving(server, theirs)
  }

  /** Counts what comes from now on. */
  count(): void {
    this.#times = []
    this.#cpu = this.#server.cpu()
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

  async medians(): Promise<SaveTimes> {
    await this.#server.rest()
    const cpu = (this.#server.cpu() - this.#cpu) / this.#times.length
    const of = (who: 'ours' | 'git') => median(this.#times.map((times) => times[who]))
    return { ours: of('ours'), git: of('git'), cpu }
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
  return readIndexAnew(places, quick ? 2 : 5)
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
