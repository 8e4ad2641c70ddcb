import { pipelineNotFound } from '../engine/stage-not-found.ts'
import type { Builds, PipelineStatus } from '../engine/builds.ts'
import type { Principal } from '../../core/principal.ts'
import { type Access, assertMay } from '../../configuration/access/permission.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'

export type { PipelineStatus } from '../engine/builds.ts'

export interface PausingDeps {
  readonly access: Access
  readonly builds: Builds
  readonly pipelines: EffectivePipelines
}

/** By whom and why pipelines are paused after a start with `--start-paused`. */
export const STARTED_PAUSED = { by: 'Server', cause: 'Started with --start-paused' } as const

/** Longer reasons are cut at this number of characters, as in the original server. */
const MAX_CAUSE_LENGTH = 255

/**
 * Prevents new runs of a pipeline until it is unpaused. Active runs continue.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`.
 */
export async function pausePipeline(
  deps: PausingDeps,
  principal: Principal,
  { pipeline, cause }: { readonly pipeline: string; readonly cause: string },
): Promise<void> {
  const name = operatedName(deps, principal, pipeline)
  const shortened = cause.trim().slice(0, MAX_CAUSE_LENGTH).toWellFormed()
  await deps.builds.pausePipeline({ pipeline: name, by: principal.username, cause: shortened })
}

/**
 * Permits runs of a pipeline again; returns whether it was paused.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`.
 */
export async function unpausePipeline(
  deps: PausingDeps,
  principal: Principal,
  pipeline: string,
): Promise<boolean> {
  return deps.builds.unpausePipeline(operatedName(deps, principal, pipeline))
}

/**
 * Reads whether a pipeline is paused, is locked, and could start a run now.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`.
 */
export async function readPipelineStatus(
  { access, builds }: PausingDeps,
  principal: Principal,
  pipeline: string,
): Promise<PipelineStatus> {
  assertMay(access, principal, { action: 'view-pipeline', pipeline })
  const status = await builds.pipelineStatus(pipeline)
  if (status) return status
  throw pipelineNotFound(pipeline)
}

function operatedName(
  { access, pipelines }: PausingDeps,
  principal: Principal,
  pipeline: string,
): string {
  assertMay(access, principal, { action: 'operate-pipeline', pipeline })
  const found = pipelines.find(pipeline)
  if (found) return found.pipeline.name
  throw pipelineNotFound(pipeline)
}
