import { readDocument } from '../../config/document.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import { type ComparisonDeps, type DocumentComparison } from './compare/comparison.ts'
import { findNamed, type NumberedRevision } from './numbered-revision.ts'

/** What restoring a revision would change, from what is current to the result. */
export interface RestorePreview {
  readonly revision: NumberedRevision
  readonly current: NumberedRevision
  /** What today's rules have against the revision; it cannot be restored while there is any. */
  readonly problems: readonly Problem[]
  readonly comparison: DocumentComparison
}

/**
 * What restoring a revision would change.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export async function previewRestore(
  deps: ComparisonDeps,
  principal: Principal,
  name: string,
): Promise<RestorePreview> {
  const revision = findNamed(deps, principal, name)
  const current = findNamed(deps, principal, 'current')
  const [before, after] = await Promise.all([
    deps.history.readDocument(current),
    deps.history.readDocument(revision),
  ])
  const reading = readDocument(after)
  const comparison = await deps.compare([before, after], {
    context: 3,
    whitespace: 'keep',
    expanded: new Set<number>(),
    entity: '',
    start: 0,
  })
  return { revision, current, problems: reading.ok ? [] : reading.problems, comparison }
}
