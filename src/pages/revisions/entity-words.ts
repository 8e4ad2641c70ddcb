import { foldEntity, isLabelled, splitEntity } from '../../document/entities/entities.ts'
import type { EntityIndex } from '../../index/entity-index.ts'

interface EntityWordsDeps {
  readonly entities: Pick<EntityIndex, 'newestOf' | 'changesAbout'>
}

/** An entity in words, such as `pipeline shop`: an agent by the host that the history knows it by. */
export function entityWords(deps: EntityWordsDeps, entity: string): string {
  return `${splitEntity(entity).kind} ${knownLabel(deps, entity)}`.trimEnd()
}

/** The name of an entity for people; its own name while none is known. */
export function knownLabel({ entities }: EntityWordsDeps, entity: string): string {
  const { name } = splitEntity(entity)
  if (!isLabelled(entity)) return name
  const folded = foldEntity(entity)
  const newest = entities.newestOf([folded])
  const [change] = newest === null ? [] : entities.changesAbout(newest, folded)
  return change?.label ?? name
}
