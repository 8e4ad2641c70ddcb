import { nameKey } from '../../../core/name-key.ts'
import { isLastResort } from '../../../security/last-resort.ts'
import { Reasons, type KnownUser } from '../../../security/permission-reasons.ts'
import { AccessRules } from '../../../security/permissions.ts'
import type { ListedPrincipal, SecurityFacts } from '../../../security/security-facts.ts'

/** The users that the service knows beside those in a configuration. */
export interface KnownPeople {
  /** The users who have logged in, or can. */
  readonly users: readonly KnownUser[]
}

/** A row of the table: a user, the bearers of a role, or every user. */
export interface Person {
  readonly kind: 'user' | 'role' | 'everyone'
  readonly name: string
  /** Whether the service knows the user, and not only the configuration. */
  readonly isKnown: boolean
  readonly user: KnownUser
}

/** The roles, then the users; each by name. */
export function everybodyIn(facts: SecurityFacts, { users }: KnownPeople): readonly Person[] {
  const known = new Set(users.map(({ username }) => nameKey(username)))
  const named = new Map<string, string>()
  for (const name of namesOfUsersIn(facts)) {
    const key = nameKey(name)
    if (!known.has(key) && !named.has(key)) named.set(key, name)
  }
  const people: Person[] = [
    ...users.map((user) => ({ kind: 'user', name: user.username, isKnown: true, user }) as const),
    ...Array.from(named.values(), (name) => namedUser(name)),
  ]
  return inOrder([...people, ...facts.roles.map(({ name }) => bearerOf(name))])
}

/** Roles before users, each by name. */
export function inOrder(people: readonly Person[]): readonly Person[] {
  return people.toSorted((one, other) => {
    const [a, b] = [one, other].map(({ kind, name }) => `${kind === 'user'} ${nameKey(name)}`)
    return (a ?? '') < (b ?? '') ? -1 : Number(a !== b)
  })
}

/** A user with nothing but what every user may do. */
export const EVERYONE: Person = {
  kind: 'everyone',
  name: 'Every user',
  isKnown: true,
  user: { username: '' },
}

/** A user who has a role. */
export type RoleMember = Pick<Person, 'name' | 'isKnown'>

/** The users of each role, by the key of its name. */
export function membersOfRoles(
  { roles }: SecurityFacts,
  { users }: KnownPeople,
): ReadonlyMap<string, readonly RoleMember[]> {
  const known = new Map(users.map(({ username }) => [nameKey(username), username]))
  return new Map(
    roles.map((role) => {
      const members = new Map(
        role.users.map(({ name }) => {
          const username = known.get(nameKey(name))
          return [nameKey(name), { name: username ?? name, isKnown: username !== undefined }]
        }),
      )
      for (const { username, external } of users) {
        const hasRole = external?.roles.some((name) => nameKey(name) === nameKey(role.name))
        if (hasRole === true) members.set(nameKey(username), { name: username, isKnown: true })
      }
      return [nameKey(role.name), [...members.values()]] as const
    }),
  )
}

/** The names of users that have entries of their own, outside of roles. */
export function ownEntriesIn(facts: SecurityFacts): ReadonlySet<string> {
  return new Set([...usersIn(entriesIn(facts))].map(nameKey))
}

/** A user whom the configuration names, and the service does not know. */
function namedUser(username: string): Person {
  return { kind: 'user', name: username, isKnown: false, user: { username } }
}

/** A person without a name who has one role. */
export function bearerOf(role: string): Person {
  const user = { username: '', external: { source: 'ldap', roles: [role] } } as const
  return { kind: 'role', name: role, isKnown: true, user }
}

function* namesOfUsersIn(facts: SecurityFacts): Generator<string> {
  for (const { users } of facts.roles) for (const { name } of users) yield name
  yield* usersIn(entriesIn(facts))
}

function* usersIn(entries: readonly ListedPrincipal[]): Generator<string> {
  for (const { kind, name } of entries) if (kind === 'user') yield name
}

/** Every entry that gives a right. */
function entriesIn({ admins, groups, templates }: SecurityFacts): readonly ListedPrincipal[] {
  const lists = groups.flatMap(({ authorization, pipelines }) => [
    ...Object.values(authorization ?? {}),
    ...pipelines.flatMap(({ stages }) => stages.map(({ approvers }) => approvers)),
  ])
  const ofTemplates = templates.flatMap((template) => [template.admins, template.viewers])
  return [admins, ...lists, ...ofTemplates].flatMap((list) => list ?? [])
}

/** Why people may do what one configuration permits. */
export class ReasonsOfPeople {
  readonly facts: SecurityFacts
  readonly #rules: AccessRules
  readonly #usernames: readonly string[]

  constructor(facts: SecurityFacts, { users }: KnownPeople) {
    this.facts = facts
    this.#rules = new AccessRules(facts)
    this.#usernames = users.flatMap(({ username, external }) => (external ? [] : [username]))
  }

  of({ user }: Pick<Person, 'user'>): Reasons {
    return new Reasons(this.facts, user, this.isLastResort({ user }))
  }

  /** Whether nobody whom the configuration names could administer the server. */
  isLastResort({ user }: Pick<Person, 'user'>): boolean {
    return isLastResort(this.#rules, user, this.#usernames)
  }
}
