import { A_CONFIGURATION } from '../support/builds/build-facts.ts'
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Builds } from '../../src/builds/engine/builds.ts'
import type { Plans } from '../../src/builds/engine/plan.ts'
import { openSqliteState } from '../../src/state/open-sqlite.ts'
import type { StateStore } from '../../src/state/state-store.ts'
import { aConfiguration, git } from '../support/documents/a-configuration.ts'
import { gitOrigin } from '../support/builds/source-origins.ts'
import { aJob, aPipeline, aStage } from '../support/builds/builds.ts'
import type { BenchCase, BenchRun, Measured } from './case.ts'
import { AGENT_OF_RUNS, fillWithRuns, STAGE_OF_RUNS } from './finished-runs.ts'
import { costOf, interleaved } from './measure.ts'
import { MeasuredServer } from './servers.ts'

const REPORTS = [
  { state: 'Preparing' },
  { state: 'Building' },
  { state: 'Completing', result: 'Passed' },
  { state: 'Completed', result: 'Passed' },
] as const

export const cases: readonly BenchCase[] = [
  {
    name: 'builds: slowest question about 100,000 stage instances',
    must: { atMost: 1, unit: 'ms of CPU' },
    measure: async (run) => {
      const times = await questionTimes(run)
      return { value: Math.max(...times.values()), facts: Object.fromEntries(times) }
    },
  },
  {
    name: 'builds: deepest page of 100,000 against the first one',
    must: { atMost: 1.5, unit: 'times' },
    measure: async (run) => {
      const times = await questionTimes(run)
      const ratio = (what: string) =>
        (times.get(`${what}, deepest`) ?? NaN) / (times.get(`${what}, first`) ?? NaN)
      const facts = { history: ratio('history'), jobs: ratio('jobs') }
      return { value: Math.max(facts.history, facts.jobs), facts }
    },
  },
  {
    name: 'builds: 1,000 jobs over 50 agents',
    must: { atMost: 10, unit: 's' },
    measure: async ({ quick, folder }) => {
      const count = quick ? 100 : 1000
      const { wall } = await costOf(() => buildAll(folder, count), 1)
      return { value: wall / 1000, facts: { 'jobs a second': count / (wall / 1000) } }
    },
  },
  {
    name: 'builds: cost of a job among 1,000 against one among 100',
    must: { atMost: 1.5, unit: 'times' },
    measure: costAmongMany,
  },
  {
    name: 'builds: pages beside a stage of 10,000 jobs, against one of 300',
    must: { atMost: 3, unit: 'times the CPU' },
    measure: pagesBesideJobs,
  },
]

const PAGES = ['/pipelines', '/pipelines/app', '/stages/app/build', '/stages/app/build/1/1']
const LOOKS = 10

/** Both services are asked in turns, so that what else the machine does counts for both. */
async function pagesBesideJobs(run: BenchRun): Promise<Measured> {
  await using few = await withWaitingJobs(run, 300)
  await using many = await withWaitingJobs(run, run.quick ? 600 : 10_000)
  const spent = [0, 0]
  for (let look = 0; look < LOOKS; look += 1) {
    for (const [n, server] of [few, many].entries()) {
      const cost = await server.costOf(PAGES)
      if (look > 0) spent[n] = (spent[n] ?? 0) + cost / (LOOKS - 1)
    }
  }
  const [small = NaN, large = NaN] = spent
  return { value: large / small, facts: { 'ms of CPU a page': large, 'of 300 jobs': small } }
}

