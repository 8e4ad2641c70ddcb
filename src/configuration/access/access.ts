import type { Configuration } from '../../document/model/model.ts'
import { isSameName, nameKey } from '../../core/name-key.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import type { Principal } from '../../core/principal.ts'
import { Emitter } from '../../lib/emitter.ts'
import { memoize } from '../../lib/memoize.ts'
import { isLastResort } from '../../security/last-resort.ts'
import {
  Reasons,
  reasonedPermissions,
  type KnownUser,
  rolesOf,
} from '../../security/permission-reasons.ts'
import { AccessRules, type Permissions } from '../../security/permissions.ts'
import type { SecurityFacts } from '../../security/security-facts.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'
import type { ExplainedUser } from './explain.ts'
import type { Access, Permission } from './permission.ts'
import { written } from '../../document/model/written-part.ts'
import { securityFactsOf } from './security-facts-of.ts'

const OPEN: SecurityFacts = { securityOn: false, roles: [], admins: [], groups: [], templates: [] }

/**
 * Decides permissions by the current configuration; a change of it takes effect with its commit.
 *
 * A configuration from another server may name only administrators who cannot log in here. Then the
 * first user stays an administrator, or there would be none.
 */
export class ConfiguredAccess implements Access {
  readonly #cached = new Map<string, Permissions>()
  /** The same for a caller who asks about many things. */
  #asked = new WeakMap<KnownUser, Permissions>()
  readonly #changed = new Emitter()
  readonly #usernames: () => readonly string[]
  readonly #knowsEveryone: () => boolean
  #facts = OPEN
  #rules = new AccessRules(OPEN)

  constructor(options: {
    configuration: CurrentConfiguration
    usernames: () => readonly string[]
    /** Whether nobody else can log in. */
    knowsEveryone: () => boolean
  }) {
    this.#usernames = options.usernames
    this.#knowsEveryone = options.knowsEveryone
    options.configuration.subscribe((document) => {
      this.#facts = securityFactsOf(document.configuration)
      this.#rules = rulesOf(document.configuration)
      this.forget()
    })
  }

  /** Whether the configuration makes every user an administrator. */
  get everyoneAdministers(): boolean {
    return this.#rules.everyoneAdministers
  }

  /** Evaluates the administrators again after a change of the users. */
  forget(): void {
    this.#cached.clear()
    this.#asked = new WeakMap()
    this.#changed.emit()
  }

  /** Calls the listener when users or permissions may be others. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    return this.#changed.on(listener)
  }

  may(principal: Principal, permission: Permission): boolean {
    const permissions = this.#permissionsOf(principal)
    switch (permission.action) {
      case 'administer':
      case 'delete-agent':
        return permissions.isAdministrator
      case 'administer-group':
        return permissions.administersGroup(permission.group)
      case 'administer-template':
        return permissions.administersTemplate(permission.template)
      case 'administer-something':
        return permissions.administersSomething
      case 'view-something':
        return permissions.viewsSomething
      case 'view-pipeline':
        return permissions.mayView(permission.pipeline)
      case 'view-group':
        return permissions.mayViewGroup(permission.group)
      case 'view-template':
        return permissions.mayViewTemplate(permission.template)
      case 'view-run':
        return permissions.mayViewRun(permission.pipeline, permission.groups)
      case 'operate-pipeline':
        return permissions.mayOperate(permission.pipeline)
      case 'trigger-pipeline':
        return permissions.mayTrigger(permission.pipeline)
      case 'operate-stage':
      case 'cancel-stage':
        return permissions.mayOperateStage(permission.pipeline, permission.stage)
      case 'operate-run':
      case 'cancel-run':
        return permissions.mayOperateRun(permission.pipeline, permission.stage, permission.groups)
    }
  }

  /** The permissions of a user by another configuration than the current one. */
  rightsIn(configuration: Configuration, user: KnownUser): Permissions {
    return this.#permissionsBy(rulesOf(configuration), user)
  }

  /** The roles of a user by another configuration than the current one. */
  rolesIn(configuration: Configuration, user: KnownUser): readonly string[] {
    return rolesOf(securityFactsOf(configuration), user)
  }

  /** The users of the users file. */
  usernames(): readonly string[] {
    return this.#usernames()
  }

