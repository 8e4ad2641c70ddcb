import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { FormerGroups } from '../../security/permissions.ts'

/** The permission that a call requires. */
export type Permission =
  | { readonly action: 'administer' }
  | { readonly action: 'delete-agent' }
  | { readonly action: 'administer-group'; readonly group: string }
  | { readonly action: 'administer-template'; readonly template: string }
  /** The server, or some group or template: who has none of them cannot make any change. */
  | { readonly action: 'administer-something' }
  /** Some group or template: who views none of them has nothing to propose. */
  | { readonly action: 'view-something' }
  | { readonly action: 'view-pipeline'; readonly pipeline: string }
  | { readonly action: 'view-group'; readonly group: string }
  | { readonly action: 'view-template'; readonly template: string }
  | { readonly action: 'view-run'; readonly pipeline: string; readonly groups: FormerGroups }
  | { readonly action: 'operate-pipeline'; readonly pipeline: string }
  | { readonly action: 'trigger-pipeline'; readonly pipeline: string }
  | { readonly action: 'operate-stage'; readonly pipeline: string; readonly stage: string }
  | { readonly action: 'cancel-stage'; readonly pipeline: string; readonly stage: string }
  | (RunOfStage & { readonly action: 'operate-run' })
  | (RunOfStage & { readonly action: 'cancel-run' })

/** A stage instance, with the groups of its pipeline when it ran. */
interface RunOfStage {
  readonly pipeline: string
  readonly stage: string
  readonly groups: FormerGroups
}

/** Decides permissions by the current configuration. */
export interface Access {
  may(principal: Principal, permission: Permission): boolean
}

/** The calls that the interface answers 401, not 403, when the caller may not. */
const UNAUTHORIZED: readonly Permission['action'][] = ['delete-agent', 'cancel-stage', 'cancel-run']

/**
 * The first line of every use case: asserts that the caller has the permission.
 *
 * @throws {ServiceError} `not-permitted`, or `not-authorized` for deleting agents and cancelling
 * stages.
 */
export function assertMay(access: Access, principal: Principal, permission: Permission): void {
  if (access.may(principal, permission)) return
  const code = UNAUTHORIZED.includes(permission.action) ? 'not-authorized' : 'not-permitted'
  const message = `User ${principal.username} may not ${describe(permission)}`
  throw new ServiceError(code, message, { permission: permission.action })
}

function describe(permission: Permission): string {
  switch (permission.action) {
    case 'administer':
    case 'administer-something':
      return 'administer this server'
    case 'view-something':
      return 'view any pipeline group or template'
    case 'delete-agent':
      return 'delete agents'
    case 'administer-group':
      return `administer the pipeline group ${permission.group}`
    case 'administer-template':
      return `administer the template ${permission.template}`
    case 'view-group':
      return `view the pipeline group ${permission.group}`
    case 'view-template':
      return `view the template ${permission.template}`
    case 'view-run':
      return `view this run of the pipeline ${permission.pipeline}`
    case 'view-pipeline':
      return `view the pipeline ${permission.pipeline}`
    case 'operate-pipeline':
      return `operate the pipeline ${permission.pipeline}`
    case 'trigger-pipeline':
      return `trigger the pipeline ${permission.pipeline}`
    case 'operate-run':
    case 'operate-stage':
      return `operate the stage ${permission.stage} of the pipeline ${permission.pipeline}`
    case 'cancel-run':
    case 'cancel-stage':
      return `cancel the stage ${permission.stage} of the pipeline ${permission.pipeline}`
  }
}
