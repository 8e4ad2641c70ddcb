import { ServiceError } from '../../core/errors.ts'
import { APPROVED_BY_CHANGES, stageStatus } from '../../core/builds/stage.ts'
import { isSameName } from '../../core/name-key.ts'
import type { BuildChange } from './change.ts'
import { PIPELINE, type PipelineInstance, type StageInstance } from './documents.ts'
import type { SteppedJob } from './job-change.ts'
import { pipelineKey } from './keys.ts'
import { dropLock } from './lock.ts'
import type { StagePlan } from './plan.ts'
import { beginStage } from './schedule.ts'
import { keyOfPipeline, settleStage } from './stage-change.ts'

/** Updates a stage from the results of its jobs, and starts the next one when the stage ends. */
export async function settle(
  change: BuildChange,
  stage: StageInstance,
  steps: readonly SteppedJob[],
): Promise<StageInstance> {
  const settled = await settleStage(change, stage, steps)
  if (settled.finished) await followUp(change, settled.stage)
  return settled.stage
}

async function followUp(change: BuildChange, stage: StageInstance): Promise<void> {
  const { pipelineName: name, pipelineCounter: counter } = stage
  const stages = change.plans.pipelinePlan(name)?.stages ?? []
  const index = stages.findIndex((plan) => isSameName(plan.name, stage.name))
  const next = index < 0 ? null : (stages[index + 1] ?? null)
  if (!next) await dropLock(change, { name, counter })
  if (next?.approvalType !== 'success') return
  if (stageStatus(stage.tally).state !== 'Passed') return
  const pipeline = await change.tx.find(PIPELINE, pipelineKey({ pipeline: name, counter }))
  if (pipeline) await startNext(change, pipeline, next)
}

/** The end of a stage is kept even if the next one cannot start. */
async function startNext(change: BuildChange, pipeline: PipelineInstance, plan: StagePlan) {
  try {
    await beginStage(change, pipeline, { plan, approvedBy: APPROVED_BY_CHANGES })
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not-schedulable') throw error
    await block(change, pipeline, { stage: plan.name, reason: error.message })
  }
}

async function block(
  change: BuildChange,
  pipeline: PipelineInstance,
  blocked: { readonly stage: string; readonly reason: string },
): Promise<void> {
  await change.tx.put(PIPELINE, keyOfPipeline(pipeline), { ...pipeline, blocked })
  const { name, counter } = pipeline
  change.effects.events.push({ type: 'stage-blocked', pipeline: name, counter, ...blocked })
}