/** A service with a run of a stage whose jobs all wait for an agent. */
async function withWaitingJobs(run: BenchRun, count: number): Promise<MeasuredServer> {
  const folder = join(run.folder, `${count}`)
  mkdirSync(folder, { recursive: true })
  const url = join(folder, 'origin')
  gitOrigin(url)
  const places = { repository: join(folder, 'repository'), state: join(folder, 'state') }
  const server = await MeasuredServer.cairn(places, ['--local-materials', folder])
  const jobs = [{ attributes: { runInstanceCount: count } }]
  const materials = [git(url, { branch: 'trunk' })]
  await server.save(
    aConfiguration({ pipelines: [{ name: 'app', materials, stages: [{ name: 'build', jobs }] }] }),
  )
  await server.send('/api/pipelines/app/schedule', { method: 'POST' })
  await server.rest()
  return server
}

/** The CPU milliseconds of each question. */
async function questionTimes({ quick, folder }: BenchRun): Promise<ReadonlyMap<string, number>> {
  const count = quick ? 2_000 : 100_000
  await using store = await openSqliteState(join(folder, 'questions.db'))
  await fillWithRuns(store, count)
  const builds = await openBuilds(store, 1)
  const run = { pipeline: 'app', stage: 'test', stageCounter: 1 }
  const costs = await interleaved(
    {
      'instance, newest': () => builds.stageInstance({ ...run, pipelineCounter: count }),
      'instance, oldest': () => builds.stageInstance({ ...run, pipelineCounter: 1 }),
      'history, first': () => builds.stageHistory(STAGE_OF_RUNS, 0),
      'history, deepest': () => builds.stageHistory(STAGE_OF_RUNS, count - 10),
      'jobs, first': () => builds.jobRunHistory(AGENT_OF_RUNS, 0),
      'jobs, deepest': () => builds.jobRunHistory(AGENT_OF_RUNS, count - 10),
    },
    { rounds: 15, times: 50 },
  )
  return new Map([...costs].map(([name, { cpu }]) => [name, cpu]))
}

async function costAmongMany({ quick, folder }: BenchRun): Promise<Measured> {
  const many = quick ? 200 : 1000
  const costs = await interleaved(
    {
      many: () => buildAll(folder, many),
      few: async () => {
        for (let built = 0; built < many; built += 100) await buildAll(folder, 100)
      },
    },
    { rounds: quick ? 1 : 3, times: 1 },
  )
  const among = (name: 'many' | 'few') => (costs.get(name)?.cpu ?? NaN) / many
  const facts = { 'among many, ms': among('many'), 'among few, ms': among('few') }
  return { value: among('many') / among('few'), facts }
}

/** One stage with all the jobs, which 50 agents take and report to the end. */
async function buildAll(folder: string, count: number): Promise<void> {
  await using store = await openSqliteState(join(folder, `${randomUUID()}.db`))
  const builds = await openBuilds(store, count)
  await builds.schedulePipeline({ pipeline: 'app', approvedBy: 'changes', revisions: [] })
  const agents = Array.from({ length: 50 }, (_, n) => `agent-${n}`)
  const built = await Promise.all(agents.map((uuid) => work(builds, uuid)))
  const jobs = built.flat()
  if (new Set(jobs).size !== count || jobs.length !== count) {
    throw new Error(`${jobs.length} builds of ${new Set(jobs).size} jobs, not of ${count}`)
  }
}

async function work(builds: Builds, agentUuid: string): Promise<number[]> {
  const built: number[] = []
  for (;;) {
    const job = await builds.assignWork({ uuid: agentUuid, resources: [], environments: [] })
    if (!job) return built
    for (const report of REPORTS) await builds.reportJob({ agentUuid, jobId: job.id, report })
    built.push(job.id)
  }
}

function openBuilds(store: StateStore, instances: number): Promise<Builds> {
  const jobs = [aJob({ spread: { type: 'instances', count: instances } })]
  const plan = aPipeline({ stages: [aStage({ jobs })] })
  const plans: Plans = {
    configuration: () => A_CONFIGURATION,
    pipelinePlan: () => plan,
    environmentsOf: () => [],
    agents: () => [],
    whyNoAgent: () => 'there is no agent',
  }
  return Builds.open({ store, clock: Date.now, plans })
}
