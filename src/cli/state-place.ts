import { join, resolve } from 'node:path'
import { unavailable } from '../core/errors.ts'
import type { StateSettings } from '../settings/settings.ts'
import { loadSqliteState, openSqliteState } from '../state/open-sqlite.ts'
import type { StateStore } from '../state/state-store.ts'
import { isThere } from '../storage/fs-error.ts'

const STATE_FLAG = 'name the state folder of a service with --state-dir'

/** Where a command finds the state that settings name. */
export interface StatePlace {
  /** As an operator knows it, without a password. */
  readonly name: string
  /** Opens a store as it is: a command creates none, and upgrades none that a server of an earlier version may have. */
  open(): Promise<StateStore>
  load(lines: AsyncIterable<string>): Promise<void>
}

export function placeOf({ state: url, 'state-dir': folder }: StateSettings): StatePlace {
  if (url !== null) {
    return {
      name: 'The database',
      open: async () => (await postgresState()).openPostgresState(url, { asIs: true }),
      load: async (lines) => (await postgresState()).loadPostgresState(url, lines),
    }
  }
  const file = join(folder, 'state.sqlite')
  return {
    name: file,
    open: async () => {
      await assertThere(resolve(file), STATE_FLAG)
      return openSqliteState(file, { asIs: true })
    },
    load: (lines) => loadSqliteState(file, lines),
  }
}

/** @throws {ServiceError} `unavailable` for a file that is not there, with what to do. */
export async function assertThere(file: string, remedy: string): Promise<void> {
  if (await isThere(file)) return
  throw unavailable(`${file} is missing: ${remedy}`)
}

/** Loaded on demand: most states are in a file. */
function postgresState() {
  return import('../state/open-postgres.ts')
}
