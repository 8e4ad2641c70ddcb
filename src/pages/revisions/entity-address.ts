import { DOCUMENT, ENTITY_PREFIXES, foldEntity, SERVER } from '../../document/entities/entities.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { EffectivePipelines } from '../../builds/configured/effective-pipelines.ts'
import { type Access, assertMay } from '../../configuration/access/permission.ts'

/** An entity with a history page: an entity of the index, or a stage of a pipeline. */
export interface EntityAddress {
  readonly kind: string
  readonly name: string
  /** The key of the entity in the index, such as `pipeline/checkout`, normalised. */
  readonly entity: string
  /** The stage of the pipeline, or null for the whole entity. */
  readonly stage: string | null
}

export interface EntityAccessDeps {
  readonly access: Access
  readonly pipelines: EffectivePipelines
}

/** The kind of a stage, whose name is its pipeline, a slash and its own name. */
const STAGE = 'stage'

/** Whether entities of a kind have a history of their own. */
export function hasHistory(kind: string): boolean {
  return kind !== DOCUMENT && ENTITY_PREFIXES.includes(kind)
}

/** @throws {ServiceError} `entity-not-found` for a kind that has no history of its own. */
export function entityAddress(kind: string, name: string): EntityAddress {
  if (kind === STAGE) {
    const slash = name.indexOf('/')
    if (slash > 0 && slash < name.length - 1) {
      const entity = foldEntity(`pipeline/${name.slice(0, slash)}`)
      return { kind, name, entity, stage: name.slice(slash + 1) }
    }
  }
  const isAlone = kind === SERVER || kind === DOCUMENT
  if (ENTITY_PREFIXES.includes(kind) && isAlone === (name === '')) {
    return { kind, name, entity: foldEntity(isAlone ? kind : `${kind}/${name}`), stage: null }
  }
  throw entityNotFound({ kind, name })
}

export function entityNotFound({ kind, name }: Pick<EntityAddress, 'kind' | 'name'>): ServiceError {
  const message = `The history has no ${kind} ${name}`.trimEnd()
  return new ServiceError('entity-not-found', message, { kind, name })
}

/**
 * Users who may view a pipeline may see its history, as those who administer a group or a template see
 * that of theirs; that of a removed one is for administrators only.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function assertMaySee(
  { access }: EntityAccessDeps,
  principal: Principal,
  { kind, name, entity }: EntityAddress,
): void {
  const pipeline = entity.startsWith('pipeline/') ? entity.slice('pipeline/'.length) : null
  if (pipeline !== null) return assertMay(access, principal, { action: 'view-pipeline', pipeline })
  if (kind === 'group')
    return assertMay(access, principal, { action: 'administer-group', group: name })
  if (kind === 'template')
    return assertMay(access, principal, { action: 'administer-template', template: name })
  assertMay(access, principal, { action: 'administer' })
}
