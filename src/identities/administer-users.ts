import { randomBytes } from 'node:crypto'
import { type Access, assertMay } from '../configuration/access/permission.ts'
import type { UserStanding } from '../configuration/access/access.ts'
import { malformedRequest, ServiceError } from '../core/errors.ts'
import { isSameName } from '../core/name-key.ts'
import {
  type ExternalSource,
  type Principal,
  sourceOf,
  type UserSource,
} from '../core/principal.ts'
import {
  addUser,
  assertUsername,
  changePassword,
  disableUser,
  enableUser,
  findUser,
  isDisabledUser,
  localPrincipal,
  removeUser,
  userNotFound,
  type Users,
  type UsersReading,
  type UsersStore,
} from '../security/users.ts'
import { assertPassword } from '../security/password.ts'
import type { GivenPassword } from '../security/credentials.ts'
import type { KnownUser } from '../security/permission-reasons.ts'
import type { StateStore } from '../state/state-store.ts'
import { setDisabledElsewhere } from './disabled-users.ts'
import { type Account, accountsOf } from './accounts.ts'
import type { Invitations } from './invitations.ts'
import type { IssuedOwner } from './issued-owner.ts'
import { assertLoggedIn } from './logged-in.ts'
import type { MailSubscriptions } from './mail-subscriptions.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'

/** 120 bits in 20 characters. */
const MADE_BYTES = 15

/** The store of the users of this server. */
export interface UserAccounts {
  readonly store: UsersStore
  read(): Promise<UsersReading>
  /** Reads the users again; cached permissions are gone when it returns. */
  reload(): Promise<void>
  /** The user with this password, by the rules of a log-in; null when it is wrong. */
  holderOf(given: GivenPassword, address: string): Promise<Principal | null>
  /** The cost of the hash of a new password; the usual one when absent. */
  readonly cost: number | undefined
}

/** The records that end with the users to whom they were issued. */
export interface IssuedToUsers {
  readonly tokens: Tokens
  readonly sessions: Sessions
  readonly invitations: Invitations
  readonly subscriptions: MailSubscriptions
}

export interface UserAdministrationDeps extends IssuedToUsers {
  readonly access: Access & { standingOf(user: KnownUser): UserStanding }
  readonly accounts: UserAccounts
  /** Where users of elsewhere are disabled. */
  readonly identityStore: StateStore
  /** The directory and the provider that let users in. */
  readonly sourcesElsewhere: readonly ExternalSource[]
}

/** A user, as an administrator names one: the source is needed when several users have the name. */
export interface NamedUser {
  readonly name: string
  readonly source?: UserSource | undefined
}

/** A user as administrators see it. */
export interface ListedUser {
  readonly name: string
  readonly source: UserSource
  /** The user for checks of permissions. */
  readonly known: KnownUser
  readonly disabled: boolean
  readonly administrator: boolean
  readonly roles: readonly string[]
  /** The number of the user's tokens. */
  readonly tokens: number
  /**
   * The last use of a token or a session, to the minute, in milliseconds since the UNIX epoch; null
   * when unknown.
   */
  readonly lastUsed: number | null
}

/** A new user, or one with a new password. */
export interface NewCredentials {
  readonly name: string
  /** The generated password, which is shown once; null when it was given. */
  readonly password: string | null
}

/**
 * Lists every user of the users file, and those of other sources who have a session or a token, by
 * name.
 *
 * @throws {ServiceError} `not-permitted`
 */
export async function listUsers(
  deps: UserAdministrationDeps,
  principal: Principal,
): Promise<readonly ListedUser[]> {
  assertAdministrator(deps, principal)
  return (await accountsOf(deps)).map((account) => listed(deps, account))
}

/**
 * Lists the users who are not disabled, for checks of permissions.
 *
 * @throws {ServiceError} `not-permitted`
 */
export async function listKnownUsers(
  deps: UserAdministrationDeps,
  principal: Principal,
): Promise<readonly KnownUser[]> {
  assertAdministrator(deps, principal)
  return (await accountsOf(deps)).filter(({ disabled }) => !disabled).map(({ user }) => user)
}

/**
 * Adds a user; makes a password where none is given.
 *
 * @throws {ServiceError} `not-permitted`, `malformed-request`, `name-in-use`.
 */
export async function createUser(
  deps: UserAdministrationDeps,
  principal: Principal,
  wanted: NewCredentials,
): Promise<NewCredentials> {
  assertMayLetIn(deps, principal)
  const { store, cost } = deps.accounts
  const { name } = wanted
  assertUsername(name)
  const password = passwordOf(wanted)
  await addUser(store, { username: name, password, cost })
  await deps.accounts.reload()
  return { name, password: wanted.password === null ? password : null }
}

