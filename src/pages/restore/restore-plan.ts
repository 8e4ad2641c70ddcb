import type { Principal } from '../../core/principal.ts'
import { findNamed } from '../revisions/numbered-revision.ts'
import { planEntity } from './plan-entity.ts'
import { planUndoing } from './plan-undoing.ts'
import type { RestoreDeps, RestoreGround, RestoreResult, RestoreScope } from './restore-scope.ts'

/** The effect of a restore on the current document. */
export interface RestorePlan extends RestoreGround {
  readonly scope: RestoreScope
  /** The commit subject, without the reason. */
  readonly subject: string
  /** The resulting document, or the obstacle. */
  readonly result: RestoreResult
}

/**
 * Plans a restore from the revision that an address names.
 *
 * @throws {ServiceError} `revision-not-found`, `entity-not-found`, `not-permitted`; `unavailable`
 * while the changes of the revisions are not indexed.
 */
export async function planRestore(
  deps: RestoreDeps,
  principal: Principal,
  { name, scope }: { readonly name: string; readonly scope: RestoreScope },
): Promise<RestorePlan> {
  const revision = findNamed(deps, principal, name)
  const current = findNamed(deps, principal, 'current')
  const ground = { revision, current, before: await deps.history.readDocument(current) }
  const of = `r${revision.number} by ${revision.username}`
  switch (scope.kind) {
    case 'revision': {
      const result = await deps.history.readDocument(revision)
      return { ...ground, scope, subject: `Restore ${of}`, result }
    }
    case 'entity': {
      const { kind, name: called } = scope.address
      const result = await planEntity(deps, ground, scope.address)
      return { ...ground, scope, subject: `Restore ${kind} ${called} of ${of}`, result }
    }
    case 'change':
      return {
        ...ground,
        scope,
        subject: `Undo ${of}`,
        result: await planUndoing(deps, ground),
      }
  }
}
