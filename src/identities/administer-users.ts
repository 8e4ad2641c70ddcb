import { randomBytes } from 'node:crypto'
import { type Access, assertMay } from '../configuration/access/permission.ts'
import type { UserStanding } from '../configuration/access/access.ts'
import { ServiceError } from '../core/errors.ts'
import { isSameName, nameKey } from '../core/name-key.ts'
import { type Principal, sourceOf, type UserSource } from '../core/principal.ts'
import {
  addUser,
  assertUsername,
  changePassword,
  disableUser,
  enableUser,
  findUser,
  isDisabledUser,
  removeUser,
  type Users,
  type UsersReading,
  type UsersStore,
} from '../security/users.ts'
import type { GivenPassword } from '../security/credentials.ts'
import type { KnownUser } from '../security/permissions.ts'
import { assertLoggedIn } from './logged-in.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'

/** The shortest password that pages and calls take, and what bcrypt looks at of one, in bytes. */
const SHORTEST = 8
const LONGEST = 72
/** 120 bits in 20 characters. */
const MADE_BYTES = 15

/** Where the users of this server are kept. */
export interface UserAccounts {
  readonly store: UsersStore
  read(): Promise<UsersReading>
  /** Reads the users again: what they could do before is forgotten when it returns. */
  reload(): Promise<void>
  /** Who has a password, by the rules of a log-in; null where it is wrong. */
  holderOf(given: GivenPassword, address: string): Promise<Principal | null>
  /** The cost of the hash of a new password; the usual one when absent. */
  readonly cost: number | undefined
}

export interface UserAdministrationDeps {
  readonly access: Access
  readonly standingOf: (user: KnownUser) => UserStanding
  readonly accounts: UserAccounts
  readonly tokens: Tokens
  readonly sessions: Sessions
}

/** A user as administrators see it. */
export interface ListedUser {
  readonly name: string
  readonly source: UserSource
  /** As permissions are asked for. */
  readonly known: KnownUser
  readonly disabled: boolean
  readonly administrator: boolean
  readonly roles: readonly string[]
  /** How many tokens the user has. */
  readonly tokens: number
  /** Of a token or a session, to the minute, in milliseconds since the UNIX epoch; null when not known. */
  readonly lastUsed: number | null
}

/** A user who was just added, or has another password. */
export interface NewCredentials {
  readonly name: string
  /** The password that was made; null for one that was given. It is known this once. */
  readonly password: string | null
}

/**
 * Every user of the users file, and those from elsewhere who have a session or a token, by name.
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
 * Everybody of those who is not disabled, as permissions are asked for.
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
  wanted: NewCredentials,
): Promise<NewCredentials> {
  assertMayLetIn(deps, principal)
  const name = await nameOf(deps, wanted.name)
  const password = passwordOf(wanted)
  await storePassword(deps, name, password)
  return { name, password: wanted.password === null ? password : null }
}

/**
 * Gives the caller another password, which ends the caller's sessions.
 *
 * @throws {ServiceError} `not-permitted` for a wrong old password, and to a user who is not of the
 * users file, `malformed-request`, `too-many-requests`.
 */
export async function changeOwnPassword(
  deps: UserAdministrationDeps,
  principal: Principal,
  given: { readonly old: string; readonly password: string; readonly address: string },
): Promise<void> {
  const { username, external } = principal
  const { old, password, address } = given
  assertGivesNoLogin(principal)
  if (external !== undefined)
    throw notPermitted('This password is kept elsewhere, and is changed there')
  assertPassword(password)
  const holder = await deps.accounts.holderOf({ username, password: old }, address)
  if (holder === null || holder.credential !== undefined || holder.external !== undefined)
    throw notPermitted('The old password is wrong')
  await storePassword(deps, username, password)
}

/**
 * Keeps a user from everything: no password, session or token of the user is good any more. The
 * tokens are there again with `enableAccount`.
 *
 * @throws {ServiceError} `not-permitted`, `user-not-found`, `last-administrator`.
 */
export async function disableAccount(
  deps: UserAdministrationDeps,
  principal: Principal,
  username: string,
): Promise<string> {
  assertAdministrator(deps, principal)
  const name = await nameOf(deps, username)
  assertOther(principal, name, 'disables')
  await disableUser(deps.accounts.store, name, (left) => assertAdministered(deps, left, name))
  await deps.accounts.reload()
  await deps.sessions.endOf(name)
  return name
}

/** @throws {ServiceError} `not-permitted`, `user-not-found`. */
export async function enableAccount(
  deps: UserAdministrationDeps,
  principal: Principal,
  username: string,
): Promise<string> {
  assertMayLetIn(deps, principal)
  const name = await nameOf(deps, username)
  await enableUser(deps.accounts.store, name)
  await deps.accounts.reload()
  return name
}

/**
 * Removes a user, whose sessions and tokens end with that.
 *
 * @throws {ServiceError} `not-permitted`, `user-not-found`, `last-administrator`.
 */
