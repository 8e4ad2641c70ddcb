import { ServiceError } from '../../core/errors.ts'
import {
  MAINTENANCE,
  MAINTENANCE_KEY,
  maintenanceObstacle,
} from '../../core/service/maintenance.ts'
import { nameKey } from '../../core/name-key.ts'
import type { StateReader } from '../../state/documents.ts'
import type { BuildChange } from './change.ts'
import { PIPELINE_PAUSE, type PipelinePause } from './documents.ts'
import type { PipelinePlan, Plans } from './plan.ts'

export interface PauseRequest {
  readonly pipeline: string
  /** A user, or the server. */
  readonly by: string
  /** Empty when no reason was given. */
  readonly cause: string
}

export interface PausesRequest extends Omit<PauseRequest, 'pipeline'> {
  readonly pipelines: readonly string[]
}

/** Prevents new runs of a pipeline. Active runs continue, including their automatic stages. */
export async function recordPause(
  { tx, now }: BuildChange,
  { pipeline, by, cause }: PauseRequest,
): Promise<void> {
  await tx.put(PIPELINE_PAUSE, pauseKey(pipeline), { by, cause, since: now })
}

/** Pauses several pipelines; one that is already paused keeps its user and cause. */
export async function recordPauses(
  change: BuildChange,
  { pipelines, ...facts }: PausesRequest,
): Promise<void> {
  for (const pipeline of pipelines) {
    if ((await pauseOf(change.tx, pipeline)) === null) {
      await recordPause(change, { pipeline, ...facts })
    }
  }
}

/** Permits runs of a pipeline again; returns whether it was paused. */
export async function removePause(
  { tx, effects }: BuildChange,
  pipeline: string,
): Promise<boolean> {
  if ((await pauseOf(tx, pipeline)) === null) return false
  await tx.remove(PIPELINE_PAUSE, pauseKey(pipeline))
  effects.events.push({ type: 'pipeline-unpaused', pipeline })
  return true
}

/** The keys of pauses of pipelines that are no longer configured. */
export async function removedPauses(reader: StateReader, plans: Plans): Promise<readonly string[]> {
  const keys = (await reader.list(PIPELINE_PAUSE)).map(({ key }) => key)
  return keys.filter((key) => plans.pipelinePlan(key) === null)
}

/** A later pipeline with the name of a removed one is a different pipeline. */
export async function forgetPauses({ tx, plans }: BuildChange): Promise<void> {
  for (const key of await removedPauses(tx, plans)) await tx.remove(PIPELINE_PAUSE, key)
}

export function pauseOf(reader: StateReader, pipeline: string): Promise<PipelinePause | null> {
  return reader.find(PIPELINE_PAUSE, pauseKey(pipeline))
}

/** The reason why nothing of a pipeline can start: maintenance, or its pause. Null when there is none. */
export async function pauseObstacle(
  reader: StateReader,
  { name: pipeline }: Pick<PipelinePlan, 'name'>,
): Promise<ServiceError<'pipeline-paused' | 'maintenance'> | null> {
  const refused = maintenanceObstacle('starts', await reader.find(MAINTENANCE, MAINTENANCE_KEY))
  if (refused !== null) return refused
  const pause = await pauseOf(reader, pipeline)
  if (!pause) return null
  const { by, cause } = pause
  const message = `The pipeline ${pipeline} is paused by ${by}${cause === '' ? '' : `: ${cause}`}`
  return new ServiceError('pipeline-paused', message, { pipeline, by, cause })
}

function pauseKey(pipeline: string): string {
  return nameKey(pipeline)
}
