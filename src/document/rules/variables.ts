import { nameKey } from '../../core/name-key.ts'
import type { Stage, Variable } from '../model/model.ts'
import { shorten } from '../text/shown-text.ts'
import { type Finding, repeats } from '../model/finding.ts'
import type { PipelineRule, RuleContext } from './rule-context.ts'

/** ENV-1 in environments. */
export function* environmentVariables({ written }: RuleContext): Generator<Finding> {
  for (const { name, variables } of written.environments) {
    yield* checkVariables(variables, { kind: 'environment', name })
  }
}

/** ENV-1 in pipelines. */
export const pipelineVariables: PipelineRule = ({ name, variables }) =>
  checkVariables(variables, { kind: 'pipeline', name })

/** ENV-1 in stages and their jobs. */
export function* stageVariables({ name, variables, jobs }: Stage): Generator<Finding> {
  yield* checkVariables(variables, { kind: 'stage', name })
  for (const job of jobs) yield* checkVariables(job.variables, { kind: 'job', name: job.name })
}

interface Owner {
  readonly kind: 'environment' | 'pipeline' | 'stage' | 'job'
  readonly name: string
}

function* checkVariables(variables: readonly Variable[], owner: Owner): Generator<Finding> {
  for (const { item } of repeats(variables, ({ name }) => (name === '' ? null : nameKey(name)))) {
    const message = `the environment variable "${shorten(item.name)}" is already in the ${worded(owner)}`
    yield { at: item.at, message }
  }
  for (const variable of variables) yield* checkVariable(variable, owner)
}

function* checkVariable(variable: Variable, owner: Owner): Generator<Finding> {
  const { at, name, secure, value, encryptedValue } = variable
  const which = () => `environment variable "${shorten(name)}" of the ${worded(owner)}`
  if (name === '') {
    yield { at, message: `an environment variable of the ${worded(owner)} has no name` }
  }
  if (!secure && encryptedValue !== null) {
    yield { at, message: `the ${which()} has an encrypted value but is not secure` }
  } else if (value === null && encryptedValue === null) {
    yield { at, message: `the ${which()} has no value` }
  }
}

function worded({ kind, name }: Owner): string {
  return `${kind} "${shorten(name)}"`
}
