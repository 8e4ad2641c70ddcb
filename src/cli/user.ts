import { text } from 'node:stream/consumers'
import { ServiceError } from '../core/errors.ts'
import {
  addUser,
  changePassword,
  disableUser,
  enableUser,
  findUser,
  isDisabledUser,
  nameInUse,
  readUsers,
  removeUser,
  type UsersStore,
} from '../security/users.ts'
import { readSettings, SETTINGS, SettingsError } from '../settings.ts'
import { say } from './output.ts'
import { withUsers } from './users-place.ts'

const USAGE = 'user add NAME | passwd NAME | disable NAME | enable NAME | remove NAME, or user list'

/** Manages the users. A password is read from the first line of standard input, never from the command line. */
export async function user(args: readonly string[]): Promise<number> {
  const [verb, ...rest] = args
  const name = rest[0]?.startsWith('--') ? undefined : rest[0]
  const settings = readSettings(SETTINGS.user, name === undefined ? rest : rest.slice(1))
  const work = workOf(verb, name)
  if (work === null) throw new SettingsError(`use ${USAGE}`)
  return withUsers(settings, work)
}

function workOf(verb: string | undefined, name: string | undefined) {
  if (name === undefined) return verb === 'list' ? list : null
  if (verb === 'add') return (users: UsersStore) => add(users, name)
  if (verb === 'passwd') return (users: UsersStore) => changePasswordOf(users, name)
  if (verb === 'remove') return (users: UsersStore) => remove(users, name)
  if (verb === 'disable') return (users: UsersStore) => disable(users, name)
  if (verb === 'enable') return (users: UsersStore) => enable(users, name)
  return null
}

async function list(store: UsersStore): Promise<number> {
  const { users } = await readUsers(store)
  for (const [name, stored] of users) say(isDisabledUser(stored) ? `${name}\tdisabled` : name)
  return 0
}

async function add(store: UsersStore, username: string): Promise<number> {
  const existing = findUser((await readUsers(store)).users, username)
  if (existing) throw nameInUse(existing[0])
  await addUser(store, { username, password: await readPassword() })
  say(`User ${username} is added`)
  return 0
}

async function changePasswordOf(store: UsersStore, username: string): Promise<number> {
  await assertThere(store, username)
  const isChanged = await changePassword(store, { username, password: await readPassword() })
  if (!isChanged) throw unknownUser(username)
  say(`The password of ${username} is changed`)
  return 0
}

async function remove(store: UsersStore, username: string): Promise<number> {
  if (!(await removeUser(store, username))) throw unknownUser(username)
  say(`User ${username} is removed`)
  return 0
}

async function disable(store: UsersStore, username: string): Promise<number> {
  await assertThere(store, username)
  await disableUser(store, username)
  say(`User ${username} is disabled`)
  return 0
}

async function enable(store: UsersStore, username: string): Promise<number> {
  await assertThere(store, username)
  await enableUser(store, username)
  say(`User ${username} is enabled`)
  return 0
}

async function assertThere(store: UsersStore, username: string): Promise<void> {
  if (!(await readUsers(store)).users.has(username)) throw unknownUser(username)
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
