import type { StageName } from './keys.ts'
import { ServiceError } from '../../core/errors.ts'

export function pipelineNotFound(pipeline: string): ServiceError {
  return new ServiceError('pipeline-not-found', `There is no pipeline ${pipeline}`, { pipeline })
}

/** A stage that exists neither in the configuration nor in the history. */
export function stageNotFound({ pipeline, stage }: StageName): ServiceError {
  const message = `There is no stage ${stage} in a pipeline ${pipeline}`
  return new ServiceError('stage-not-found', message, { pipeline, stage })
}

/** A run that a stage never had. */
export function runNotFound({ pipeline, stage }: StageName): ServiceError {
  const message = `There is no such run of the stage ${stage} of the pipeline ${pipeline}`
  return new ServiceError('stage-not-found', message, { pipeline, stage })
}