export async function deleteUser(
  deps: UserAdministrationDeps,
  principal: Principal,
  username: string,
): Promise<string> {
  assertAdministrator(deps, principal)
  const name = await nameOf(deps, username)
  assertOther(principal, name, 'removes')
  await removeUser(deps.accounts.store, name, (left) => assertAdministered(deps, left, name))
  await deps.accounts.reload()
  const isGone = (owner: string) => isSameName(owner, name)
  await deps.tokens.revokeOf(isGone)
  await deps.sessions.endOfGone(isGone)
  return name
}

interface Used {
  readonly owner: {
    readonly name: string
    readonly source: UserSource
    readonly roles: readonly string[]
  }
  readonly tokens: number
  readonly lastUsed: number | null
}

interface Account {
  readonly user: KnownUser
  readonly disabled: boolean
  readonly used: Used | null
}

/** Those of the users file, and those from elsewhere who have something that was issued to them; by name. */
async function accountsOf(deps: UserAdministrationDeps): Promise<readonly Account[]> {
  const { users } = await deps.accounts.read()
  const used = await issuedTo(deps)
  const local = Array.from(users, ([name, stored]) => ({
    user: { username: name },
    disabled: isDisabledUser(stored),
    used: used.get(keyOf({ name, source: 'users-file' })) ?? null,
  }))
  const elsewhere = [...used.values()].flatMap((of) => {
    const { name, source, roles } = of.owner
    if (source === 'users-file') return []
    return [{ user: { username: name, external: { source, roles } }, disabled: false, used: of }]
  })
  return [...local, ...elsewhere].toSorted((one, other) =>
    one.user.username < other.user.username ? -1 : 1,
  )
}

/** What users have of tokens and sessions, by the key of the user. */
async function issuedTo({
  tokens,
  sessions,
}: UserAdministrationDeps): Promise<ReadonlyMap<string, Used>> {
  const used = new Map<string, Used>()
  for (const { owner, lastUsed, ...record } of [
    ...(await tokens.list(null)),
    ...(await sessions.list()),
  ]) {
    const key = keyOf(owner)
    const known = used.get(key) ?? { owner, tokens: 0, lastUsed: null }
    used.set(key, {
      owner,
      tokens: known.tokens + ('scope' in record ? 1 : 0),
      lastUsed: lastUsed === null ? known.lastUsed : Math.max(lastUsed, known.lastUsed ?? 0),
    })
  }
  return used
}

function listed(
  { standingOf }: UserAdministrationDeps,
  { user, disabled, used }: Account,
): ListedUser {
  const standing = disabled ? null : standingOf(user)
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

function keyOf({ name, source }: { readonly name: string; readonly source: UserSource }): string {
  return `${source} ${nameKey(name)}`
}

async function storePassword(
  { accounts, sessions }: UserAdministrationDeps,
  username: string,
  password: string,
): Promise<void> {
  const { store, cost } = accounts
  if (!(await changePassword(store, { username, password, cost }))) throw unknown(username)
  await accounts.reload()
  await sessions.endOf(username)
}

/** The name as the users file has it. */
async function nameOf({ accounts }: UserAdministrationDeps, username: string): Promise<string> {
  const { users } = await accounts.read()
  const found = findUser(users, username)
  if (found === null) throw unknown(username)
  return found[0]
}

function unknown(username: string): ServiceError {
  return new ServiceError('user-not-found', `There is no user ${username}`, { username })
}

function assertAdministrator({ access }: UserAdministrationDeps, principal: Principal): void {
  assertMay(access, principal, { action: 'administer' })
}

/** To let somebody in is more than an administrator's token may do: it would outlive the token. */
function assertMayLetIn(deps: UserAdministrationDeps, principal: Principal): void {
  assertAdministrator(deps, principal)
  assertGivesNoLogin(principal)
}

function assertGivesNoLogin(principal: Principal): void {
  const message = 'A token lets nobody in and sets no password'
  assertLoggedIn(principal, { permission: 'let-in', message })
}

function assertOther(principal: Principal, name: string, what: 'disables' | 'removes'): void {
  if (principal.external !== undefined || !isSameName(principal.username, name)) return
  throw notPermitted(`Nobody ${what} their own user: another administrator does`)
}

/** Somebody has to be left who can log in here and administers the server. */
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

function assertPassword(password: string): void {
  const length = Buffer.byteLength(password)
  if (length >= SHORTEST && length <= LONGEST && !/\p{Cc}/u.test(password)) return
  const message = `A password has ${SHORTEST} to ${LONGEST} bytes, and no line breaks`
  throw new ServiceError('malformed-request', message, {
    problems: [{ message, path: 'password' }],
  })
}

function notPermitted(message: string): ServiceError {
  return new ServiceError('not-permitted', message, { permission: 'administer-user' })
}
