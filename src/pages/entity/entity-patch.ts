import { assertMay } from '../../configuration/access/permission.ts'
import type { ConfigReadingDeps } from '../../configuration/read/config-reading.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { EntityAddress } from '../revisions/entity-address.ts'
import { type NumberedRevision, revisionNamed } from '../revisions/numbered-revision.ts'
import type { PageThread } from '../work/page-thread.ts'
import { nameAt } from './entity-comparison.ts'
import { entitySteps, type EntityStepsDeps } from './entity-steps.ts'

export interface EntityPatchDeps extends EntityStepsDeps, ConfigReadingDeps {
  readonly work: PageThread
}

/** A patch that gives a document an entity as it is in another revision. */
export interface EntityPatch {
  readonly before: NumberedRevision
  readonly after: NumberedRevision
  /** Unified hunks; none where the entity is the same. */
  readonly hunks: Uint8Array<ArrayBuffer>
}

/**
 * Compares the document of a revision with the same document that has one entity of another
 * revision. It is for administrators, because hunks show lines around the entity.
 *
 * @throws {ServiceError} `not-permitted`, `revision-not-found`; `entity-not-found` where the other
 * revision does not have it, or the document has no place for it.
 */
export async function readEntityPatch(
  deps: EntityPatchDeps,
  principal: Principal,
  address: EntityAddress,
  asked: { readonly from: string; readonly to: string },
): Promise<EntityPatch> {
  assertMay(deps.access, principal, { action: 'administer' })
  const { history } = deps
  const before = revisionNamed(history, asked.from)
  const after = revisionNamed(history, asked.to)
  const steps = await entitySteps(deps, address)
  const nameIn = (revision: NumberedRevision) => nameAt(steps, revision)?.entity ?? address.entity
  const current = await history.readDocument(before)
  const older = await history.readDocument(after)
  const names = { now: nameIn(before), past: nameIn(after) }
  const changed = await deps.work.restoreEntity({ current, older, names })
  if (address.stage !== null || changed.kind !== 'restored') throw noPatch(address, after)
  return { before, after, hunks: await deps.diff(current, changed.document) }
}

function noPatch({ kind, name }: EntityAddress, { number }: NumberedRevision): ServiceError {
  const message = `There is no patch that brings the ${kind} ${name} of r${number}`
  return new ServiceError('entity-not-found', message, { kind, name })
}
