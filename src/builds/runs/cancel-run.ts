import { runNotFound } from '../engine/stage-not-found.ts'
import type { Principal } from '../../core/principal.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import { assertMayActOnRun, type RunRightsDeps } from './run-rights.ts'

/**
 * Cancels one run of a stage; returns whether it was active.
 *
 * @throws {ServiceError} `stage-not-found`, `not-authorized`.
 */
export async function cancelRun(
  deps: RunRightsDeps,
  principal: Principal,
  run: {
    readonly pipeline: string
    readonly pipelineCounter: number
    readonly stage: string
    readonly stageCounter: number
  },
): Promise<'cancelled' | 'not-active'> {
  const { access, builds } = deps
  const { pipeline, stage, pipelineCounter: counter } = run
  assertMay(access, principal, { action: 'cancel-stage', pipeline, stage })
  await assertMayActOnRun(deps, principal, { action: 'cancel-run', pipeline, stage, counter })
  if ((await builds.stageInstance(run)) === null) throw runNotFound(run)
  return (await builds.cancelRun(run, principal.username)) ? 'cancelled' : 'not-active'
}