  /** Whether nobody but the users of the users file can log in. */
  knowsEveryone(): boolean {
    return this.#knowsEveryone()
  }

  /** Whether the users file has a user of that name. */
  isUser(name: string): boolean {
    return this.#nameOf(name) !== undefined
  }

  /**
   * The permissions that each user who can log in would gain and lose by another configuration, in the
   * groups and templates that somebody administers.
   */
  changesBy(
    before: Configuration,
    after: Configuration,
    administered: Pick<Permissions, 'administersGroup' | 'administersTemplate'> = EVERYWHERE,
  ): readonly PermissionChange[] {
    const rules = rulesOf(after)
    const places = differingPlaces(before, after, administered)
    if (places === null) return []
    return this.#usernames().flatMap((user) => {
      const had = this.#permissionsOf({ username: user })
      const gets = this.#permissionsBy(rules, { username: user })
      const gains = describeMore(gets, had, places)
      const loses = describeMore(had, gets, places)
      return gains.length + loses.length === 0 ? [] : [{ user, gains, loses }]
    })
  }

  /** The stages of a pipeline; null where the configuration has no such pipeline. */
  stagesOf(pipeline: string): readonly string[] | null {
    return this.#rules.stagesOf(pipeline)
  }

  /** The pipelines, by their folded names, that a user may operate without administering the server. */
  ownPipelines(user: KnownUser): ReadonlySet<string> {
    const reasons = new Reasons(this.#facts, user, false)
    const own = this.#facts.groups.filter((group) => reasons.inGroup(group).operate.length > 0)
    return new Set(own.flatMap(({ pipelines }) => pipelines.map(({ name }) => nameKey(name))))
  }

  /** The groups and templates that a user administers. */
  administeredBy(user: KnownUser): readonly EntityPlace[] {
    const permissions = this.#permissionsOf(user)
    const groups = this.#facts.groups.filter(({ name }) => permissions.administersGroup(name))
    const templates = this.#facts.templates.filter(({ name }) =>
      permissions.administersTemplate(name),
    )
    return [
      ...groups.map(({ name }) => ({ kind: 'group', name })),
      ...templates.map(({ name }) => ({ kind: 'template', name })),
    ]
  }

  /** Whether a user administers the server, and the user's roles. */
  standingOf(user: KnownUser): UserStanding {
    const { isAdministrator } = this.#permissionsOf(user)
    return { administrator: isAdministrator, roles: rolesOf(this.#facts, user) }
  }

  /** The configuration's entries about a user; null for one who cannot log in. */
  explain({ username, external }: KnownUser): ExplainedUser | null {
    const name = external ? username : this.#nameOf(username)
    if (name === undefined) return null
    const user = external ? { username: name, external } : { username: name }
    const permissions = this.#permissionsOf(user)
    const groups = this.#facts.groups.map((group) => group.name)
    const reasons = new Reasons(this.#facts, user, this.#isLastResort(this.#rules, user))
    return {
      user: name,
      administrator: permissions.isAdministrator,
      roles: reasons.roles,
      groups: groups.filter((group) => permissions.mayViewGroup(group)),
      permissions: reasonedPermissions(this.#facts, reasons),
    }
  }

  /** The name as the users file has it. */
  #nameOf(username: string): string | undefined {
    return this.#usernames().find((name) => isSameName(name, username))
  }

  #permissionsOf(user: KnownUser): Permissions {
    const asked = this.#asked.get(user)
    if (asked) return asked
    const key = cacheKeyOf(user)
    const permissions = this.#cached.get(key) ?? this.#permissionsBy(this.#rules, user)
    this.#cached.set(key, permissions)
    this.#asked.set(user, permissions)
    return permissions
  }

  #permissionsBy(rules: AccessRules, user: KnownUser): Permissions {
    const decisive = this.#isLastResort(rules, user) ? new AccessRules(OPEN) : rules
    return decisive.permissionsOf(user)
  }

  #isLastResort(rules: AccessRules, user: KnownUser): boolean {
    return isLastResort(rules, user, this.#usernames())
  }
}

const EVERYWHERE = { administersGroup: () => true, administersTemplate: () => true }

const rulesOf = memoize(
  (configuration: Configuration) => new AccessRules(securityFactsOf(configuration)),
)

