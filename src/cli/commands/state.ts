import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { assertNoFormerFiles, START_FIRST } from '../../notify/audit/former-files.ts'
import { unavailable } from '../../core/errors.ts'
import { STATE_KINDS } from '../../operations/examine-state.ts'
import { readSettings, separateWords } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { atPath } from '../../storage/fs-error.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { complain, say } from '../output.ts'
import { placeOf, type StatePlace } from '../state-place.ts'
import { wrongUsage } from '../usage.ts'

/**
 * `state dump` writes the store and the audit log as JSON lines, `state load FILE` creates both from them,
 * `state load` creates both in a database from those of the state folder, `state check` finds damage.
 */
export async function state(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS.state, args)
  const settings = readSettings(SETTINGS.state, flags)
  const [verb, source, ...others] = words
  if (others.length > 0) throw wrongUsage('state')
  // Root can read files that the owner of the state cannot.
  await using input = verb === 'load' && source !== undefined ? await open(source) : null
  await actAsOwner(settings['state-dir'])
  const place = placeOf(settings)
  const formerAudit = join(settings['state-dir'], 'audit')
  if (verb === 'dump' && source === undefined) {
    if (settings.state === null) await assertNoFormerFiles(formerAudit, START_FIRST)
    return dump(place)
  }
  if (verb === 'check' && source === undefined) return check(place)
  if (verb === 'load' && source === undefined && settings.state !== null) {
    await assertNoFormerFiles(formerAudit, START_FIRST)
    return move(placeOf({ ...settings, state: null }), place)
  }
  if (input !== null && source !== undefined) {
    if (settings.state === null) await assertNoFormerFiles(formerAudit, 'move its files away')
    return await load(place, source, input)
  }
  throw wrongUsage('state')
}

async function dump(place: StatePlace): Promise<number> {
  await using store = await place.open()
  for await (const line of store.dump()) say(line)
  return 0
}

async function move(from: StatePlace, to: StatePlace): Promise<number> {
  await using store = await from.open()
  await to.load(store.dump())
  say(`${to.name} is made of ${from.name}`)
  return 0
}

async function load(place: StatePlace, source: string, input: FileHandle): Promise<number> {
  const hasAudit = await atPath(source, assertWhole(source, input))
  await place.load(linesOf(input))
  say(`${place.name} is made of ${source}${hasAudit ? '' : ', which has no audit log'}`)
  return 0
}

/**
 * Whether a dump has an audit log; that of an older program may have none.
 *
 * @throws {ServiceError} `unavailable` when it ends before its last line.
 */
async function assertWhole(source: string, input: FileHandle): Promise<boolean> {
  let last = ''
  for await (const line of linesOf(input)) last = line
  const [, end] = /^\{"(lines|entries)":\d+\}$/.exec(last) ?? []
  if (end !== undefined) return end === 'entries'
  throw unavailable(`${source} is cut off: it ends without the line that says how long it is`)
}

async function check(place: StatePlace): Promise<number> {
  await using store = await place.open()
  const faults = await store.check(STATE_KINDS)
  for (const fault of faults) complain(fault)
  if (faults.length === 0) say(`${place.name} is whole`)
  return faults.length === 0 ? 0 : 1
}

/**
 * Read from the beginning when the first line is requested: readline loses lines that arrive before a
 * listener is attached.
 */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  yield* createInterface({ input: file.createReadStream({ start: 0, autoClose: false }) })
}
