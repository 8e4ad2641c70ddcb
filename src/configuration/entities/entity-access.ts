import { type EntityElement, entityOf } from '../../document/entities/entities.ts'
import type { Principal } from '../../core/principal.ts'
import { type Access, assertMay, type Permission } from '../access/permission.ts'

/**
 * Asserts that a caller administers an entity: its group, its template, or the server. One that is not
 * there, and one of any other kind, is for administrators of the server.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function assertAdministers(
  access: Access,
  principal: Principal,
  entity: EntityElement | null,
): void {
  assertMay(access, principal, administering(entity))
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
