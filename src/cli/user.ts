import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ServiceError } from '../core/errors.ts'
import {
  addUser,
  changePassword,
  findUser,
  nameInUse,
  readUsersFile,
  removeUser,
} from '../security/users-file.ts'
import { readSettings, SETTINGS, SettingsError } from '../settings.ts'
import { say } from './output.ts'

const USAGE = 'user add NAME | user passwd NAME | user remove NAME | user list'

/** Manages the users file. A password is read from the first line of standard input, never from the command line. */
export async function user(args: readonly string[]): Promise<number> {
  const [verb, ...rest] = args
  const name = rest[0]?.startsWith('--') ? undefined : rest[0]
  const settings = readSettings(SETTINGS.user, name === undefined ? rest : rest.slice(1))
  const file = settings['users-file'] ?? join(settings['state-dir'], 'users.htpasswd')
  if (verb === 'list' && name === undefined) return list(file)
  if (name === undefined) throw new SettingsError(`use ${USAGE}`)
  if (verb === 'add') return add(file, name)
  if (verb === 'passwd') return changePasswordOf(file, name)
  if (verb === 'remove') return remove(file, name)
  throw new SettingsError(`use ${USAGE}`)
}

async function list(file: string): Promise<number> {
  const { users } = await readUsersFile(file)
  for (const name of users.keys()) say(name)
  return 0
}

async function add(file: string, username: string): Promise<number> {
  const existing = findUser((await readUsersFile(file)).users, username)
  if (existing) throw nameInUse(existing[0])
  await addUser(file, { username, password: await readPassword() })
  say(`User ${username} is added`)
  return 0
}

async function changePasswordOf(file: string, username: string): Promise<number> {
  if (!(await readUsersFile(file)).users.has(username)) throw unknownUser(username)
  const isChanged = await changePassword(file, { username, password: await readPassword() })
  if (!isChanged) throw unknownUser(username)
  say(`The password of ${username} is changed`)
  return 0
}

async function remove(file: string, username: string): Promise<number> {
  if (!(await removeUser(file, username))) throw unknownUser(username)
  say(`User ${username} is removed`)
  return 0
}

async function readPassword(): Promise<string> {
  const [password = ''] = (await text(process.stdin)).split(/\r?\n/)
  if (password === '')
    throw new SettingsError('give the password on the first line of standard input')
  return password
}

function unknownUser(username: string): ServiceError {
  return new ServiceError('user-not-found', `There is no user ${username}`, { username })
}
