import { reasonOf, ServiceError, unavailable } from '../../core/errors.ts'
import {
  newUsernameProblem,
  normalUsername,
  usernameKey,
  usernameProblem,
} from '../../core/username.ts'
import type { Principal } from '../../core/principal.ts'
import type { UserSourceState } from '../../core/service/user-source-state.ts'
import { tooMany } from '../../core/service/rate-limit.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ExternalLogin } from '../../security/credentials.ts'
import { Reachability } from '../reachability.ts'
import { refusedLogIn } from '../refused-log-in.ts'
import { LdapConnection, type LdapEntry, type LdapServer } from './ldap-connection.ts'
import { userFilter, groupFilter } from './ldap-filter.ts'

/** The limits of nesting and of the number of groups in groups. */
const MAX_LEVELS = 5
const MAX_GROUPS = 200

export interface LdapDirectoryOptions {
  /** Servers with the same entries: the next one is tried when one is away. */
  readonly servers: readonly LdapServer[]
  /** The account that searches for users; null for an anonymous bind. */
  readonly reader: { readonly dn: string; readonly password: string } | null
  readonly users: { readonly base: string; readonly filter: string; readonly attribute: string }
  /** Where groups are; null where they mean nothing here. */
  readonly groupBase: string | null
  readonly clock: Clock
  readonly log: Log
}

/** Attributes that a directory never assigns to another entry, by kind of server. */
const ID_ATTRIBUTES = ['entryUUID', 'nsUniqueId', 'objectGUID'] as const

/** The limit of concurrent log-ins at the directory, and the `Retry-After` of further ones. */
const MAX_CONCURRENT = 64
const RETRY_AFTER_MS = 2_000

/** The users of a directory: found by a search, and authenticated by a bind with their password. */
export class LdapDirectory {
  readonly #options: LdapDirectoryOptions
  /** The server that answered last comes first. */
  #servers: readonly LdapServer[]
  #asked = 0
  readonly #reachability: Reachability

  constructor(options: LdapDirectoryOptions) {
    this.#options = options
    this.#servers = options.servers
    this.#reachability = new Reachability(options.clock)
  }

  /** Whether any of its servers was there at the last log-in. */
  state(): UserSourceState {
    return { source: 'ldap', name: 'The directory of users', away: this.#reachability.away }
  }

  /**
   * The user with this name and password, with the groups as roles; null when there is none.
   *
   * @throws {ServiceError} `unavailable` when no server answers, `too-many-requests`, `log-in-refused` for a name that
   * no user can have here.
   */
  async find(given: ExternalLogin): Promise<Principal | null> {
    const login = { ...given, username: normalUsername(given.username) }
    if (usernameProblem(login.username) !== null) return null
    if (this.#asked >= MAX_CONCURRENT) throw tooMany('logins are under way', RETRY_AFTER_MS)
    this.#asked += 1
    try {
      return await this.#reachability.noted(() => this.#findAnywhere(login))
    } finally {
      this.#asked -= 1
    }
  }

  async #findAnywhere(login: ExternalLogin): Promise<Principal | null> {
    for (const server of this.#servers) {
      try {
        const found = await LdapConnection.with(server, this.#options.log, (connection) =>
          this.#findBy(connection, login),
        )
        this.#servers = [server, ...this.#servers.filter((other) => other !== server)]
        return found
      } catch (error) {
        if (error instanceof ServiceError) throw error
        const facts = { url: server.url, reason: reasonOf(error) }
        this.#options.log({ level: 'warning', message: 'A directory server fails', facts })
      }
    }
    throw unavailable('The directory of users cannot be reached now')
  }

  async #findBy(connection: LdapConnection, login: ExternalLogin): Promise<Principal | null> {
    const { reader, groupBase } = this.#options
    if (reader !== null) await connection.bind(reader.dn, reader.password)
    const user = await this.#userBy(connection, login.username)
    if (user === null) return null
    login.admit(user.username)
    if (!(await connection.isPasswordOf(user.dn, login.password))) return null
    this.#assertName(user)
    if (reader !== null) await connection.bind(reader.dn, reader.password)
    const roles = groupBase === null ? [] : await rolesIn(connection, groupBase, user)
    const { username, id } = user
    return {
      username,
      ...(id === undefined ? {} : { userId: id }),
      external: { source: 'ldap', roles },
    }
  }

  /** The one entry that the name means, with the name as it stands there. */
  async #userBy(connection: LdapConnection, given: string) {
    const { base, filter, attribute } = this.#options.users
    const search = {
      base,
      filter: userFilter(filter, given),
      attributes: [attribute, ...ID_ATTRIBUTES],
    }
    const [entry, ...others] = await connection.search(search)
    if (entry === undefined) return null
    if (others.length > 0) {
      const message = 'A name means several entries of the directory, and none of them is let in'
      this.#options.log({ level: 'warning', message, facts: { name: given.slice(0, 100) } })
      return null
    }
    const username = nameIn(entry, attribute, given)
    const [id] = ID_ATTRIBUTES.flatMap((name) => entry.attributes.get(name.toLowerCase()) ?? [])
    return { dn: entry.dn, username, id }
  }

  /** @throws {ServiceError} `log-in-refused` */
  #assertName({ dn, username }: { readonly dn: string; readonly username: string }): void {
    const reason = newUsernameProblem(username)
    if (reason === null) return
    this.#options.log({
      level: 'warning',
      message: 'A user of the directory is not let in',
      facts: { dn, reason },
    })
    throw refusedLogIn(reason, dn)
  }
}

/** Of several names the one that was given; the first one otherwise. */
function nameIn({ attributes }: LdapEntry, attribute: string, given: string): string {
  const names = attributes.get(attribute.toLowerCase()) ?? []
  return names.find((name) => usernameKey(name) === usernameKey(given)) ?? names[0] ?? ''
}

/** The names of the groups that have the user, themselves or by groups in them. */
async function rolesIn(
  connection: LdapConnection,
  base: string,
  user: { readonly dn: string; readonly username: string },
): Promise<readonly string[]> {
  const groups = new Map<string, LdapEntry>()
  let members = [user.dn]
  for (let level = 0; level < MAX_LEVELS && members.length > 0; level += 1) {
    const filter = groupFilter(members, level === 0 ? user.username : null)
    const found = await connection.search({ base, filter, attributes: ['cn'] })
    const added = found
      .filter(({ dn }) => !groups.has(dn.toLowerCase()))
      .slice(0, MAX_GROUPS - groups.size)
    for (const group of added) groups.set(group.dn.toLowerCase(), group)
    members = added.map(({ dn }) => dn)
  }
  return [...new Set([...groups.values()].flatMap(({ attributes }) => attributes.get('cn') ?? []))]
}
