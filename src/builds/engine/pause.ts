import { ServiceError } from '../../core/errors.ts'
import { nameKey } from '../../core/name-key.ts'
import type { BuildReader } from './build-store.ts'
import type { BuildChange } from './change.ts'
import { PIPELINE_PAUSE } from './documents.ts'
import type { PipelinePause } from './documents.ts'
import type { PipelinePlan, Plans } from './plan.ts'

export interface PauseRequest {
  readonly pipeline: string
  /** A user. */
  readonly by: string
  /** Empty when nobody said why. */
  readonly cause: string
}

/** Lets no run of a pipeline start from now on. What is in progress goes on, with the stages that follow by themselves. */
export async function pausePipeline(
  { tx, now }: BuildChange,
  { pipeline, by, cause }: PauseRequest,
): Promise<void> {
  await tx.put(PIPELINE_PAUSE, pauseKey(pipeline), { by, cause, since: now })
}

/** Lets runs of a pipeline start again, and tells whether they were kept from it. */
export async function unpausePipeline(
  { tx, effects }: BuildChange,
  pipeline: string,
): Promise<boolean> {
  if ((await pauseOf(tx, pipeline)) === null) return false
  await tx.remove(PIPELINE_PAUSE, pauseKey(pipeline))
  effects.events.push({ type: 'pipeline-unpaused', pipeline })
  return true
}

/** The pauses of pipelines that the configuration no longer has, by their keys. */
export async function removedPauses(reader: BuildReader, plans: Plans): Promise<readonly string[]> {
  const keys = (await reader.list(PIPELINE_PAUSE)).map(({ key }) => key)
  return keys.filter((key) => plans.pipelinePlan(key) === null)
}

/** A pipeline that gets the name of a removed one later is another one. */
export async function forgetPauses({ tx, plans }: BuildChange): Promise<void> {
  for (const key of await removedPauses(tx, plans)) await tx.remove(PIPELINE_PAUSE, key)
}

export function pauseOf(reader: BuildReader, pipeline: string): Promise<PipelinePause | null> {
  return reader.find(PIPELINE_PAUSE, pauseKey(pipeline))
}

/** What keeps a paused pipeline from starting anything, or null. */
export async function pauseObstacle(
  reader: BuildReader,
  { name: pipeline }: Pick<PipelinePlan, 'name'>,
): Promise<ServiceError<'pipeline-paused'> | null> {
  const pause = await pauseOf(reader, pipeline)
  if (!pause) return null
  const { by, cause } = pause
  const message = `The pipeline ${pipeline} is paused by ${by}${cause === '' ? '' : `: ${cause}`}`
  return new ServiceError('pipeline-paused', message, { pipeline, by, cause })
}

function pauseKey(pipeline: string): string {
  return nameKey(pipeline)
}
