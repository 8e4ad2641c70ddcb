import { nameKey } from '../core/name-key.ts'
import type { Principal } from '../core/principal.ts'
import type {
  GroupFacts,
  ListedPrincipal,
  SecurityFacts,
  StageFacts,
  TemplateFacts,
} from './security-facts.ts'

/** The source of a right: an entry of the configuration, or the absence of one. */
export interface Reason {
  /** Such as `role devs in view of the group services`. */
  readonly text: string
  /** The line of the entry; null where the facts have no lines, or there is no entry. */
  readonly line: number | null
}

/** The reasons for each right of a user in a group; empty where the user lacks it. */
export interface GroupReasons {
  readonly view: readonly Reason[]
  readonly operate: readonly Reason[]
  readonly administer: readonly Reason[]
}

export interface GroupStage {
  /** With its pipeline, such as `checkout/build`. */
  readonly name: string
  readonly stage: StageFacts
}

/** A permission of a user, and the entries of the configuration that grant it. */
export interface ReasonedPermission {
  /** Such as `view pipeline checkout`. */
  readonly permission: string
  /** Such as `role devs in view of the group services`. */
  readonly because: readonly string[]
}

/** A user by the name in lists, with the roles that another source than the configuration gives. */
export type KnownUser = Pick<Principal, 'username' | 'userId' | 'external'>

const LAST_RESORT: Reason = {
  text: 'no administrator of the configuration can log in',
  line: null,
}

/** The reasons for the permissions of one user. */
export class Reasons {
  /** The roles of the configuration that the user has. */
  readonly roles: readonly string[]
  /**
   * The reasons why the user administers the server, which includes every right; empty for one who
   * does not.
   */
  readonly administers: readonly Reason[]
  readonly #user: string
  readonly #roleKeys: ReadonlySet<string>

  /** @param isLastResort Whether no other user could administer the server. */
  constructor(facts: SecurityFacts, user: KnownUser, isLastResort: boolean) {
    this.roles = rolesOf(facts, user)
    this.#user = nameKey(user.username)
    this.#roleKeys = new Set(this.roles.map(nameKey))
    this.administers = isLastResort ? [LAST_RESORT] : this.#toAdminister(facts)
  }

  inGroup(group: GroupFacts): GroupReasons {
    const { name, line = null, authorization } = group
    const administer = this.#administering(group)
    const open = isOpenGroup(group)
      ? [{ text: `the group ${name} has no authorization`, line }]
      : []
    const by = (right: 'view' | 'operate') => [
      ...open,
      ...administer,
      ...this.#entriesIn(authorization?.[right], `${right} of the group ${name}`),
    ]
    return { view: by('view'), operate: by('operate'), administer }
  }

  inTemplate({ name, admins, viewers }: TemplateFacts): Omit<GroupReasons, 'operate'> {
    const administer = this.#entriesIn(admins, `admins of the template ${name}`)
    const view = [...administer, ...this.#entriesIn(viewers, `view of the template ${name}`)]
    return { view, administer }
  }

  /** The reasons why the user may operate a stage with its own approvers. */
  inStage(group: GroupFacts, { name, stage }: GroupStage): readonly Reason[] {
    const approving = this.#entriesIn(stage.approvers, `approval of the stage ${name}`)
    return [...this.#administering(group), ...approving]
  }

  #toAdminister({ securityOn, admins }: SecurityFacts): readonly Reason[] {
    if (!securityOn) return [{ text: 'the configuration has no security', line: null }]
    if (admins.length === 0)
      return [{ text: 'the configuration lists no administrators', line: null }]
    return this.#entriesIn(admins, 'admins of the server')
  }

  #administering({ name, authorization }: GroupFacts): readonly Reason[] {
    return this.#entriesIn(authorization?.admins, `admins of the group ${name}`)
  }

  /** The entries of a list that mean the user. */
  #entriesIn(list: readonly ListedPrincipal[] | null | undefined, where: string): Reason[] {
    return (list ?? [])
      .filter(({ kind, name }) =>
        kind === 'user' ? nameKey(name) === this.#user : this.#roleKeys.has(nameKey(name)),
      )
      .map(({ kind, name, line = null }) => ({ text: `${kind} ${name} in ${where}`, line }))
  }
}

/** The names of the roles of the configuration that have the user, or that the user's source names. */
export function rolesOf(
  { roles }: SecurityFacts,
  { username, external }: KnownUser,
): readonly string[] {
  const user = nameKey(username)
  const named = new Set(external?.roles.map(nameKey))
  return roles
    .filter(
      ({ name, users }) =>
        named.has(nameKey(name)) || users.some((listed) => nameKey(listed.name) === user),
    )
    .map(({ name }) => name)
}

/** Whether a group defines no permissions. */
function isOpenGroup({ authorization }: GroupFacts): boolean {
  const { view, operate, admins } = authorization ?? {}
  return [view, operate, admins].every((list) => (list ?? []).length === 0)
}

/** Every stage of a group, by pipeline and name. */
export function groupStages({ pipelines }: GroupFacts): readonly GroupStage[] {
  return pipelines.flatMap((pipeline) =>
    pipeline.stages.map((stage) => ({ name: `${pipeline.name}/${stage.name}`, stage })),
  )
}

/** The stages with their own approvers. Without any, the rights of the pipeline apply. */
export function approvedStages(group: GroupFacts): readonly GroupStage[] {
  return groupStages(group).filter(({ stage }) => stage.approvers.length > 0)
}

/** Lists all permissions of a user; of an administrator, only that. */
export function reasonedPermissions(
  facts: SecurityFacts,
  reasons: Reasons,
): readonly ReasonedPermission[] {
  const { administers } = reasons
  if (administers.length > 0) return [reasoned('administer the server', administers)]
  const templates = facts.templates.map((template) =>
    reasoned(`administer template ${template.name}`, reasons.inTemplate(template).administer),
  )
  return [...facts.groups.flatMap((group) => permissionsIn(group, reasons)), ...templates].filter(
    ({ because }) => because.length > 0,
  )
}

function permissionsIn(group: GroupFacts, reasons: Reasons): ReasonedPermission[] {
  const { administer, view, operate } = reasons.inGroup(group)
  return [
    reasoned(`administer group ${group.name}`, administer),
    ...group.pipelines.flatMap((pipeline) => [
      reasoned(`view pipeline ${pipeline.name}`, view),
      reasoned(`operate pipeline ${pipeline.name}`, operate),
      ...approvedStages({ ...group, pipelines: [pipeline] }).map((stage) =>
        reasoned(`operate stage ${stage.name}`, reasons.inStage(group, stage)),
      ),
    ]),
  ]
}

function reasoned(permission: string, because: readonly Reason[]): ReasonedPermission {
  return { permission, because: because.map(({ text }) => text) }
}
