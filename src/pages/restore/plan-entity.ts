import { nameAt } from '../entity/entity-comparison.ts'
import type { EntityAddress } from '../revisions/entity-address.ts'
import { entitySteps } from '../entity/entity-steps.ts'
import type { RestoreDeps, RestoreGround, RestoreResult } from './restore-scope.ts'

/**
 * The current document with one entity replaced by its text in a revision, under its name at that
 * time.
 */
export async function planEntity(
  deps: RestoreDeps,
  { revision, before }: RestoreGround,
  address: EntityAddress,
): Promise<RestoreResult> {
  const { kind, name, entity, stage } = address
  const steps = await entitySteps(deps, address)
  const past = nameAt(steps, revision)?.entity ?? entity
  const absent = `r${revision.number} has no ${kind} ${name} that could be restored alone`
  if (stage !== null) return blocked(absent)
  const older = await deps.history.readDocument(revision)
  const names = { now: entity, past }
  const restored = await deps.work.restoreEntity({ current: before, older, names })
  switch (restored.kind) {
    case 'restored':
      return restored.document
    case 'current-unreadable':
      return blocked('The current configuration cannot be read')
    case 'older-unreadable':
      return blocked(`r${revision.number} cannot be read, so that no part of it can`)
    case 'absent':
      return blocked(absent)
    case 'no-place':
      return blocked(`The place where the ${kind} ${name} stood is not there any more`)
  }
}

function blocked(reason: string): RestoreResult {
  return { reason, revision: null }
}
