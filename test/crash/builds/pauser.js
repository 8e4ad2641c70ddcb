// Pauses and unpauses a pipeline without end, and prints each step once it is acknowledged, until it is killed.
import { Builds } from '../../../dist/builds/engine/builds.js'
import { openSqliteState } from '../../../dist/state/open-sqlite.js'

const PLAN = { name: 'app', labelTemplate: '${COUNT}', locking: false, stages: [] }

const [, , file, first] = process.argv
const store = await openSqliteState(file)
const plans = { pipelinePlan: () => PLAN, environmentsOf: () => [], agents: () => [] }
const builds = await Builds.open({ store, clock: Date.now, plans })

for (let step = Number(first); ; step += 1) {
  if (step % 3 === 0) await builds.unpausePipeline('app')
  else await builds.pausePipeline({ pipeline: 'app', by: 'ana', cause: `${step}` })
  process.stdout.write(`${step}\n`)
}
