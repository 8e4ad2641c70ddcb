import type { Builds } from '../../builds/builds.ts'
import type { PipelineInstance, StageInstance } from '../../builds/documents.ts'
import { isSameName, type PipelinePlan, stagePlan } from '../../builds/plan.ts'
import { runNotFound, stageNotFound } from '../../builds/stage-not-found.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { type Access, assertMay } from '../permission.ts'
import type { ConfiguredPlans } from './plans.ts'
import type { Triggers } from './triggers/triggers.ts'

export interface StartRunsDeps {
  readonly access: Access
  readonly builds: Builds
  readonly plans: ConfiguredPlans
  readonly triggers: Pick<Triggers, 'startPipeline'>
}

/** Which jobs of a stage are to run: all, those that did not pass, or those named. */
export type JobChoice = 'all' | 'failed' | readonly string[]

/**
 * Starts a run of a pipeline with what its materials have now.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`, `pipeline-locked`, `not-schedulable`.
 */
export async function startPipeline(
  deps: StartRunsDeps,
  principal: Principal,
  name: string,
): Promise<PipelineInstance> {
  assertMay(deps.access, principal, { action: 'operate-pipeline', pipeline: name })
  const plan = planOf(deps, name)
  const approvedBy = principal.username
  return deps.triggers.startPipeline({ pipeline: plan.name, approvedBy })
}

/**
 * Takes the lock of a pipeline from the run that holds it, and tells its counter; null when none does.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`, `pipeline-locked` while that run is in progress.
 */
export async function releaseLock(
  deps: StartRunsDeps,
  principal: Principal,
  pipeline: string,
): Promise<number | null> {
  assertMay(deps.access, principal, { action: 'operate-pipeline', pipeline })
  return deps.builds.unlockPipeline(planOf(deps, pipeline).name)
}

/**
 * Runs a stage of a pipeline run: for the first time, again, or again with some of its jobs.
 *
 * @throws {ServiceError} `stage-not-found`, `not-permitted`, `pipeline-locked`, `not-schedulable`.
 */
export async function startStage(
  deps: StartRunsDeps,
  principal: Principal,
  run: {
    readonly pipeline: string
    readonly stage: string
    readonly counter: number
    readonly jobs: JobChoice
  },
): Promise<StageInstance> {
  const { pipeline, stage, counter } = run
  const plan = deps.plans.pipelinePlan(pipeline)
  if (!plan || !stagePlan(plan, stage)) throw stageNotFound(run)
  assertMay(deps.access, principal, { action: 'operate-stage', pipeline, stage })
  const approvedBy = principal.username
  if (run.jobs === 'all') {
    return deps.builds.scheduleStage({ pipeline, stage, counter, approvedBy })
  }
  const earlier = await newestRun(deps.builds, run)
  const jobs = run.jobs === 'failed' ? namesOfFailed(earlier.jobs) : run.jobs
  return deps.builds.rerunJobs({
    pipeline,
    pipelineCounter: counter,
    stage,
    stageCounter: earlier.counter,
    approvedBy,
    jobs,
  })
}

function planOf({ plans }: StartRunsDeps, pipeline: string): PipelinePlan {
  const plan = plans.pipelinePlan(pipeline)
  if (plan) return plan
  throw new ServiceError('pipeline-not-found', `There is no pipeline ${pipeline}`, { pipeline })
}

async function newestRun(
  builds: Builds,
  run: { readonly pipeline: string; readonly stage: string; readonly counter: number },
) {
  const { pipeline, stage, counter: pipelineCounter } = run
  const instance = await builds.pipelineInstance(run)
  const latest = instance?.stages.find(({ name }) => isSameName(name, stage))
  const stageCounter = latest?.counter ?? 0
  const found = await builds.stageInstance({ pipeline, pipelineCounter, stage, stageCounter })
  if (!found) throw runNotFound(run)
  return { counter: stageCounter, jobs: found.jobs }
}

function namesOfFailed(jobs: readonly { readonly name: string; readonly result: string }[]) {
  return jobs.filter(({ result }) => result !== 'Passed').map(({ name }) => name)
}
