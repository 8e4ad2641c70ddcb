// Builds without end, four agents at once, and prints each step once it is acknowledged, until it is killed.
import { Builds } from '../../../dist/builds/engine/builds.js'
import { openSqliteState } from '../../../dist/state/open-sqlite.js'

const PLAN = {
  name: 'app',
  group: 'first',
  labelTemplate: '${COUNT}',
  locking: false,
  stages: ['test', 'package'].map((name) => ({
    name,
    approvalType: 'success',
    jobs: [{ name: 'unit', resources: [], spread: { type: 'instances', count: 2 } }],
  })),
}
const REPORTS = [
  { state: 'Preparing' },
  { state: 'Building' },
  { state: 'Completing', result: 'Passed' },
  { state: 'Completed', result: 'Passed' },
]

const store = await openSqliteState(process.argv[2])
const plans = { pipelinePlan: () => PLAN, environmentsOf: () => [], agents: () => [] }
const builds = await Builds.open({ store, clock: Date.now, plans })

await Promise.all(['a1', 'a2', 'a3', 'a4'].map(work))

async function work(uuid) {
  for (;;) {
    const job = await builds.assignWork({ uuid, resources: [], environments: [] })
    if (job) await build(uuid, job)
    else await schedule()
  }
}

async function schedule() {
  const request = { pipeline: 'app', approvedBy: 'changes', revisions: [] }
  const { counter } = await builds.schedulePipeline(request)
  acknowledge({ counter })
}

async function build(agentUuid, job) {
  acknowledge({ job })
  for (const report of REPORTS) {
    acknowledge({ job: await builds.reportJob({ agentUuid, jobId: job.id, report }) })
  }
}

function acknowledge(step) {
  process.stdout.write(`${JSON.stringify(step)}\n`)
}
