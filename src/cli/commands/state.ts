import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { MovedEntry } from '../../core/audit.ts'
import { unavailable } from '../../core/errors.ts'
import { STATE_KINDS } from '../../operations/examine-state.ts'
import { readSettings, separateWords, SETTINGS } from '../../settings/settings.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { type AuditPlace, auditPlaceOf } from '../audit-place.ts'
import { complain, say } from '../output.ts'
import { placeOf, type StatePlace } from '../state-place.ts'
import { wrongUsage } from '../usage.ts'

/**
 * `state dump` writes the store and the audit log as JSON lines, `state load FILE` creates both from them,
 * `state check` finds damage.
 */
export async function state(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS.state, args)
  const settings = readSettings(SETTINGS.state, flags)
  const [verb, source, ...others] = words
  if (others.length > 0) throw wrongUsage('state')
  // Root may read what the owner of the state may not.
  await using input = verb === 'load' && source !== undefined ? await open(source) : null
  await actAsOwner(settings['state-dir'])
  const [place, audit] = [placeOf(settings), auditPlaceOf(settings)]
  if (verb === 'dump' && source === undefined) return dump(place, audit)
  if (verb === 'check' && source === undefined) return check(place)
  if (input !== null && source !== undefined) return await load({ place, audit, source, input })
  throw wrongUsage('state')
}

async function dump(place: StatePlace, audit: AuditPlace): Promise<number> {
  await using store = await place.open()
  for await (const line of store.dump()) say(line)
  let entries = 0
  for await (const moved of audit.read()) {
    say(JSON.stringify(moved))
    entries += 1
  }
  say(JSON.stringify({ entries }))
  return 0
}

async function load({
  place,
  audit,
  source,
  input,
}: {
  place: StatePlace
  audit: AuditPlace
  source: string
  input: FileHandle
}): Promise<number> {
  const hasAudit = await assertWhole(source, input)
  await audit.assertNone()
  const lines = linesOf(input)
  await place.load(untilEnd(lines))
  if (hasAudit) await audit.write(entriesOf(lines))
  say(`${place.name} is made of ${source}${hasAudit ? '' : ', which has no audit log'}`)
  return 0
}

/**
 * Whether a dump has an audit log, which follows the state; a dump of an older program has none.
 *
 * @throws {ServiceError} `unavailable` when it ends before its last line.
 */
async function assertWhole(source: string, input: FileHandle): Promise<boolean> {
  let [entries, last] = [0, '']
  for await (const line of linesOf(input)) {
    if (line.startsWith('{"share":')) entries += 1
    last = line
  }
  if (last.startsWith('{"lines":')) return false
  if (last === JSON.stringify({ entries })) return true
  throw unavailable(`${source} is cut off: it ends without the line that says how long it is`)
}

/** The lines of the state, to its last one; what follows stays to be read. */
async function* untilEnd(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  for (;;) {
    const { done, value } = await lines.next()
    if (done === true) return
    yield value
    if (value.startsWith('{"lines":')) return
  }
}

async function* entriesOf(lines: AsyncGenerator<string>): AsyncGenerator<MovedEntry> {
  for await (const line of lines) {
    if (!line.startsWith('{"share":')) continue
    const moved = MovedEntry.safeParse(JSON.parse(line))
    if (!moved.success) throw unavailable('An entry of the audit log has an unknown form')
    yield moved.data
  }
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
