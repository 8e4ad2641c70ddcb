import { text } from 'node:stream/consumers'
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
  userNotFound,
  type UsersStore,
} from '../../security/users.ts'
import { readSettings, separateWords } from '../../settings/read-settings.ts'
import { SettingsError } from '../../settings/settings-error.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { say } from '../output.ts'
import { recordedIn } from '../recorded.ts'
import { wrongUsage } from '../usage.ts'
import { withUsers } from '../users-place.ts'

/** Manages the users. A password is read from the first line of standard input, never from the command line. */
export async function user(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS.user, args)
  const settings = readSettings(SETTINGS.user, flags)
  const [verb = '', name, ...others] = words
  if (verb === 'list' && name === undefined) return withUsers(settings, { mayBeFirst: false }, list)
  const change = CHANGES.get(verb)
  if (change === undefined || name === undefined || others.length > 0) throw wrongUsage('user')
  await actAsOwner(settings['users-file'] ?? settings['state-dir'], settings['state-dir'])
  const recorded = recordedIn(settings)
  const target = `/api/users/${encodeURIComponent(name)}`
  return withUsers(settings, { mayBeFirst: verb === 'add' }, async (store) => {
    say(await change(store, name, (action, work) => recorded({ action, target }, work)))
    return 0
  })
}

/** Does a part of a change that the audit log has an entry of. */
type Recording = <Result>(action: string, work: () => Promise<Result>) => Promise<Result>
/** Changes one user, and returns the line to print. */
type Change = (store: UsersStore, username: string, record: Recording) => Promise<string>

const CHANGES: ReadonlyMap<string, Change> = new Map([
  ['add', add],
  ['passwd', changePasswordOf],
  ['remove', remove],
  ['disable', disable],
  ['enable', enable],
])

async function list(store: UsersStore): Promise<number> {
  const { users } = await readUsers(store)
  for (const [name, stored] of users) say(isDisabledUser(stored) ? `${name}\tdisabled` : name)
  return 0
}

async function add(store: UsersStore, username: string, record: Recording): Promise<string> {
  const existing = findUser((await readUsers(store)).users, username)
  if (existing) throw nameInUse(existing[0])
  const password = await readPassword()
  await record('create-user', () => addUser(store, { username, password }))
  return `User ${username} is added`
}

async function changePasswordOf(
  store: UsersStore,
  username: string,
  record: Recording,
): Promise<string> {
  await assertThere(store, username)
  const password = await readPassword()
  await record('reset-password', async () => {
    if (!(await changePassword(store, { username, password }))) throw userNotFound(username)
  })
  return `The password of ${username} is changed`
}

async function remove(store: UsersStore, username: string, record: Recording): Promise<string> {
  await record('delete-user', async () => {
    if (!(await removeUser(store, username))) throw userNotFound(username)
  })
  return `User ${username} is removed`
}

async function disable(store: UsersStore, username: string, record: Recording): Promise<string> {
  await assertThere(store, username)
  await record('disable-user', () => disableUser(store, username))
  return `User ${username} is disabled`
}

async function enable(store: UsersStore, username: string, record: Recording): Promise<string> {
  await assertThere(store, username)
  await record('enable-user', () => enableUser(store, username))
  return `User ${username} is enabled`
}

async function assertThere(store: UsersStore, username: string): Promise<void> {
  if (!(await readUsers(store)).users.has(username)) throw userNotFound(username)
}

async function readPassword(): Promise<string> {
  const [password = ''] = (await text(process.stdin)).split(/\r?\n/)
  if (password === '')
    throw new SettingsError('give the password on the first line of standard input')
  return password
}
