// Builds without end, four agents at once, and prints each step once it is acknowledged, until it is killed.
// Arguments: the file of the state; the rest of an agent after each job, in milliseconds.
import { A_CONFIGURATION } from '../../support/builds/build-facts.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { Builds } from '../../../src/builds/engine/builds.ts'
import type { JobInstance } from '../../../src/builds/engine/documents.ts'
import type { JobReport } from '../../../src/core/builds/job.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'

const PLAN = {
  name: 'app',
  group: 'first',
  template: null,
  labelTemplate: '${COUNT}',
  labelVariables: new Map<string, string>(),
  locking: false,
  unlocksWhenFinished: false,
  stages: ['test', 'package'].map((name) => ({
    name,
    approvalType: 'success' as const,
    allowOnlyOnSuccess: false,
    jobs: [{ name: 'unit', resources: [], spread: { type: 'instances' as const, count: 2 } }],
  })),
}
const REPORTS: readonly JobReport[] = [
  { state: 'Preparing' },
  { state: 'Building' },
  { state: 'Completing', result: 'Passed' },
  { state: 'Completed', result: 'Passed' },
]

const [, , file = '', restMs = '0'] = process.argv
const store = await openSqliteState(file)
const plans = {
  configuration: () => A_CONFIGURATION,
  pipelinePlan: () => PLAN,
  environmentsOf: () => [],
  agents: () => [],
  whyNoAgent: () => '',
}
const builds = await Builds.open({ store, clock: Date.now, plans })

await Promise.all(['a1', 'a2', 'a3', 'a4'].map(work))

async function work(uuid: string): Promise<void> {
  for (;;) {
    const job = await builds.assignWork({ uuid, resources: [], environments: [] })
    if (job) await build(uuid, job)
    else await schedule()
  }
}

async function schedule(): Promise<void> {
  const request = { pipeline: 'app', approvedBy: 'changes', revisions: [] }
  const { counter } = await builds.schedulePipeline(request)
  acknowledge({ counter })
}

async function build(agentUuid: string, job: JobInstance): Promise<void> {
  acknowledge({ job })
  for (const report of REPORTS) {
    acknowledge({ job: await builds.reportJob({ agentUuid, jobId: job.id, report }) })
  }
  if (restMs !== '0') await wait(Number(restMs))
}

function acknowledge(step: object): void {
  process.stdout.write(`${JSON.stringify(step)}\n`)
}
