import { randomBytes } from 'node:crypto'
import { readUsersFile, writeUser } from './users-file.ts'

/** The user that a new service has. */
export const FIRST_USER = 'admin'

/**
 * Creates user `admin` when nobody can log in yet. Returns the password when it was generated,
 * so that it can be shown once; null when there is nothing to show.
 */
export async function createFirstUser(file: string, chosen: string | null): Promise<string | null> {
  const { users, problems } = await readUsersFile(file)
  if (users.size > 0 || problems.length > 0) return null
  const password = chosen ?? randomBytes(15).toString('base64url')
  await writeUser(file, { username: FIRST_USER, password })
  return chosen === null ? password : null
}
