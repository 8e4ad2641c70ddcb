import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { StateSettings } from '../settings/settings.ts'
import { loadSqliteState, openSqliteState } from '../state/open-sqlite.ts'
import type { StateStore } from '../state/state-store.ts'

/** Where a command finds the state that settings name. */
export interface StatePlace {
  /** As an operator knows it, without a password. */
  readonly name: string
  /** Inspecting a store must not create one. */
  open(): Promise<StateStore>
  load(lines: AsyncIterable<string>): Promise<void>
}

export function placeOf({ state: url, 'state-dir': folder }: StateSettings): StatePlace {
  if (url !== null) {
    return {
      name: 'The database',
      open: async () => (await postgresState()).openPostgresState(url, { mustExist: true }),
      load: async (lines) => (await postgresState()).loadPostgresState(url, lines),
    }
  }
  const file = join(folder, 'state.sqlite')
  return {
    name: file,
    open: async () => {
      await access(file)
      return openSqliteState(file)
    },
    load: (lines) => loadSqliteState(file, lines),
  }
}

/** Loaded on demand: most states are in a file. */
function postgresState() {
  return import('../state/open-postgres.ts')
}
