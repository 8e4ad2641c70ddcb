import { hash as digest, randomBytes } from 'node:crypto'
import { malformedRequest, ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { Problem } from '../core/problem.ts'
import { nameKey } from '../core/name-key.ts'
import { newUsernameProblem, usernameKey } from '../core/username.ts'
import { hashNewPassword, isPasswordHash, type NewPasswordOptions } from './password.ts'

/**
 * User names and their password hashes, in the order of the lines. The hash of a disabled user is
 * prefixed with `!`, as in `/etc/shadow`, so that it matches no password.
 */
export type Users = ReadonlyMap<string, string>

/** The users that can log in, and the unusable lines. */
export interface UsersReading {
  readonly users: Users
  /**
   * The ids of users, by name: a user who is removed and added again gets another one. Lines of
   * other tools, or of versions without ids, have none.
   */
  readonly ids: ReadonlyMap<string, string>
  readonly problems: readonly Problem[]
  /** The names at the beginning of the unusable lines. */
  readonly unusable: readonly string[]
  /** Whether the last line is cut off, as during a write. */
  readonly isTorn: boolean
}

/** The file of users, as htpasswd lines. */
export interface UsersStore {
  /**
   * The lines; empty when nothing was ever written.
   *
   * @throws {ServiceError} `unavailable` when they cannot be read.
   */
  text(): Promise<string>
  /**
   * Changes the lines. Changes are serialized, across processes, too: each starts from the result
   * of the previous one. Null leaves the lines as they are; returns whether they changed.
   */
  change(change: (lines: readonly string[]) => readonly string[] | null): Promise<boolean>
  /** Differs from the one before when the lines may have changed. */
  stamp(): Promise<string>
  /** Calls whenever the lines may have changed, where the store can tell. */
  watch(changed: () => void): Disposable
}

/**
 * The name of a user as in the file, and the hash; null when there is none. Lines of other tools
 * may name users with the same key: an exact match comes first, then one in another case, then one
 * by key.
 */
export function findUser(users: Users, username: string): readonly [string, string] | null {
  const stored = users.get(username)
  if (stored !== undefined) return [username, stored]
  for (const keyOf of [nameKey, usernameKey]) {
    const key = keyOf(username)
    for (const user of users) if (keyOf(user[0]) === key) return user
  }
  return null
}

/** A user of the file as a caller. */
export function localPrincipal({ ids }: Pick<UsersReading, 'ids'>, username: string): Principal {
  const userId = ids.get(username)
  return userId === undefined ? { username } : { username, userId }
}

const DISABLED = '!'
/**
 * A comment with the id of a user, which other tools for htpasswd files pass over and keep. It names the
 * user's line by a digest, so that it ends with a line that such a tool replaces.
 */
const ID_LINE = /^# user-id ([0-9a-f]{16}) of ([0-9a-f]{16})$/

function idLine(id: string, userLine: string): string {
  return `# user-id ${id} of ${markOf(userLine)}`
}

/** Differs when the name or the password of a line does; a disabled user has the same. */
function markOf(userLine: string): string {
  const separator = userLine.indexOf(':')
  const name = userLine.slice(0, separator)
  return digest('sha256', `${name}:${enabled(userLine.slice(separator + 1).trim())}`).slice(0, 16)
}

function idOf(lines: readonly string[], userLine: string): string | null {
  const mark = markOf(userLine)
  const read = lines.map((line) => ID_LINE.exec(line))
  return read.find((found) => found?.[2] === mark)?.[1] ?? null
}

/** The lines with a user's line replaced; the id stays. */
function withLine(lines: readonly string[], place: number, line: string): readonly string[] {
  const before = lines[place] ?? ''
  const id = idOf(lines, before)
  const changed = lines.with(place, line)
  if (id === null) return changed
  return changed.map((each) => (each === idLine(id, before) ? idLine(id, line) : each))
}

/** The lines with a new user, who gets an id. */
function withNewUser(lines: readonly string[], line: string): readonly string[] {
  return [...lines, line, idLine(randomBytes(8).toString('hex'), line)]
}

/** Whether a stored hash belongs to a disabled user. */
export function isDisabledUser(stored: string): boolean {
  return stored.startsWith(DISABLED)
}

/** Parses htpasswd lines; skips blank lines and `#` comments. */
export function parseUsers(text: string): UsersReading {
  const users = new Map<string, string>()
  const problems: Problem[] = []
  const names = new Map<string, string>()
  const unusable: string[] = []
  const ids = new Map<string, string>()
  const marks = new Map<string, string>()
  const lines = text.split(/\r?\n/)
  lines.forEach((line, index) => {
    const [, id, mark] = ID_LINE.exec(line) ?? []
    if (id !== undefined && mark !== undefined) ids.set(mark, id)
    if (line.trim() === '' || line.startsWith('#')) return
    const separator = line.indexOf(':')
    const stored = line.slice(separator + 1).trim()
    const refuse = (message: string) => {
      problems.push({ message, line: index + 1 })
      unusable.push(separator < 0 ? line : line.slice(0, separator))
    }
    if (separator <= 0 || !isPasswordHash(enabled(stored))) {
      return refuse('This line is not a user and a bcrypt or {SHA} hash')
    }
    const name = line.slice(0, separator)
    const first = names.get(nameKey(name))
    if (first === name)
      return refuse(`The user ${name} has a line already, and the first one holds`)
    if (first !== undefined) {
      return refuse(`The user ${name} differs from the user ${first} only in case`)
    }
    names.set(nameKey(name), name)
    users.set(name, stored)
    marks.set(name, markOf(line))
  })
  return {
    users,
    ids: new Map(
      Array.from(marks).flatMap(([name, mark]) => {
        const id = ids.get(mark)
        return id === undefined ? [] : [[name, id] as const]
      }),
    ),
    problems,
    unusable,
    isTorn: lines.at(-1) !== '' && problems.at(-1)?.line === lines.length,
  }
}

/**
 * The users as they are now.
 *
 * @throws {ServiceError} `unavailable` when they cannot be read.
 */
export async function readUsers(store: UsersStore): Promise<UsersReading> {
  return parseUsers(await store.text())
}

export interface NewPassword extends NewPasswordOptions {
  readonly username: string
  readonly password: string
}

/**
 * Adds a user; every other line stays as it is.
 *
 * @throws {ServiceError} `name-in-use` for an existing name, by its key.
 */
export async function addUser(store: UsersStore, user: NewPassword): Promise<void> {
  assertUsername(user.username)
  const line = await lineOf(user)
  await store.change((lines) => {
    const known = findUser(parseUsers(lines.join('\n')).users, user.username)
    if (known) throw nameInUse(known[0])
    return withNewUser(lines, line)
  })
}

/** Adds the user or changes the password; every other line stays as it is. */
export async function writeUser(store: UsersStore, user: NewPassword): Promise<void> {
  assertUsername(user.username)
  const line = await lineOf(user)
  await store.change((lines) => {
    const place = placeOf(user.username, lines)
    return place < 0 ? withNewUser(lines, line) : withLine(lines, place, line)
  })
}

/**
 * Changes the password of an existing user, disabled or not, that has the hash `from`, or any where none
 * is given; returns false when there is none with that name and hash.
 */
export async function changePassword(
  store: UsersStore,
  { username, password, ...options }: NewPassword,
  from?: string,
): Promise<boolean> {
  const hashed = await hashNewPassword(password, options)
  return changeStored(store, username, (stored) => {
    if (stored !== (from ?? stored)) return stored
    return isDisabledUser(stored) ? DISABLED + hashed : hashed
  })
}

/** Throws when a change must not be, given the users that would be left. */
export type RefuseUsers = (left: Users) => void

/** Keeps a user from logging in; false when there is none with that name, or nothing changes. */
export function disableUser(
  store: UsersStore,
  username: string,
  refuse: RefuseUsers = () => {},
): Promise<boolean> {
  return changeStored(store, username, (stored) => DISABLED + enabled(stored), refuse)
}

/** Lets a disabled user log in again; false when there is none with that name, or nothing changes. */
export function enableUser(store: UsersStore, username: string): Promise<boolean> {
  return changeStored(store, username, enabled)
}

/** Removes the user; false when there is none with that name. */
export function removeUser(
  store: UsersStore,
  username: string,
  refuse: RefuseUsers = () => {},
): Promise<boolean> {
  return store.change((lines) => {
    const gone = new Set(
      lines
        .filter((line) => isLineOf(username, line))
        .flatMap((line) => {
          const id = idOf(lines, line)
          return id === null ? [line] : [line, idLine(id, line)]
        }),
    )
    if (gone.size === 0) return null
    const kept = lines.filter((line) => !gone.has(line))
    refuse(parseUsers(kept.join('\n')).users)
    return kept
  })
}

/** The error for a name that another user has already, ignoring case. */
export function userNotFound(username: string): ServiceError {
  return new ServiceError('user-not-found', `There is no user ${username}`, { username })
}

export function nameInUse(username: string): ServiceError<'name-in-use'> {
  return new ServiceError('name-in-use', `There is a user ${username} already`, { name: username })
}

function changeStored(
  store: UsersStore,
  username: string,
  change: (stored: string) => string,
  refuse: RefuseUsers = () => {},
): Promise<boolean> {
  return store.change((lines) => {
    const place = placeOf(username, lines)
    const line = lines[place]
    if (line === undefined) return null
    const changed = `${username}:${change(line.slice(username.length + 1).trim())}`
    if (changed === line) return null
    const all = withLine(lines, place, changed)
    refuse(parseUsers(all.join('\n')).users)
    return all
  })
}

/** The stored password from before the user was disabled. */
function enabled(stored: string): string {
  return isDisabledUser(stored) ? stored.slice(DISABLED.length) : stored
}

async function lineOf({ username, password, ...options }: NewPassword): Promise<string> {
  return `${username}:${await hashNewPassword(password, options)}`
}

function isLineOf(username: string, line: string): boolean {
  return line.startsWith(`${username}:`)
}

/** The place of the line that holds, before one that cannot be used; -1 without any. */
function placeOf(username: string, lines: readonly string[]): number {
  const own = (line: string) => isLineOf(username, line)
  const holding = lines.findIndex(
    (line) => own(line) && isPasswordHash(enabled(line.slice(username.length + 1).trim())),
  )
  return holding < 0 ? lines.findIndex(own) : holding
}

/** @throws {ServiceError} `malformed-request` for a name that no new user can have. */
export function assertUsername(username: string): void {
  const message = newUsernameProblem(username)
  if (message !== null) throw malformedRequest(message, 'username')
}
