import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { STATE_KINDS } from '../../operations/examine-state.ts'
import { readSettings, separateWords, SETTINGS } from '../../settings/settings.ts'
import { complain, say } from '../output.ts'
import { placeOf, type StatePlace } from '../state-place.ts'
import { wrongUsage } from '../usage.ts'

/**
 * `state dump` writes the store as JSON lines, `state load FILE` creates one from them, `state
 * check` finds damage.
 */
export async function state(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS.state, args)
  const place = placeOf(readSettings(SETTINGS.state, flags))
  const [verb, source, ...others] = words
  if (others.length > 0) throw wrongUsage('state')
  if (verb === 'dump' && source === undefined) return dump(place)
  if (verb === 'check' && source === undefined) return check(place)
  if (verb === 'load' && source !== undefined) return load(place, source)
  throw wrongUsage('state')
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
