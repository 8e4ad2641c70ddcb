import { nameKey } from '../../../core/name-key.ts'
import { isLastResort } from '../../../security/last-resort.ts'
import { Reasons, type KnownUser } from '../../../security/permission-reasons.ts'
import { AccessRules } from '../../../security/permissions.ts'
import type { SecurityFacts } from '../../../security/security-facts.ts'

/** The users that the service knows beside those in a configuration. */
export interface KnownPeople {
  /** The users who have logged in, or can. */
  readonly users: readonly KnownUser[]
}

/** A row of the table: a user, or the bearers of a role. */
export interface Person {
  readonly kind: 'user' | 'role'
  readonly name: string
  /** Whether the service knows the user, and not only the configuration. */
  readonly isKnown: boolean
  readonly user: KnownUser
}

/** The users, then the roles; each by name. */
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

/** Users before roles, each by name. */
export function inOrder(people: readonly Person[]): readonly Person[] {
  return people.toSorted((one, other) => {
    const [a, b] = [one, other].map(({ kind, name }) => `${kind === 'role'} ${nameKey(name)}`)
    return (a ?? '') < (b ?? '') ? -1 : Number(a !== b)
  })
}

/** A user whom the configuration names, and the service does not know. */
function namedUser(username: string): Person {
  return { kind: 'user', name: username, isKnown: false, user: { username } }
}

/** A person without a name who has one role. */
function bearerOf(role: string): Person {
  const user = { username: '', external: { source: 'ldap', roles: [role] } } as const
  return { kind: 'role', name: role, isKnown: true, user }
}

function* namesOfUsersIn({ roles, admins, groups }: SecurityFacts): Generator<string> {
  for (const { users } of roles) for (const { name } of users) yield name
  const lists = groups.flatMap(({ authorization, pipelines }) => [
    ...Object.values(authorization ?? {}),
    ...pipelines.flatMap(({ stages }) => stages.map(({ approvers }) => approvers)),
  ])
  for (const list of [admins, ...lists]) {
    for (const { kind, name } of list ?? []) if (kind === 'user') yield name
  }
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
    return new Reasons(this.facts, user, isLastResort(this.#rules, user, this.#usernames))
  }
}
