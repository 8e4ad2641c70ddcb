import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { SavedChange } from '../../configuration/save/configuration-writer.ts'
import { makeCurrent } from '../../configuration/save/config-restoring.ts'
import { planRestore } from './restore-plan.ts'
import { isObstacle, type RestoreDeps, type RestoreScope } from './restore-scope.ts'

export interface RestoreOrder {
  readonly name: string
  readonly scope: RestoreScope
  readonly reason: string
  /** The configuration that the preview was based on. */
  readonly basedOn: Digest
}

/**
 * Carries out a restore as a new revision by the caller, based on the configuration of its preview.
 *
 * @throws {ServiceError} as `planRestore`; `config-stale` when an obstacle exists,
 * `config-invalid`.
 */
export async function restoreNow(
  deps: RestoreDeps,
  principal: Principal,
  { name, scope, reason, basedOn }: RestoreOrder,
): Promise<SavedChange> {
  const { current, result, subject } = await planRestore(deps, principal, { name, scope })
  if (isObstacle(result)) {
    const facts = { current: current.digest, problems: [] }
    throw new ServiceError('config-stale', result.reason, facts)
  }
  return makeCurrent(deps.writer, principal, { document: result, basedOn, subject, reason })
}
