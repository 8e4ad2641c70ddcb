import { foldEntity, splitEntity } from '../../document/entities/entities.ts'
import type { Permissions } from '../../security/permissions.ts'
import type { GateChange, TouchedEntity } from './rules/question.ts'

/** Whether who hears of a change may hear the name of an entity. */
type MayName = (entity: string) => boolean

/**
 * For a caller with rights in the document before the change: names of what the caller may view there, and of what
 * the change adds. Other entities meet rules because a template changes that they use, or because a document lacks them.
 */
export function namesForCaller({ entities }: GateChange, rights: Permissions): MayName {
  const touched = byName(entities)
  return (entity) => {
    const own = touched.get(foldEntity(entity))
    if (own?.before === null) return true
    return [entity, ...(own?.names ?? [])].some((name) => mayView(rights, name))
  }
}

/** For everybody who may view the entities that a proposal is about, whatever else merging it reaches. */
export function namesInProposal({ entities }: GateChange, about: readonly string[]): MayName {
  const known = new Set(about.map(foldEntity))
  const own = entities.filter(({ names }) => names.some((name) => known.has(name)))
  const groups = new Set(own.flatMap((each) => each.groups.map((name) => `group/${name}`)))
  const touched = byName(own)
  return (entity) => touched.has(foldEntity(entity)) || groups.has(entity)
}

function byName(entities: readonly TouchedEntity[]): ReadonlyMap<string, TouchedEntity> {
  return new Map(entities.map((each) => [foldEntity(each.entity), each]))
}

/** Entities without rights of their own are for administrators of the server; one that is alone of its kind has no name. */
function mayView(rights: Permissions, entity: string): boolean {
  const { kind, name } = splitEntity(entity)
  if (rights.isAdministrator || name === '') return true
  if (kind === 'pipeline') return rights.mayView(name)
  if (kind === 'group') return rights.mayViewGroup(name)
  return kind === 'template' && rights.mayViewTemplate(name)
}