/** Users of the users file by their names; no name has a line break. */
function cacheKeyOf({ username, external }: KnownUser): string {
  return external ? [username, external.source, ...external.roles].join('\n') : username
}

export interface UserStanding {
  readonly administrator: boolean
  readonly roles: readonly string[]
}

/** Gained and lost permissions of a user, in words such as `view pipeline checkout`. */
export interface PermissionChange {
  readonly user: string
  readonly gains: readonly string[]
  readonly loses: readonly string[]
}

interface Places {
  readonly groups: readonly string[]
  readonly templates: readonly string[]
  readonly pipelines: readonly string[]
}

/** The places in both configurations: a pipeline that is added or removed changes no permission. */
function commonPlaces(
  before: Configuration,
  after: Configuration,
  administered: Pick<Permissions, 'administersGroup' | 'administersTemplate'>,
): Places {
  const own = before.groups.filter(({ name }) => administered.administersGroup(name))
  const templates = new Set(after.templates.map(({ name }) => nameKey(name)))
  const groups = new Set(after.groups.map(({ name }) => name))
  const pipelines = new Set(
    after.groups.flatMap((group) => group.pipelines.map(({ name }) => nameKey(name))),
  )
  return {
    groups: own.map(({ name }) => name).filter((name) => groups.has(name)),
    templates: before.templates
      .map(({ name }) => name)
      .filter((name) => templates.has(nameKey(name)) && administered.administersTemplate(name)),
    pipelines: own
      .flatMap((group) => group.pipelines.map(({ name }) => name))
      .filter((name) => pipelines.has(nameKey(name))),
  }
}

/** The places whose permissions may differ between two configurations; null where there are none. */
function differingPlaces(
  before: Configuration,
  after: Configuration,
  administered: Pick<Permissions, 'administersGroup' | 'administersTemplate'>,
): Places | null {
  const common = commonPlaces(before, after, administered)
  const [older, newer] = [grantsIn(securityFactsOf(before)), grantsIn(securityFactsOf(after))]
  if (older.server !== newer.server) return common
  const differ = (of: 'groups' | 'templates' | 'pipelines') =>
    common[of].filter((name) => older[of].get(nameKey(name)) !== newer[of].get(nameKey(name)))
  const places = {
    groups: differ('groups'),
    templates: differ('templates'),
    pipelines: differ('pipelines'),
  }
  return Object.values(places).every(({ length }) => length === 0) ? null : places
}

/** All that decides permissions, as texts: those of a pipeline are in its group. */
function grantsIn({ securityOn, roles, admins, groups, templates }: SecurityFacts) {
  const listed = groups.map((group) => ({ ...group, grants: written(group.authorization) }))
  return {
    server: written([securityOn, roles, admins]),
    groups: new Map(listed.map(({ name, grants }) => [nameKey(name), grants])),
    templates: new Map(templates.map((each) => [nameKey(each.name), written(each.admins)])),
    pipelines: new Map(
      listed.flatMap(({ pipelines, grants }) =>
        pipelines.map(({ name }) => [nameKey(name), grants] as const),
      ),
    ),
  }
}

/** The permissions of one that the other lacks. */
function describeMore(one: Permissions, other: Permissions, places: Places): readonly string[] {
  // An administrator may do everything.
  if (other.isAdministrator) return []
  const both = describePermissions(other, places)
  return [...describePermissions(one, places)].filter((each) => !both.has(each))
}

/** Describes all permissions of a user; of an administrator, only that. */
function describePermissions(permissions: Permissions, places: Places): ReadonlySet<string> {
  if (permissions.isAdministrator) return new Set(['administer the server'])
  return new Set([
    ...places.groups
      .filter((group) => permissions.administersGroup(group))
      .map((group) => `administer group ${group}`),
    ...places.templates
      .filter((template) => permissions.administersTemplate(template))
      .map((template) => `administer template ${template}`),
    ...places.pipelines
      .filter((pipeline) => permissions.mayView(pipeline))
      .map((pipeline) => `view pipeline ${pipeline}`),
    ...places.pipelines
      .filter((pipeline) => permissions.mayOperate(pipeline))
      .map((pipeline) => `operate pipeline ${pipeline}`),
  ])
}
