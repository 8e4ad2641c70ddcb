import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import type { DocumentComparison } from '../code/comparison.ts'
import { PLAIN } from '../code/plain-options.ts'
import { planRestore, type RestorePlan } from './restore-plan.ts'
import { isObstacle, type Obstacle, type RestoreDeps, type RestoreScope } from './restore-scope.ts'

/** What a restore would change, from what is current to the result. */
export interface RestorePreview extends Omit<RestorePlan, 'before' | 'result'> {
  readonly obstacle: Obstacle | null
  /** Whether everything is as it would be restored to. */
  readonly isSame: boolean
  /** What today's rules have against the result; it cannot be restored while there is any. */
  readonly problems: readonly Problem[]
  /** Null where there is nothing to compare with. */
  readonly comparison: DocumentComparison | null
}

/**
 * What a restore would change.
 *
 * @throws {ServiceError} as `planRestore`.
 */
export async function previewRestore(
  deps: RestoreDeps,
  principal: Principal,
  asked: { readonly name: string; readonly scope: RestoreScope },
): Promise<RestorePreview> {
  const { before, result, ...plan } = await planRestore(deps, principal, asked)
  if (isObstacle(result)) {
    return { ...plan, obstacle: result, isSame: false, problems: [], comparison: null }
  }
  const inspection = await deps.cache.inspect(result)
  return {
    ...plan,
    obstacle: null,
    isSame: Buffer.compare(before, result) === 0,
    problems: inspection.ok ? [] : inspection.problems,
    comparison: await deps.compare([before, result], PLAIN),
  }
}
