import type { JobInstance, StageInstance } from '../engine/documents.ts'
import type { StageName, StageRunName } from '../engine/keys.ts'
import { stagePlan } from '../engine/plan.ts'
import type { StageRun } from '../engine/queries.ts'
import { runNotFound, stageNotFound } from '../engine/stage-not-found.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Page } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import type { AgentDirectory } from '../../agents/agent-directory.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import type { ConfiguredPlans } from '../configured/plans.ts'
import {
  assertMayActOnRun,
  readViewableRun,
  type RunRightsDeps,
  viewableJobs,
  viewableParts,
} from './run-rights.ts'

export type { JobInstance } from '../engine/documents.ts'
export type { StageName } from '../engine/keys.ts'
export type { StageRun, StageSummary } from '../engine/queries.ts'

export interface StagesDeps extends RunRightsDeps {
  readonly plans: ConfiguredPlans
  readonly directory: AgentDirectory
}

/**
 * Cancels the newest active run of a stage, and returns it; null where there is none.
 *
 * @throws {ServiceError} `stage-not-found`, `not-authorized`.
 */
export async function cancelStage(
  deps: StagesDeps,
  principal: Principal,
  name: StageName,
): Promise<StageInstance | null> {
  await assertKnown(deps, name)
  assertMay(deps.access, principal, { action: 'cancel-stage', ...name })
  const newest = await newestActive(deps, name)
  if (newest !== null) {
    await assertMayActOnRun(deps, principal, { action: 'cancel-run', ...name, counter: newest })
  }
  return deps.builds.cancelStage(name, principal.username)
}

/**
 * Reads one run of a stage.
 *
 * @throws {ServiceError} `stage-not-found`, `not-permitted`.
 */
export async function readStageRun(
  deps: StagesDeps,
  principal: Principal,
  run: StageRunName,
): Promise<StageRun> {
  const [found] = await deps.builds.withJobs([await readStage(deps, principal, run)])
  if (!found) throw runNotFound(run)
  return found
}

/**
 * Reads one run of a stage without its jobs.
 *
 * @throws {ServiceError} as {@link readStageRun}
 */
export async function readStage(
  deps: StagesDeps,
  principal: Principal,
  run: StageRunName,
): Promise<StageInstance> {
  const { pipeline, pipelineCounter: counter } = run
  await readViewableRun(deps, principal, { pipeline, counter })
  const found = await deps.builds.stage(run)
  if (!found) throw runNotFound(run)
  return found
}

/**
 * The runs of a stage, newest first. Runs that the caller may not view are missing from their page.
 *
 * @throws {ServiceError} `stage-not-found`, `not-permitted`.
 */
export async function listStageRuns(
  deps: StagesDeps,
  principal: Principal,
  { offset, ...name }: StageName & { readonly offset: number },
): Promise<Page<StageRun>> {
  const page = await listStages(deps, principal, { offset, ...name })
  return { ...page, items: await deps.builds.withJobs(page.items) }
}

/**
 * The same without their jobs.
 *
 * @throws {ServiceError} as {@link listStageRuns}
 */
export async function listStages(
  deps: StagesDeps,
  principal: Principal,
  { offset, ...name }: StageName & { readonly offset: number },
): Promise<Page<StageInstance>> {
  assertMay(deps.access, principal, { action: 'view-pipeline', pipeline: name.pipeline })
  const page = await deps.builds.stages(name, offset)
  if (page.pagination.total === 0) await assertKnown(deps, name)
  return { ...page, items: await viewableStages(deps, principal, page.items) }
}

/** The runs of stages that the caller may view. */
export function viewableStageRuns(
  deps: RunRightsDeps,
  principal: Principal,
  runs: readonly StageRun[],
): Promise<StageRun[]> {
  return viewableParts(deps, principal, { parts: runs, runOf: ({ stage }) => stage })
}

/** The same runs without their jobs. */
export function viewableStages(
  deps: RunRightsDeps,
  principal: Principal,
  stages: readonly StageInstance[],
): Promise<StageInstance[]> {
  return viewableParts(deps, principal, { parts: stages, runOf: (stage) => stage })
}

/**
 * The jobs that an agent ran, last ended first, for any user. Jobs that the caller may not view are
 * missing from their page.
 *
 * @throws {ServiceError} `agent-not-found` for an unknown agent that never ran a job.
 */
export async function listJobRuns(
  deps: StagesDeps,
  principal: Principal,
  { uuid, offset }: { readonly uuid: string; readonly offset: number },
): Promise<Page<JobInstance>> {
  const page = await deps.builds.jobRunHistory(uuid, offset)
  if (page.pagination.total > 0 || deps.directory.find(uuid)) {
    return { ...page, items: await viewableJobs(deps, principal, page.items) }
  }
  throw new ServiceError('agent-not-found', `There is no agent ${uuid}`, { uuid })
}

/** The counter of the run whose stage would be cancelled, or null. */
async function newestActive({ builds }: StagesDeps, name: StageName): Promise<number | null> {
  return (await builds.activeStages(name)).at(-1)?.pipelineCounter ?? null
}

/** The stage is configured, or has run in the past. */
async function assertKnown({ plans, builds }: StagesDeps, name: StageName): Promise<void> {
  const plan = plans.pipelinePlan(name.pipeline)
  if (plan && stagePlan(plan, name.stage)) return
  const { pagination } = await builds.stages(name, 0)
  if (pagination.total === 0) throw stageNotFound(name)
}

/**
 * Cancels one run of a stage; returns whether it was active.
 *
 * @throws {ServiceError} `stage-not-found`, `not-authorized`.
 */
export async function cancelRun(
  deps: RunRightsDeps,
  principal: Principal,
  run: StageRunName,
): Promise<'cancelled' | 'not-active'> {
  const { access, builds } = deps
  const { pipeline, stage, pipelineCounter: counter } = run
  assertMay(access, principal, { action: 'cancel-stage', pipeline, stage })
  await assertMayActOnRun(deps, principal, { action: 'cancel-run', pipeline, stage, counter })
  if ((await builds.stage(run)) === null) throw runNotFound(run)
  return (await builds.cancelRun(run, principal.username)) ? 'cancelled' : 'not-active'
}