/**
 * Gives a user another password, which ends the user's sessions; makes one where none is given.
 *
 * @throws {ServiceError} `not-permitted`, `malformed-request`, `user-not-found`.
 */
export async function resetPassword(
  deps: UserAdministrationDeps,
  principal: Principal,
  wanted: NewCredentials & NamedUser,
): Promise<NewCredentials> {
  assertMayLetIn(deps, principal)
  const user = await userNamed(deps, wanted)
  assertLocal(user)
  const { username: name } = user
  const password = passwordOf(wanted)
  if (!(await storePassword(deps, user, password))) throw userNotFound(name)
  return { name, password: wanted.password === null ? password : null }
}

/**
 * Changes the caller's password, which ends the caller's sessions.
 *
 * @throws {ServiceError} `not-permitted` for a wrong old password, and to a user who is not of the
 * users file, `malformed-request`, `too-many-requests`.
 */
export async function changeOwnPassword(
  deps: UserAdministrationDeps,
  principal: Principal,
  given: { readonly old: string; readonly password: string; readonly address: string },
): Promise<void> {
  const { username } = principal
  const { old, password, address } = given
  assertGivesNoLogin(principal)
  assertLocal(principal)
  assertPassword(password)
  const [, stored] = findUser((await deps.accounts.read()).users, username) ?? []
  const holder = await deps.accounts.holderOf({ username, password: old }, address)
  const isHolder = holder?.credential === undefined && holder?.external === undefined
  // It may be another one by now, which an administrator has set.
  if (holder !== null && isHolder && (await storePassword(deps, principal, password, stored)))
    return
  throw notPermitted('The old password is wrong')
}

/**
 * Disables a user: ends sessions, and rejects password and tokens, even if a directory or a
 * provider vouches for the user. A user of one of these need not have been here: nobody but they know
 * who their users are. `enableAccount` makes the tokens valid again.
 *
 * @throws {ServiceError} `not-permitted`, `malformed-request`, `user-not-found`, `last-administrator`.
 */
export async function disableAccount(
  deps: UserAdministrationDeps,
  principal: Principal,
  named: NamedUser,
): Promise<string> {
  assertAdministrator(deps, principal)
  const user = (await findNamed(deps, named)) ?? userOfElsewhere(deps, named)
  const { username: name } = user
  assertOther(principal, user, 'disables')
  if (user.external !== undefined) await setDisabledElsewhere(deps.identityStore, user, true)
  else await disableUser(deps.accounts.store, name, (left) => assertAdministered(deps, left, name))
  await deps.accounts.reload()
  await deps.sessions.endOfAll(isCalled(user))
  return name
}

/** @throws {ServiceError} `not-permitted`, `user-not-found`. */
export async function enableAccount(
  deps: UserAdministrationDeps,
  principal: Principal,
  named: NamedUser,
): Promise<string> {
  assertMayLetIn(deps, principal)
  const user = await userNamed(deps, named)
  if (user.external !== undefined) await setDisabledElsewhere(deps.identityStore, user, false)
  else await enableUser(deps.accounts.store, user.username)
  await deps.accounts.reload()
  return user.username
}

/**
 * Removes a user, with all sessions, tokens and invitations. A user of another source who is not
 * disabled may log in again.
 *
 * @throws {ServiceError} `not-permitted`, `user-not-found`, `last-administrator`.
 */
export async function deleteUser(
  deps: UserAdministrationDeps,
  principal: Principal,
  named: NamedUser,
): Promise<string> {
  assertAdministrator(deps, principal)
  const user = await userNamed(deps, named)
  const { username: name } = user
  assertOther(principal, user, 'removes')
  if (user.external === undefined)
    await removeUser(deps.accounts.store, name, (left) => assertAdministered(deps, left, name))
  await deps.accounts.reload()
  await revokeAllOf(deps, isCalled(user))
  return name
}

/** Picks all that was issued by the name of a user, whichever id the user had then. */
function isCalled(user: KnownUser): (owner: IssuedOwner) => boolean {
  const { username } = user
  return ({ name, source }) => source === sourceOf(user) && isSameName(name, username)
}

/** Ends everything that was issued to the owners that `isMeant` picks. */
export async function revokeAllOf(
  { tokens, sessions, invitations, subscriptions }: IssuedToUsers,
  isMeant: (owner: IssuedOwner) => boolean,
): Promise<void> {
  await tokens.endOfAll(isMeant)
  await sessions.endOfAll(isMeant)
  await invitations.endOfAll(isMeant)
  await subscriptions.endOfAll(isMeant)
}

