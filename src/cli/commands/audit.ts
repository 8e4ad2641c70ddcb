import { join } from 'node:path'
import type { AuditEntry } from '../../core/service/audit.ts'
import { pause } from '../../lib/pause.ts'
import { assertNoFormerFiles, START_FIRST } from '../../notify/audit/former-files.ts'
import { readSettings, separateWords } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import type { StateStore } from '../../state/state-store.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { say } from '../output.ts'
import { placeOf } from '../state-place.ts'
import { stopSignal } from '../stopping.ts'
import { wrongUsage } from '../usage.ts'

/** Characters by which a name could move the cursor of a terminal, or turn the text around it. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const POLL_INTERVAL_MS = 500
/** The number of entries that a follower shows before those that come. */
const SHOWN_BEFORE = 20
/** Several servers may commit entries in another order than that of their numbers. */
const MAX_OUT_OF_ORDER = 200

/** Prints the audit log, oldest entry first. With --follow, prints the newest entries and waits for more. */
export async function audit(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS.audit, args)
  const settings = readSettings(SETTINGS.audit, flags)
  if (words.length > 0) throw wrongUsage('audit')
  const stop = stopSignal()
  await actAsOwner(settings['state-dir'])
  if (settings.state === null)
    await assertNoFormerFiles(join(settings['state-dir'], 'audit'), START_FIRST)
  await using store = await placeOf(settings).open()
  const print = (entry: AuditEntry) => say(settings.json ? JSON.stringify(entry) : lineOf(entry))
  if (settings.follow) await follow(store, print, stop)
  else for await (const { entry } of store.auditEntries()) print(entry)
  return 0
}

async function follow(
  store: StateStore,
  print: (entry: AuditEntry) => void,
  stop: AbortSignal,
): Promise<void> {
  const printed = new Set<number>()
  let newest = await store.newestAuditEntry()
  let after = Math.max(0, newest - SHOWN_BEFORE)
  while (!stop.aborted) {
    for await (const { entry } of store.auditEntries(after)) {
      newest = Math.max(newest, entry.id)
      if (printed.has(entry.id)) continue
      print(entry)
      printed.add(entry.id)
    }
    after = Math.max(after, newest - MAX_OUT_OF_ORDER)
    for (const id of printed) if (id <= after) printed.delete(id)
    await pause(POLL_INTERVAL_MS, stop)
  }
}

function lineOf(entry: AuditEntry): string {
  const { time, user, claimed, action, target, address, outcome, status, reason, times } = entry
  const result = [outcome, status, reason].filter((each) => each !== undefined)
  return [
    new Date(time).toISOString(),
    user === '' ? `(${claimed ?? 'no log-in'})` : user,
    action,
    target,
    ...(address === '' ? [] : [`from ${address}`]),
    result.join(' '),
    ...(times === undefined ? [] : [`${times} times`]),
  ]
    .join('  ')
    .replaceAll(CONTROLS, '\uFFFD')
}
