import type { Builds } from '../../builds/builds.ts'
import { runNotFound } from '../../builds/stage-not-found.ts'
import type { Principal } from '../../core/principal.ts'
import { type Access, assertMay } from '../permission.ts'

export interface CancelRunDeps {
  readonly access: Access
  readonly builds: Builds
}

/**
 * Cancels one run of a stage, and tells whether it was in progress.
 *
 * @throws {ServiceError} `stage-not-found`, `not-authorized`.
 */
export async function cancelRun(
  { access, builds }: CancelRunDeps,
  principal: Principal,
  run: {
    readonly pipeline: string
    readonly pipelineCounter: number
    readonly stage: string
    readonly stageCounter: number
  },
): Promise<'cancelled' | 'not-active'> {
  const { pipeline, stage } = run
  assertMay(access, principal, { action: 'cancel-stage', pipeline, stage })
  if ((await builds.stageInstance(run)) === null) throw runNotFound(run)
  return (await builds.cancelRun(run)) ? 'cancelled' : 'not-active'
}
