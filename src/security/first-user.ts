import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '../storage/durable-fs.ts'
import { readUsers, type UsersStore, writeUser } from './users.ts'

export const FIRST_USER = 'admin'

export interface FirstUserOptions {
  readonly users: UsersStore
  /** The file with a generated password, readable for everyone who can read the state. */
  readonly passwordFile: string
  /** Null to generate a password. */
  readonly password: string | null
  /** The cost of the hash; the usual one when absent. */
  readonly cost?: number | undefined
}

/**
 * Creates user `admin` when there are no users yet. Returns whether a password was generated.
 *
 * The password is written to its file before the user exists, and never to a log, which others
 * store and read. A short password in the settings is accepted: refusing to start would lock
 * everyone out.
 *
 * @throws {ServiceError} `malformed-request` for a password of the settings that would be cut.
 */
export async function createFirstUser(options: FirstUserOptions): Promise<boolean> {
  const { users: store, passwordFile, password, cost } = options
  const { users, problems } = await readUsers(store)
  if (users.size > 0 || problems.length > 0) return false
  const chosen = password ?? randomBytes(15).toString('base64url')
  if (password === null) {
    await mkdir(dirname(passwordFile), { recursive: true, mode: 0o700 })
    await replaceFile(passwordFile, Buffer.from(`${chosen}\n`), { mode: 0o600 })
  }
  await writeUser(store, { username: FIRST_USER, password: chosen, cost, mayBeShort: true })
  return password === null
}
