import { ServiceError } from '../core/errors.ts'
import type { Change } from './change.ts'
import { PIPELINE_LOCK } from './documents.ts'
import type { PipelineInstance } from './documents.ts'
import type { PipelinePlan } from './plan.ts'

/** A lock matters only as long as the configuration asks for it. */
export async function assertUnlocked(
  { tx }: Change,
  plan: PipelinePlan,
  run: PipelineInstance | null,
): Promise<void> {
  if (!plan.locking) return
  const counter = await tx.find(PIPELINE_LOCK, lockKey(plan.name))
  if (counter === null || counter === run?.counter) return
  const message = `The pipeline ${plan.name} is locked by its run ${counter}`
  throw new ServiceError('pipeline-locked', message, { pipeline: plan.name, counter })
}

export async function takeLock(
  { tx }: Change,
  plan: PipelinePlan,
  { counter }: PipelineInstance,
): Promise<void> {
  if (plan.locking) await tx.put(PIPELINE_LOCK, lockKey(plan.name), counter)
}

/** Releases the lock if this run holds it, and tells whether it did. */
export async function releaseLock(
  { tx, effects }: Change,
  { name, counter }: Pick<PipelineInstance, 'name' | 'counter'>,
): Promise<boolean> {
  const held = (await tx.find(PIPELINE_LOCK, lockKey(name))) === counter
  if (!held) return false
  await tx.remove(PIPELINE_LOCK, lockKey(name))
  effects.events.push({ type: 'pipeline-unlocked', pipeline: name })
  return true
}

export function lockKey(pipeline: string): string {
  return pipeline.toLowerCase()
}
