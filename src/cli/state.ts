import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { STATE_KINDS } from '../operations/state-kinds.ts'
import { readSettings, SETTINGS, SettingsError } from '../settings.ts'
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
  const file = join(settings['state-dir'], 'state.sqlite')
  if (verb === 'dump') return dump(file)
  if (verb === 'check') return check(file)
  if (verb === 'load' && source !== undefined) return load(file, source)
  throw new SettingsError('use state dump | state load FILE | state check')
}

async function dump(file: string): Promise<number> {
  await using store = await openExisting(file)
  for await (const line of store.dump()) say(line)
  return 0
}

async function load(file: string, source: string): Promise<number> {
  await loadSqliteState(file, linesOf(source))
  say(`${file} is made of ${source}`)
  return 0
}

async function check(file: string): Promise<number> {
  await using store = await openExisting(file)
  const faults = await store.check(STATE_KINDS)
  for (const fault of faults) complain(fault)
  if (faults.length === 0) say(`${file} is whole`)
  return faults.length === 0 ? 0 : 1
}

/** Inspecting a store must not create one. */
async function openExisting(file: string) {
  await access(file)
  return openSqliteState(file)
}

/**
 * Opened when the first line is requested: readline loses lines that arrive before a listener is
 * attached.
 */
async function* linesOf(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file) })
}
