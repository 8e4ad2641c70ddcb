// Pauses and unpauses a pipeline without end, and prints each step once it is acknowledged, until it is killed.
import { A_CONFIGURATION } from '../../support/builds/build-facts.ts'
import { Builds } from '../../../src/builds/engine/builds.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'

const PLAN = {
  name: 'app',
  group: 'first',
  template: null,
  labelTemplate: '${COUNT}',
  labelVariables: new Map<string, string>(),
  locking: false,
  unlocksWhenFinished: false,
  stages: [],
}

const [, , file = '', first] = process.argv
const store = await openSqliteState(file)
const plans = {
  configuration: () => A_CONFIGURATION,
  pipelinePlan: () => PLAN,
  environmentsOf: () => [],
  agents: () => [],
  whyNoAgent: () => '',
}
const builds = await Builds.open({ store, clock: Date.now, plans })

for (let step = Number(first); ; step += 1) {
  if (step % 3 === 0) await builds.unpausePipeline('app')
  else await builds.pausePipeline({ pipeline: 'app', by: 'ana', cause: `${step}` })
  process.stdout.write(`${step}\n`)
}
