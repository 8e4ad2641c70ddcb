import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import type { DocumentComparison } from '../code/comparison.ts'
import { PLAIN } from '../code/plain-options.ts'
import { planRestore, type RestorePlan } from './restore-plan.ts'
import { isObstacle, type Obstacle, type RestoreDeps, type RestoreScope } from './restore-scope.ts'

/** The changes of a restore, from the current document to the result. */
export interface RestorePreview extends Omit<RestorePlan, 'before' | 'result'> {
  readonly obstacle: Obstacle | null
  /** Whether the restore would change nothing. */
  readonly isSame: boolean
  /** Violations of today's rules in the result, which prevent the restore. */
  readonly problems: readonly Problem[]
  /** Null when there is no result to compare. */
  readonly comparison: DocumentComparison | null
}

/**
 * Previews a restore.
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
