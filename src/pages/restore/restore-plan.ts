import type { Principal } from '../../core/principal.ts'
import { findNamed } from '../revisions/numbered-revision.ts'
import { planEntity } from './plan-entity.ts'
import { planUndoing } from './plan-undoing.ts'
import type { RestoreDeps, RestoreGround, RestoreResult, RestoreScope } from './restore-scope.ts'

/** What a restore makes of the current document. */
export interface RestorePlan extends RestoreGround {
  readonly scope: RestoreScope
  /** What it is called in the history, without the reason. */
  readonly subject: string
  /** The result, or what keeps it from being made. */
  readonly result: RestoreResult
}

/**
 * What a restore from the revision that an address names would make of the current document.
 *
 * @throws {ServiceError} `revision-not-found`, `entity-not-found`, `not-permitted`; `unavailable`
 * while it is not known what revisions have changed.
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
