import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { STATE_KINDS } from '../operations/examine-state.ts'
import { readSettings, SETTINGS, SettingsError, type StateSettings } from '../settings.ts'
import { loadPostgresState, openPostgresState } from '../state/open-postgres.ts'
import type { StateStore } from '../state/state-store.ts'
import { loadSqliteState, openSqliteState } from '../state/open-sqlite.ts'
import { complain, say } from './output.ts'

/**
 * `state dump` writes the store as JSON lines, `state load FILE` creates one from them, `state
 * check` finds damage.
 */
export async function state(args: readonly string[]): Promise<number> {
  const [verb, ...rest] = args
  const source = rest[0]?.startsWith('--') ? undefined : rest[0]
  const settings = readSettings(SETTINGS.state, source === undefined ? rest : rest.slice(1))
  const place = placeOf(settings)
  if (verb === 'dump') return dump(place)
  if (verb === 'check') return check(place)
  if (verb === 'load' && source !== undefined) return load(place, source)
  throw new SettingsError('use state dump | state load FILE | state check')
}

interface StatePlace {
  /** As an operator knows it, without a password. */
  readonly name: string
  /** Inspecting a store must not create one. */
  open(): Promise<StateStore>
  load(lines: AsyncIterable<string>): Promise<void>
}

function placeOf({ state: url, 'state-dir': folder }: StateSettings): StatePlace {
  if (url !== null) {
    return {
      name: 'The database',
      open: () => openPostgresState(url, { mustExist: true }),
      load: (lines) => loadPostgresState(url, lines),
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

async function dump(place: StatePlace): Promise<number> {
  await using store = await place.open()
  for await (const line of store.dump()) say(line)
  return 0
}

async function load(place: StatePlace, source: string): Promise<number> {
  await place.load(linesOf(source))
  say(`${place.name} is made of ${source}`)
  return 0
}

async function check(place: StatePlace): Promise<number> {
  await using store = await place.open()
  const faults = await store.check(STATE_KINDS)
  for (const fault of faults) complain(fault)
  if (faults.length === 0) say(`${place.name} is whole`)
  return faults.length === 0 ? 0 : 1
}

/**
 * Opened when the first line is requested: readline loses lines that arrive before a listener is
 * attached.
 */
async function* linesOf(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file) })
}
