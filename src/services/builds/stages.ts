import type { Builds } from '../../builds/builds.ts'
import type { JobInstance } from '../../builds/documents.ts'
import { stagePlan } from '../../builds/plan.ts'
import type { StageRun } from '../../builds/queries.ts'
import { runNotFound, stageNotFound } from '../../builds/stage-not-found.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Page } from '../../core/page.ts'
import type { Principal } from '../../core/principal.ts'
import type { AgentDirectory } from '../agents/agent-directory.ts'
import { type Access, assertMay } from '../permission.ts'
import type { ConfiguredPlans } from './plans.ts'

export type { JobInstance } from '../../builds/documents.ts'
export type { StageRun } from '../../builds/queries.ts'

export interface StagesDeps {
  readonly access: Access
  readonly builds: Builds
  readonly plans: ConfiguredPlans
  readonly directory: AgentDirectory
}

/** A stage of a pipeline. */
export interface StageName {
  readonly pipeline: string
  readonly stage: string
}

/**
 * Cancels the newest run of a stage that is in progress, and tells whether there was one.
 *
 * @throws {ServiceError} `stage-not-found`, `not-authorized`.
 */
export async function cancelStage(
  deps: StagesDeps,
  principal: Principal,
  name: StageName,
): Promise<'cancelled' | 'not-active'> {
  await assertKnown(deps, name)
  assertMay(deps.access, principal, { action: 'cancel-stage', ...name })
  return (await deps.builds.cancelStage(name)) ? 'cancelled' : 'not-active'
}

/**
 * One run of a stage.
 *
 * @throws {ServiceError} `stage-not-found`, `not-permitted`.
 */
export async function readStageRun(
  deps: StagesDeps,
  principal: Principal,
  run: StageName & { readonly pipelineCounter: number; readonly stageCounter: number },
): Promise<StageRun> {
  assertMay(deps.access, principal, { action: 'view-pipeline', pipeline: run.pipeline })
  const found = await deps.builds.stageInstance(run)
  if (!found) throw runNotFound(run)
  return found
}

/**
 * The runs of a stage, newest first.
 *
 * @throws {ServiceError} `stage-not-found`, `not-permitted`.
 */
export async function listStageRuns(
  deps: StagesDeps,
  principal: Principal,
  { offset, ...name }: StageName & { readonly offset: number },
): Promise<Page<StageRun>> {
  assertMay(deps.access, principal, { action: 'view-pipeline', pipeline: name.pipeline })
  const page = await deps.builds.stageHistory(name, offset)
  if (page.pagination.total === 0) await assertKnown(deps, name)
  return page
}

/**
 * The jobs that an agent ran, newest end first, to any user.
 *
 * @throws {ServiceError} `agent-not-found` for an agent that is unknown and never ran any.
 */
export async function listJobRuns(
  { builds, directory }: StagesDeps,
  uuid: string,
  offset: number,
): Promise<Page<JobInstance>> {
  const page = await builds.jobRunHistory(uuid, offset)
  if (page.pagination.total > 0 || directory.find(uuid)) return page
  throw new ServiceError('agent-not-found', `There is no agent ${uuid}`, { uuid })
}

/** In the configuration, or of the past. */
async function assertKnown({ plans, builds }: StagesDeps, name: StageName): Promise<void> {
  const plan = plans.pipelinePlan(name.pipeline)
  if (plan && stagePlan(plan, name.stage)) return
  const { pagination } = await builds.stageHistory(name, 0)
  if (pagination.total === 0) throw stageNotFound(name)
}
