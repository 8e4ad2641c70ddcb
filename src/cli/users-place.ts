import { join, resolve } from 'node:path'
import { StoredUsers } from '../identities/stored-users.ts'
import { UsersFile } from '../security/users-file.ts'
import { readUsers, type UsersStore } from '../security/users.ts'
import type { StateSettings } from '../settings/settings.ts'
import type { StateStore } from '../state/state-store.ts'
import { assertThere, placeOf } from './state-place.ts'

export type UsersSettings = StateSettings & { readonly 'users-file': string | null }

const USERS_FLAGS =
  'name the state folder of a service with --state-dir, or its users with --users-file'

/** The users that settings name, in a state that is open already. */
export function usersIn(store: StateStore, settings: UsersSettings): UsersStore {
  return areStored(settings) ? new StoredUsers(store) : fileOf(settings)
}

/** Reads the users that settings name, in a state that is open already. */
export function usersReader(store: StateStore, settings: UsersSettings) {
  return () => readUsers(usersIn(store, settings))
}

/**
 * Works on the users that settings name; no state is opened where they are in a file.
 *
 * @throws {ServiceError} `unavailable` without that file, which the first user makes.
 */
export async function withUsers<Result>(
  settings: UsersSettings,
  { mayBeFirst }: { readonly mayBeFirst: boolean },
  work: (users: UsersStore) => Promise<Result>,
): Promise<Result> {
  if (!areStored(settings)) {
    if (!mayBeFirst) await assertThere(resolve(pathOf(settings)), USERS_FLAGS)
    return work(fileOf(settings))
  }
  await using store = await placeOf(settings).open()
  return await work(new StoredUsers(store))
}

function areStored(settings: UsersSettings): boolean {
  return settings['users-file'] === null && settings.state !== null
}

function fileOf(settings: UsersSettings): UsersStore {
  return new UsersFile(pathOf(settings))
}

function pathOf(settings: UsersSettings): string {
  return settings['users-file'] ?? join(settings['state-dir'], 'users.htpasswd')
}
