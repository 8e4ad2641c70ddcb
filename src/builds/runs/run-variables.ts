import type { RunVariable } from '../engine/documents.ts'
import type { Environment, Pipeline, Variable } from '../../document/model/model.ts'
import { malformedRequest, ServiceError } from '../../core/errors.ts'

/** Where the variables of a pipeline are defined. */
export interface VariableScope {
  readonly pipeline: Pipeline
  /** The environments that contain the pipeline. */
  readonly environments: readonly Environment[]
}

const HIDDEN = '****'

/**
 * Asserts that each variable can be given to a run: one of its jobs has it, and it is secure in
 * both or in neither. A mismatch would store and show a secret in plain text.
 *
 * @throws {ServiceError} `variable-not-found`, `malformed-request`.
 */
export function assertVariables(scope: VariableScope, given: readonly RunVariable[]): void {
  const secured = configuredVariables(scope)
  for (const { name, secure } of given) {
    const isSecure = secured.get(name)
    if (isSecure === undefined) throw notFound(scope.pipeline.name, name)
    if (isSecure !== secure) throw misplaced(name, isSecure)
  }
}

/** A variable of a run as every caller may see it. */
export function shownVariable({ name, value, secure }: RunVariable): RunVariable {
  return { name, value: secure ? HIDDEN : value, secure }
}

/** The variables of the pipeline at every level, and whether they are secure at any. */
export function configuredVariables({
  pipeline,
  environments,
}: VariableScope): ReadonlyMap<string, boolean> {
  const secured = new Map<string, boolean>()
  for (const variable of variablesOf({ pipeline, environments })) {
    const isSecure = variable.secure || variable.encryptedValue !== null
    secured.set(variable.name, isSecure || secured.get(variable.name) === true)
  }
  return secured
}

function variablesOf({ pipeline, environments }: VariableScope): readonly Variable[] {
  const stages = pipeline.stages.flatMap(({ variables, jobs }) => [
    ...variables,
    ...jobs.flatMap((job) => job.variables),
  ])
  return [...environments.flatMap(({ variables }) => variables), ...pipeline.variables, ...stages]
}

function notFound(pipeline: string, name: string): ServiceError {
  const message = `The variable ${name} is not defined for the pipeline ${pipeline}`
  return new ServiceError('variable-not-found', message, { pipeline, name })
}

function misplaced(name: string, isSecure: boolean): ServiceError {
  const field = isSecure ? 'secure_variables' : 'variables'
  const message = `The variable ${name} is ${isSecure ? '' : 'not '}secure: give it as ${field}[${name}]`
  return malformedRequest(message, `${isSecure ? 'variables' : 'secure_variables'}[${name}]`)
}
