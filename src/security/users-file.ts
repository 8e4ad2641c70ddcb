import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import { replaceFile } from '../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { hashPassword, isPasswordHash } from './password.ts'

/** User names and their password hashes, in the order of the file. */
export type Users = ReadonlyMap<string, string>

/** What a users file says: the users that can log in, and the lines that cannot be used. */
export interface UsersReading {
  readonly users: Users
  readonly problems: readonly Problem[]
}

/** Reads htpasswd lines; blank lines and `#` comments are passed over. */
export function parseUsers(text: string): UsersReading {
  const users = new Map<string, string>()
  const problems: Problem[] = []
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '' || line.startsWith('#')) return
    const separator = line.indexOf(':')
    const stored = line.slice(separator + 1).trim()
    if (separator > 0 && isPasswordHash(stored)) users.set(line.slice(0, separator), stored)
    else
      problems.push({
        message: 'This line is not a user and a bcrypt or {SHA} hash',
        line: index + 1,
      })
  })
  return { users, problems }
}

/**
 * The users file's content, or nobody when there is no such file.
 *
 * @throws {ServiceError} `unavailable` when it cannot be read.
 */
export async function readUsersFile(file: string): Promise<UsersReading> {
  return parseUsers(await readText(file))
}

/** Adds the user or changes the password; every other line stays as it is. */
export async function writeUser(
  file: string,
  user: { username: string; password: string },
): Promise<void> {
  assertUsername(user.username)
  const line = `${user.username}:${await hashPassword(user.password)}`
  const lines = await readLines(file)
  const place = lines.findIndex((existing) => existing.startsWith(`${user.username}:`))
  await writeLines(file, place < 0 ? [...lines, line] : lines.with(place, line))
}

/** Removes the user; false when there was none of that name. */
export async function removeUser(file: string, username: string): Promise<boolean> {
  const lines = await readLines(file)
  const kept = lines.filter((line) => !line.startsWith(`${username}:`))
  if (kept.length === lines.length) return false
  await writeLines(file, kept)
  return true
}

function assertUsername(username: string): void {
  if (/^[^:#\s\p{Cc}][^:\p{Cc}]{0,254}$/u.test(username)) return
  const message =
    'A user name has 1 to 255 characters, no colon, and does not begin with # or a space'
  throw new ServiceError('malformed-request', message, {
    problems: [{ message, path: 'username' }],
  })
}

async function readLines(file: string): Promise<string[]> {
  return (await readText(file)).split(/\r?\n/).filter((line) => line !== '')
}

async function readText(file: string): Promise<string> {
  try {
    return (await orNullWhenAbsent(readFile(file, 'utf8'))) ?? ''
  } catch (cause) {
    const message = `The users file ${file} cannot be read`
    throw new ServiceError('unavailable', message, { reason: String(cause) }, { cause })
  }
}

async function writeLines(file: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await replaceFile(file, Buffer.from(lines.map((line) => `${line}\n`).join('')), { mode: 0o600 })
}
