import { findNamedEntity, restoreEntities } from '../../../config/restore-entities.ts'
import { readXml } from '../../../config/xml-reader.ts'
import { nameAt } from '../entity/entity-comparison.ts'
import type { EntityAddress } from '../entity/entity-address.ts'
import { entitySteps } from '../entity/entity-steps.ts'
import type { RestoreDeps, RestoreGround, RestoreResult } from './restore-scope.ts'

/** The current document with one thing of it as it was in a revision, under the name of then. */
export async function planEntity(
  deps: RestoreDeps,
  { revision, before }: RestoreGround,
  address: EntityAddress,
): Promise<RestoreResult> {
  const { kind, name, entity, stage } = address
  const steps = await entitySteps(deps, address)
  const past = nameAt(steps, revision)?.entity ?? entity
  const current = readXml(before)
  const older = readXml(await deps.history.readDocument(revision))
  if (!current.ok) return blocked('The current configuration cannot be read')
  if (!older.ok) return blocked(`r${revision.number} cannot be read, so that no part of it can`)
  if (stage !== null || findNamedEntity(older, past) === null) {
    return blocked(`r${revision.number} has no ${kind} ${name} that could be restored alone`)
  }
  const text = restoreEntities({ current, older }, [{ now: entity, past }])
  if (text !== null) return Buffer.from(text)
  return blocked(`The place where the ${kind} ${name} stood is not there any more`)
}

function blocked(reason: string): RestoreResult {
  return { reason, revision: null }
}
