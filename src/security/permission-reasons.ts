import { nameKey } from '../core/name-key.ts'
import { isOpenGroup, type KnownUser, rolesOf } from './permissions.ts'
import type { GroupFacts, ListedPrincipal, SecurityFacts, StageFacts } from './security-facts.ts'

/** Something that a user may do, and the entries of the configuration by which. */
export interface ReasonedPermission {
  /** Such as `view pipeline checkout`. */
  readonly permission: string
  /** Such as `role devs in view of the group services`. */
  readonly because: readonly string[]
}

/** Everything that a user may do; for an administrator, only that. */
export function reasonedPermissions(
  facts: SecurityFacts,
  user: KnownUser,
): readonly ReasonedPermission[] {
  const entries = new EntriesOf(facts, user)
  const administers = reasonsToAdminister(facts, entries)
  if (administers.length > 0) {
    return [{ permission: 'administer the server', because: administers }]
  }
  return facts.groups
    .flatMap((group) => permissionsIn(group, entries))
    .filter(({ because }) => because.length > 0)
}

function reasonsToAdminister({ securityOn, admins }: SecurityFacts, entries: EntriesOf): string[] {
  if (!securityOn) return ['the configuration has no security']
  if (admins.length === 0) return ['the configuration lists no administrators']
  return entries.in(admins, 'admins of the server')
}

function permissionsIn(group: GroupFacts, entries: EntriesOf): ReasonedPermission[] {
  const { name, authorization, pipelines } = group
  const admins = entries.in(authorization?.admins, `admins of the group ${name}`)
  const open = isOpenGroup(group) ? [`the group ${name} has no authorization`] : []
  const inGroup = (right: 'view' | 'operate') => [
    ...open,
    ...admins,
    ...entries.in(authorization?.[right], `${right} of the group ${name}`),
  ]
  const [view, operate] = [inGroup('view'), inGroup('operate')]
  return [
    { permission: `administer group ${name}`, because: admins },
    ...pipelines.flatMap((pipeline) => [
      { permission: `view pipeline ${pipeline.name}`, because: view },
      { permission: `operate pipeline ${pipeline.name}`, because: operate },
      ...pipeline.stages.filter(hasApprovers).map((stage) => ({
        permission: `operate stage ${pipeline.name}/${stage.name}`,
        because: [
          ...admins,
          ...entries.in(stage.approvers, `approval of the stage ${pipeline.name}/${stage.name}`),
        ],
      })),
    ]),
  ]
}

/** Where nobody is named, the stage is as its pipeline. */
function hasApprovers({ approvers }: StageFacts): boolean {
  return approvers.length > 0
}

/** Finds the entries of lists that mean one user. */
class EntriesOf {
  readonly #user: string
  readonly #roles: ReadonlySet<string>

  constructor(facts: SecurityFacts, user: KnownUser) {
    this.#user = nameKey(user.username)
    this.#roles = new Set(rolesOf(facts, user).map(nameKey))
  }

  in(list: readonly ListedPrincipal[] | null | undefined, where: string): string[] {
    return (list ?? [])
      .filter(({ kind, name }) =>
        kind === 'user' ? nameKey(name) === this.#user : this.#roles.has(nameKey(name)),
      )
      .map(({ kind, name }) => `${kind} ${name} in ${where}`)
  }
}
