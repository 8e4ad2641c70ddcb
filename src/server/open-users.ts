import { unavailable } from '../core/errors.ts'
import { StoredUsers } from '../identities/stored-users.ts'
import { assertUsersKept } from '../operations/lost-files.ts'
import { UsersFile } from '../security/users-file.ts'
import { readUsers, type UsersStore } from '../security/users.ts'
import type { StateStore } from '../state/state-store.ts'
import type { BootContext } from './boot-context.ts'

const WAY_OUT = 'Put it back from a backup, or move it away and add users with cairn user add'

/**
 * The users: in the file that the operator names; otherwise in the database of several servers, or in
 * the state folder of a single one. Where there are none yet, those that are known in the other of
 * these places move, as the service does.
 */
export async function openUsers(boot: BootContext, store: StateStore): Promise<UsersStore> {
  const { settings, places, cluster } = boot
  const users = await findUsers(boot, store)
  if (cluster === null && !settings['begin-anew']) await assertUsersKept(places)
  const { users: usable, problems } = await readUsers(users)
  if (usable.size > 0 || problems.length === 0) return users
  const what = users instanceof UsersFile ? places.usersFile : 'The list of users in the database'
  throw unavailable(`${what} has no line that is a user and the hash of a password. ${WAY_OUT}`)
}

async function findUsers(
  { settings, places, cluster, environment: { log } }: BootContext,
  store: StateStore,
): Promise<UsersStore> {
  const file = new UsersFile(places.usersFile)
  if (settings['users-file'] !== null) return file
  const stored = new StoredUsers(store)
  if (cluster === null) {
    // Who is added or removed in the file later is not to come back from the state.
    if (await copyUsers(stored, file)) await stored.change(() => [])
    return file
  }
  if (await copyUsers(file, stored)) {
    log({
      level: 'info',
      message: 'The users are in the database now; the file is not read any more',
    })
  }
  return stored
}

/** False where there are users already, or none to copy. */
async function copyUsers(from: UsersStore, to: UsersStore): Promise<boolean> {
  const lines = (await from.text()).split(/\r?\n/).filter((line) => line !== '')
  if (lines.length === 0) return false
  return to.change((there) => (there.some((line) => line !== '') ? null : lines))
}
