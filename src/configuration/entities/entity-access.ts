import { type EntityElement, entityOf } from '../../document/entities/entities.ts'
import type { Principal } from '../../core/principal.ts'
import { type Access, assertMay, type Permission } from '../access/permission.ts'

/**
 * Asserts that a caller administers an entity: its group, its template, or the server. One that is not
 * there, and one of any other kind, is for administrators of the server. What the caller may not view is
 * refused as if it were not there: the group that it is in is not named.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function assertAdministers(
  access: Access,
  principal: Principal,
  entity: EntityElement | null,
): void {
  const needed = administering(entity)
  if (access.may(principal, needed)) return
  assertMay(access, principal, mayView(access, principal, needed) ? needed : administering(null))
}

function mayView(access: Access, principal: Principal, needed: Permission): boolean {
  if (needed.action === 'administer-group')
    return access.may(principal, { action: 'view-group', group: needed.group })
  if (needed.action === 'administer-template')
    return access.may(principal, { action: 'view-template', template: needed.template })
  return true
}

export function administers(access: Access, principal: Principal, entity: EntityElement): boolean {
  return access.may(principal, administering(entity))
}

function administering(entity: EntityElement | null): Permission {
  if (entity?.kind.word === 'group') return { action: 'administer-group', group: entity.name }
  if (entity?.kind.word === 'template') {
    return { action: 'administer-template', template: entity.name }
  }
  const holder = entity?.element.parent ? entityOf(entity.element.parent) : null
  return holder?.kind.word === 'group' ? administering(holder) : { action: 'administer' }
}
