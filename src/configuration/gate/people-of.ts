import { nameKey } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import { splitEntity } from '../../document/entities/entities.ts'
import type { Configuration } from '../../document/model/model.ts'
import type { KnownUser } from '../../security/permission-reasons.ts'
import type { Permissions } from '../../security/permissions.ts'
import type { GateCaller, People, Standing } from './rules/question.ts'

/** The rights of callers, by any configuration, and the users who can log in. */
export interface Rights {
  rightsIn(configuration: Configuration, user: KnownUser): Permissions
  rolesIn(configuration: Configuration, user: KnownUser): readonly string[]
  /** Whether a user of that name can log in. */
  isUser(name: string): boolean
  /** The users who can log in with a password of this service. */
  usernames(): readonly string[]
  /** False where a directory or a provider may let others in. */
  knowsEveryone(): boolean
}

/** The people who can log in, with their rights by a configuration. */
export function peopleIn(
  configuration: Configuration,
  rights: Rights,
  { isComplete }: Pick<People, 'isComplete'>,
): People {
  const standingOf = (username: string) => standingIn(configuration, rights, { username })
  return {
    find: (username, external) => {
      if (external !== undefined) return standingIn(configuration, rights, { username, external })
      const key = nameKey(username)
      const name = rights.usernames().find((each) => nameKey(each) === key)
      return name === undefined ? null : standingOf(name)
    },
    list: () => rights.usernames().map(standingOf),
    isComplete,
  }
}

/** People of the past, whether or not they can still log in, with the rights that a configuration gave them. */
export function pastPeopleIn(configuration: Configuration, rights: Rights): People {
  return {
    find: (username) => standingIn(configuration, rights, { username }),
    list: () => [],
    isComplete: false,
  }
}

/** A caller, by the rights that a configuration gives. */
export function callerIn(
  configuration: Configuration,
  rights: Rights,
  principal: Principal,
): GateCaller {
  return {
    standing: standingIn(configuration, rights, principal),
    credential: principal.credential?.kind ?? 'password',
    overrides: principal.overrides ?? [],
  }
}

function standingIn(configuration: Configuration, rights: Rights, user: KnownUser): Standing {
  const permissions = rights.rightsIn(configuration, user)
  const { username, userId } = user
  return {
    username,
    ...(userId === undefined ? {} : { userId }),
    roles: rights.rolesIn(configuration, user),
    administersServer: permissions.isAdministrator,
    administers: (part) => administers(permissions, part),
  }
}

/** Whether a part such as `group/payments` or `template/build` is administered. */
function administers(permissions: Permissions, part: string): boolean {
  const { kind, name } = splitEntity(part)
  return kind === 'group'
    ? permissions.administersGroup(name)
    : permissions.administersTemplate(name)
}