function listed({ access }: UserAdministrationDeps, { user, disabled, used }: Account): ListedUser {
  const standing = disabled ? null : access.standingOf(user)
  return {
    name: user.username,
    source: sourceOf(user),
    known: user,
    disabled,
    administrator: standing?.administrator ?? false,
    roles: standing?.roles ?? [],
    tokens: used?.tokens ?? 0,
    lastUsed: used?.lastUsed ?? null,
  }
}

/** Stores a password; false where there is no such user, or one with another hash than `from` where that is given. */
async function storePassword(
  { accounts, sessions }: UserAdministrationDeps,
  user: Principal,
  password: string,
  from?: string,
): Promise<boolean> {
  const { store, cost } = accounts
  const { username } = user
  if (!(await changePassword(store, { username, password, cost }, from))) return false
  await accounts.reload()
  await sessions.endOf(user)
  return true
}

/**
 * The user with this name.
 *
 * @throws {ServiceError} `user-not-found`; `malformed-request` when the source has to be named.
 */
async function userNamed(deps: UserAdministrationDeps, named: NamedUser): Promise<KnownUser> {
  const user = await findNamed(deps, named)
  if (user === null) throw userNotFound(named.name)
  return user
}

/** A user of the directory or the provider who has left nothing here. */
function userOfElsewhere(
  { sourcesElsewhere }: UserAdministrationDeps,
  { name, source }: NamedUser,
): KnownUser {
  assertUsername(name)
  const [from, ...others] = sourcesElsewhere.filter((each) => each === (source ?? each))
  if (from === undefined) throw userNotFound(name)
  if (others.length > 0) throw ambiguous(`${name} may be a user of several sources`)
  return { username: name, external: { source: from, roles: [] } }
}

/**
 * A user by name, null when there is none; a user of the users file takes precedence over those of
 * other sources.
 *
 * @throws {ServiceError} `malformed-request` when the source has to be named.
 */
async function findNamed(
  deps: UserAdministrationDeps,
  { name, source }: NamedUser,
): Promise<KnownUser | null> {
  const reading = await deps.accounts.read()
  const local = findUser(reading.users, name)
  if (local !== null && (source ?? 'users-file') === 'users-file')
    return localPrincipal(reading, local[0])
  const found = (await accountsOf(deps)).filter(
    ({ user }) => isSameName(user.username, name) && (source ?? sourceOf(user)) === sourceOf(user),
  )
  const [account, ...others] = found
  if (others.length > 0) throw ambiguous(`Users of several sources are called ${name}`)
  return account?.user ?? null
}

function ambiguous(reason: string): ServiceError {
  return malformedRequest(`${reason}: name one of them`, 'source')
}

function assertAdministrator({ access }: UserAdministrationDeps, principal: Principal): void {
  assertMay(access, principal, { action: 'administer' })
}

/** An administrator's token must not let others in: their access would outlive the token. */
function assertMayLetIn(deps: UserAdministrationDeps, principal: Principal): void {
  assertAdministrator(deps, principal)
  assertGivesNoLogin(principal)
}

function assertGivesNoLogin(principal: Principal): void {
  const message = 'A token lets nobody in and sets no password'
  assertLoggedIn(principal, { permission: 'let-in', message })
}

function assertOther(principal: Principal, user: KnownUser, what: 'disables' | 'removes'): void {
  const isOther = sourceOf(principal) !== sourceOf(user)
  if (isOther || !isSameName(principal.username, user.username)) return
  throw notPermitted(`Nobody ${what} their own user: another administrator does`)
}

function assertLocal({ external }: KnownUser): void {
  if (external === undefined) return
  throw notPermitted('This password is kept elsewhere, and is changed there')
}

/** Asserts that a user is left who can log in here and administers the server. */
function assertAdministered({ access }: UserAdministrationDeps, left: Users, name: string): void {
  const isLeft = Array.from(left).some(
    ([username, stored]) =>
      !isDisabledUser(stored) && access.may({ username }, { action: 'administer' }),
  )
  if (isLeft) return
  const message = `${name} is the last administrator who can log in: make another user one first`
  throw new ServiceError('last-administrator', message, { username: name })
}

function passwordOf({ password }: NewCredentials): string {
  if (password === null) return randomBytes(MADE_BYTES).toString('base64url')
  assertPassword(password)
  return password
}

function notPermitted(message: string): ServiceError {
  return new ServiceError('not-permitted', message, { permission: 'administer-user' })
}
