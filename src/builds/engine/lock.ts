import { ServiceError } from '../../core/errors.ts'
import { nameKey } from '../../core/name-key.ts'
import type { StateReader } from '../../state/documents.ts'
import type { BuildChange } from './change.ts'
import { PIPELINE_LOCK, type PipelineInstance } from './documents.ts'
import type { PipelinePlan } from './plan.ts'

/** The run that holds the lock, or null; a lock counts only while the configuration requires it. */
export async function lockHolder(reader: StateReader, plan: PipelinePlan): Promise<number | null> {
  return plan.locking ? reader.find(PIPELINE_LOCK, lockKey(plan.name)) : null
}

/**
 * The reason why a run, or a new one, cannot continue while another one holds the lock; or null.
 */
export async function lockObstacle(
  reader: StateReader,
  plan: PipelinePlan,
  run: PipelineInstance | null,
): Promise<ServiceError<'pipeline-locked'> | null> {
  const counter = await lockHolder(reader, plan)
  if (counter === null || counter === run?.counter) return null
  const message = `The pipeline ${plan.name} is locked by its run ${counter}`
  return new ServiceError('pipeline-locked', message, { pipeline: plan.name, counter })
}

export async function takeLock(
  { tx }: BuildChange,
  plan: PipelinePlan,
  { counter }: PipelineInstance,
): Promise<void> {
  if (plan.locking) await tx.put(PIPELINE_LOCK, lockKey(plan.name), counter)
}

/** Releases the lock if this run holds it; returns whether it did. */
export async function dropLock(
  { tx, effects }: BuildChange,
  { name, counter }: Pick<PipelineInstance, 'name' | 'counter'>,
): Promise<boolean> {
  const held = (await tx.find(PIPELINE_LOCK, lockKey(name))) === counter
  if (!held) return false
  await tx.remove(PIPELINE_LOCK, lockKey(name))
  effects.events.push({ type: 'pipeline-unlocked', pipeline: name })
  return true
}

export function lockKey(pipeline: string): string {
  return nameKey(pipeline)
}
