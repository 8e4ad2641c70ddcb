import type { PipelineRun, StageName } from '../engine/keys.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { findRevisionNamed } from '../../configuration/read/named-revision.ts'
import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import type { History } from '../../history/history.ts'
import { AssignmentRefusal } from '../assignment/secrets.ts'
import type { RunConfiguration } from '../engine/documents.ts'
import { runNotFound } from '../engine/stage-not-found.ts'
import type { EffectivePipelines } from '../configured/effective-pipelines.ts'
import type { FormerPipeline, FormerPipelines } from '../configured/former-pipelines.ts'
import type { RunRightsDeps } from './run-rights.ts'

export interface FormerRunsDeps extends RunRightsDeps {
  readonly history: History
  readonly pipelines: EffectivePipelines
  readonly former: FormerPipelines
}

/**
 * The pipeline as a named revision has it, or null where none is named. It takes the administration
 * of the group, because an earlier configuration may do what the one in force does not.
 *
 * @throws {ServiceError} `not-permitted`, `revision-not-found`, or `not-schedulable` when a run cannot
 * be made from it.
 */
export async function formerOfRun(
  deps: FormerRunsDeps,
  principal: Principal,
  of: { readonly pipeline: string; readonly configuration: string | null },
): Promise<FormerPipeline | null> {
  const { pipeline, configuration } = of
  if (configuration === null) return null
  assertMayAskForThen(deps, principal, pipeline)
  const { digest, commit } = await findRevisionNamed(deps.history, configuration)
  return readFormer(deps, principal, { pipeline, stage: '', by: { digest, commit } })
}

/**
 * The pipeline as the configuration has it by which a stage of a run was scheduled last, or the run
 * itself where the stage has not run yet.
 *
 * @throws {ServiceError} as {@link formerOfRun}; `not-schedulable` for a run that did not record it.
 */
export async function formerOfStage(
  deps: FormerRunsDeps,
  principal: Principal,
  of: PipelineRun & StageName,
): Promise<FormerPipeline> {
  const { pipeline, stage, counter } = of
  assertMayAskForThen(deps, principal, pipeline)
  const run = await deps.builds.pipelineInstance({ pipeline, counter })
  if (!run) throw runNotFound(of)
  const newest = run.stages.find(({ name }) => isSameName(name, stage))
  const earlier =
    newest &&
    (await deps.builds.stage({
      pipeline,
      pipelineCounter: counter,
      stage,
      stageCounter: newest.counter,
    }))
  const configuration = earlier ? earlier.configuration : run.configuration
  if (configuration) return readFormer(deps, principal, { pipeline, stage, by: configuration })
  throw notMade(of, 'the run did not record its configuration')
}

function assertMayAskForThen(
  { access, pipelines }: FormerRunsDeps,
  principal: Principal,
  pipeline: string,
): void {
  const group = pipelines.find(pipeline)?.group
  if (group === undefined) assertMay(access, principal, { action: 'administer' })
  else assertMay(access, principal, { action: 'administer-group', group })
}

/** Reads the pipeline for those who may view the group that it was in: another may have had the name. */
async function readFormer(
  { access, former }: FormerRunsDeps,
  principal: Principal,
  of: StageName & { readonly by: RunConfiguration },
): Promise<FormerPipeline> {
  const { pipeline, by } = of
  const assertMayRead = (group: string) =>
    assertMay(access, principal, { action: 'view-run', pipeline, groups: [group] })
  try {
    return await former.read(by, pipeline, assertMayRead)
  } catch (error) {
    if (error instanceof AssignmentRefusal) throw notMade(of, error.message, error)
    throw error
  }
}

function notMade(
  { pipeline, stage }: StageName,
  reason: string,
  cause?: unknown,
): ServiceError<'not-schedulable'> {
  const message = `The pipeline ${pipeline} cannot run as it was configured then: ${reason}`
  return new ServiceError('not-schedulable', message, { pipeline, stage, reason }, { cause })
}
