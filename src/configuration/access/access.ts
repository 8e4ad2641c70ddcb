import { expandConfiguration } from '../../document/effective/effective.ts'
import type { Configuration, Pipeline } from '../../document/model/model.ts'
import { memoize } from '../../lib/memoize.ts'
import type { Principal } from '../../core/principal.ts'
import { FIRST_USER } from '../../security/first-user.ts'
import { AccessRules, type Permissions } from '../../security/permissions.ts'
import type { SecurityFacts } from '../../security/security-facts.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'
import type { Access, Permission } from './permission.ts'

const OPEN: SecurityFacts = { securityOn: false, roles: [], admins: [], groups: [] }

/**
 * Decides permissions by the current configuration; a change of it takes effect with its commit.
 *
 * A configuration from another server may name only administrators who cannot log in here. Then the
 * first user stays an administrator, or there would be none.
 */
export class ConfiguredAccess implements Access {
  readonly #known = new Map<string, Permissions>()
  readonly #usernames: () => readonly string[]
  #rules = new AccessRules(OPEN)

  constructor(options: {
    configuration: CurrentConfiguration
    usernames: () => readonly string[]
  }) {
    this.#usernames = options.usernames
    options.configuration.subscribe((document) => {
      this.#rules = new AccessRules(securityFactsOf(document.configuration))
      this.forget()
    })
  }

  /** Whether the configuration makes every user an administrator. */
  get everyoneAdministers(): boolean {
    return this.#rules.everyoneAdministers
  }

  /** Evaluates the administrators again after a change of the users. */
  forget(): void {
    this.#known.clear()
  }

  may({ username }: Principal, permission: Permission): boolean {
    const permissions = this.#permissionsOf(username)
    switch (permission.action) {
      case 'administer':
      case 'delete-agent':
        return permissions.isAdministrator
      case 'administer-group':
        return permissions.administersGroup(permission.group)
      case 'view-pipeline':
        return permissions.mayView(permission.pipeline)
      case 'view-group':
        return permissions.mayViewGroup(permission.group)
      case 'view-run':
        return permissions.mayViewRun(permission.pipeline, permission.groups)
      case 'operate-pipeline':
        return permissions.mayOperate(permission.pipeline)
      case 'operate-stage':
      case 'cancel-stage':
        return permissions.mayOperateStage(permission.pipeline, permission.stage)
      case 'operate-run':
      case 'cancel-run':
        return permissions.mayOperateRun(permission.pipeline, permission.stage, permission.groups)
    }
  }

  #permissionsOf(username: string): Permissions {
    const known = this.#known.get(username)
    if (known) return known
    const rules = this.#isLastResort(username) ? new AccessRules(OPEN) : this.#rules
    const permissions = rules.permissionsOf(username)
    this.#known.set(username, permissions)
    return permissions
  }

  #isLastResort(username: string): boolean {
    if (username !== FIRST_USER) return false
    return !this.#usernames().some((name) => this.#rules.permissionsOf(name).isAdministrator)
  }
}

function securityFactsOf(configuration: Configuration): SecurityFacts {
  const { groups } = expandConfiguration(configuration).configuration
  return {
    securityOn: isSecured(configuration),
    roles: configuration.server?.security?.roles ?? [],
    admins: configuration.server?.security?.admins ?? [],
    groups: groups.map(({ name, authorization, pipelines }) => ({
      name,
      authorization,
      pipelines: pipelines.map(pipelineFactsOf),
    })),
  }
}

/** The users file always exists, so security can be on without another source of users. */
function isSecured({ server, groups }: Configuration): boolean {
  const security = server?.security
  const { admins = [], roles = [], authConfigs = [] } = security ?? {}
  const hasSource = (security?.ldap ?? security?.passwordFile ?? null) !== null
  const lists = [admins, roles, authConfigs].some((list) => list.length > 0)
  return lists || hasSource || groups.some(({ authorization }) => authorization !== null)
}

const pipelineFactsOf = memoize(({ name, stages }: Pipeline) => ({
  name,
  stages: stages.map((stage) => ({
    name: stage.name,
    approvers: stage.approval?.approvers ?? [],
  })),
}))
