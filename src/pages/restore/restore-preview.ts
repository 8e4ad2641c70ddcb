import type { Plan } from '../../builds/plan/plan-configuration.ts'
import { planChange } from '../../builds/plan/plan-entity.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import { type DocumentComparison, PLAIN } from '../code/comparison.ts'
import { previewProposal } from '../edit/propose-change.ts'
import type { LeaderPagesContext } from '../frame/pages-context.ts'
import { planRestore, type RestorePlan } from './restore-plan.ts'
import { isObstacle, type Obstacle, type RestoreScope } from './restore-scope.ts'

/** The changes of a restore, from the current document to the result. */
export interface RestorePreview extends Omit<RestorePlan, 'before' | 'result'> {
  readonly obstacle: Obstacle | null
  /** Whether the restore would change nothing. */
  readonly isSame: boolean
  /** Violations of today's rules in the result, which prevent the restore. */
  readonly problems: readonly Problem[]
  /** Null when there is no result to compare. */
  readonly comparison: DocumentComparison | null
  /** The runs and jobs that the result would start and touch; null when there is none. */
  readonly plan: Plan | null
}

/**
 * Previews a restore.
 *
 * @throws {ServiceError} as `planRestore`.
 */
export async function previewRestore(
  context: LeaderPagesContext,
  principal: Principal,
  asked: { readonly name: string; readonly scope: RestoreScope; readonly reason: string },
): Promise<RestorePreview> {
  const deps = context.builds
  const { before, result, ...plan } = await planRestore(deps, principal, asked)
  if (isObstacle(result)) {
    return { ...plan, obstacle: result, isSame: false, problems: [], comparison: null, plan: null }
  }
  const isSame = Buffer.compare(before, result) === 0
  const door = asked.scope.kind === 'change' ? 'undo' : 'restore'
  const inspection = await deps.cache.inspect(result)
  const problems = inspection.ok ? [] : inspection.problems
  if (plan.isForOthers) {
    const nothing = { obstacle: null, isSame, problems: [], comparison: null, plan: null }
    if (isSame) return { ...plan, ...nothing }
    const change = { base: plan.current.digest, after: result, message: asked.reason }
    try {
      return { ...plan, ...nothing, ...(await previewProposal(context, principal, change)) }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'config-invalid') throw error
      return { ...plan, ...nothing, problems: error.facts.problems }
    }
  }
  await deps.gate.assertOwn(principal, { current: before, before, after: result })
  const shown = await deps.gate.viewFor(principal, { before, after: result })
  const hasPlan = inspection.ok && !isSame
  return {
    ...plan,
    obstacle: null,
    isSame,
    problems: await deps.gate.problemsFor(problems, { before, after: result }, principal),
    comparison: await deps.compare(shown, PLAIN),
    plan: hasPlan
      ? await planChange(deps, principal, { document: result, door, message: asked.reason })
      : null,
  }
}
