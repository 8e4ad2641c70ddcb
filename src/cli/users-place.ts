import { join } from 'node:path'
import { StoredUsers } from '../identities/stored-users.ts'
import { UsersFile } from '../security/users-file.ts'
import { readUsers, type UsersStore } from '../security/users.ts'
import type { StateSettings } from '../settings/settings.ts'
import type { StateStore } from '../state/state-store.ts'
import { placeOf } from './state-place.ts'

export type UsersSettings = StateSettings & { readonly 'users-file': string | null }

/** The users that settings name, in a state that is open already. */
export function usersIn(store: StateStore, settings: UsersSettings): UsersStore {
  return areStored(settings) ? new StoredUsers(store) : fileOf(settings)
}

/** Reads the users that settings name, in a state that is open already. */
export function usersReader(store: StateStore, settings: UsersSettings) {
  return () => readUsers(usersIn(store, settings))
}

/** Works on the users that settings name; no state is opened where they are in a file. */
export async function withUsers<Result>(
  settings: UsersSettings,
  work: (users: UsersStore) => Promise<Result>,
): Promise<Result> {
  if (!areStored(settings)) return work(fileOf(settings))
  await using store = await placeOf(settings).open()
  return await work(new StoredUsers(store))
}

function areStored(settings: UsersSettings): boolean {
  return settings['users-file'] === null && settings.state !== null
}

function fileOf(settings: UsersSettings): UsersStore {
  return new UsersFile(settings['users-file'] ?? join(settings['state-dir'], 'users.htpasswd'))
}
