import { assertKind } from '../../configuration/entities/read-entity.ts'
import { placedInSent } from '../../configuration/entities/save-entity.ts'
import { assertMay, type Permission } from '../../configuration/access/permission.ts'
import type { Principal } from '../../core/principal.ts'
import {
  type EntityPlace,
  findEntity,
  putEntity,
  sentEntity,
} from '../../document/edit/entity-edits.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import {
  NO_EFFECTS,
  type Plan,
  type PlanDeps,
  planDocument,
  type PlannedSave,
} from './plan-configuration.ts'
import { planFor, type ShownPlan } from './plan-view.ts'

/** The text of an entity that might be saved, and the reason. */
export interface EntityToPlan extends Pick<PlannedSave, 'message'> {
  readonly place: EntityPlace
  readonly xml: Uint8Array<ArrayBuffer>
  /** The group of a new pipeline; null where none is named. */
  readonly group: string | null
}

/**
 * Computes the effects of saving one entity now; nothing is saved. Those who may view it may ask. What
 * they may not view of its effects is counted.
 *
 * @throws {ServiceError} `malformed-request`, `entity-not-found` for a group that is not there,
 * `not-permitted`.
 */
export async function planEntity(
  deps: PlanDeps,
  principal: Principal,
  { place, xml, group, message }: EntityToPlan,
): Promise<ShownPlan> {
  assertKind(place.kind)
  const current = deps.configuration.read()
  const isThere = findEntity(current.root, place) !== null
  assertMay(deps.access, principal, viewing(place, isThere ? null : group))
  const reading = await runCooperatively(readXml(xml))
  if (!reading.ok) return planFor(deps, principal, unreadable(deps, reading.problems))
  const sent = sentEntity(reading, place)
  const edited = putEntity(current, sent, group)
  const document = new Uint8Array(Buffer.from(edited))
  const plan = await planDocument(deps, document, { door: 'entity', principal, message })
  const errors = await placedInSent(plan.errors, { edited, sent, lines: reading.lines })
  return planFor(deps, principal, { plan: { ...plan, errors }, document })
}

/**
 * Computes the effects of saving a document that was made for a caller, with those that the caller may
 * not know of left out.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function planChange(
  deps: PlanDeps,
  principal: Principal,
  { document, ...save }: PlannedSave & { readonly document: Uint8Array<ArrayBuffer> },
): Promise<ShownPlan> {
  assertMay(deps.access, principal, { action: 'administer-something' })
  const plan = await planDocument(deps, document, { ...save, principal })
  return planFor(deps, principal, { plan, document })
}

/** The permission without which an entity may not be viewed; of a new pipeline, its group. */
function viewing({ kind, name }: EntityPlace, group: string | null): Permission {
  if (kind === 'pipeline') {
    return group === null
      ? { action: 'view-pipeline', pipeline: name }
      : { action: 'view-group', group }
  }
  if (kind === 'group') return { action: 'administer-group', group: name }
  if (kind === 'template') return { action: 'administer-template', template: name }
  return { action: 'administer' }
}

function unreadable({ history }: PlanDeps, errors: Plan['errors']) {
  const base = history.current().digest
  return { plan: { ...NO_EFFECTS, base, result: null, valid: false, errors }, document: null }
}
