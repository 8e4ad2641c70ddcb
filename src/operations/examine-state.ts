import nodeFs, { chown, copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { ServiceError, unavailable } from '../core/errors.ts'
import { TOLD_PROPOSALS } from '../core/service/service-event.ts'
import { MAINTENANCE } from '../core/service/maintenance.ts'
import { findHolder } from '../history/doctor/holders.ts'
import { copySqliteState, openSqliteState } from '../state/open-sqlite.ts'
import { salvageSqliteState, replaceSqliteState } from '../state/salvage-sqlite.ts'
import { isThere, orNullWhenAbsent } from '../storage/fs-error.ts'
import { openProcessLock } from '../storage/process-lock.ts'
import { syncFile, syncFolder } from '../storage/sync-folder.ts'
import { BUILD_KINDS } from '../builds/engine/documents.ts'
import { AGENTS } from '../agents/agent-record.ts'
import { OVERRIDE_CURSOR, OVERRIDES } from '../configuration/gate/override-alarm.ts'
import { PLAIN_SECRETS } from '../configuration/read/plain-secret-alarm.ts'
import { ISSUED_KINDS } from '../identities/issued-record.ts'
import { MAIL_SUBSCRIPTIONS } from '../identities/mail-subscriptions.ts'
import { STORED_USERS } from '../identities/stored-users.ts'
import { MAIL_KINDS } from '../notify/mail/mail-news.ts'
import { DELIVERIES } from '../notify/webhooks/delivery-log.ts'
import { WEBHOOK_EVENTS, WEBHOOKS } from '../notify/webhooks/webhook-cursor.ts'

/** Every kind of document that the state store holds. */
export const STATE_KINDS = [
  ...BUILD_KINDS,
  AGENTS,
  WEBHOOKS,
  MAINTENANCE,
  TOLD_PROPOSALS,
  WEBHOOK_EVENTS,
  DELIVERIES,
  PLAIN_SECRETS,
  OVERRIDES,
  OVERRIDE_CURSOR,
  ...ISSUED_KINDS,
  ...MAIL_KINDS,
  MAIL_SUBSCRIPTIONS,
  STORED_USERS,
]

/** Checks a copy of a state file, so that nothing changes. Returns the faults; null when there is no file. */
export async function examineState(file: string): Promise<readonly string[] | null> {
  if (!(await isThere(file))) return null
  const folder = await mkdtemp(join(tmpdir(), 'cairn-doctor-'))
  try {
    const copy = join(folder, 'state.sqlite')
    if ((await findHolder(file, dirname(file))) === null) await copyBytes(file, copy)
    else await copySqliteState(file, copy)
    return await faultsOf(copy)
  } catch (error) {
    if (error instanceof ServiceError) return [error.message]
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export interface StateRepair {
  readonly file: string
  /** The lock of the repository, which is held by a service on this state. */
  readonly lock: string
  readonly clock: Clock
}

/**
 * Replaces a damaged file by a new one from its tables, if no row is lost. Returns the folder that
 * keeps the damaged file unchanged.
 *
 * @throws {ServiceError} `unavailable` when rows are lost or the state is in use; then nothing has
 * changed.
 */
export async function repairState({ file, lock, clock }: StateRepair): Promise<string> {
  await using _ = await openProcessLock(lock)
  const holder = await findHolder(file, dirname(file))
  if (holder !== null) throw unavailable(`${file} is in use by ${holder}`)
  const stamp = new Date(clock()).toISOString().replaceAll(/[:.]/g, '-')
  const quarantine = join(dirname(file), 'doctor', stamp)
  const work = await mkdtemp(`${file}.draft-`)
  try {
    const [copy, made] = [join(work, 'damaged.sqlite'), join(work, 'made.sqlite')]
    await copyBytes(file, copy)
    await salvageSqliteState(copy, made)
    const faults = await faultsOf(made)
    if (faults.length > 0) throw unavailable(faults.join('; '))
    await exchange(file, { made, quarantine })
    return quarantine
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Copies the file with its log, which alone has the newest changes. */
async function copyBytes(file: string, target: string): Promise<void> {
  await copyFile(file, target)
  await orNullWhenAbsent(copyFile(`${file}-wal`, `${target}-wal`))
}

async function faultsOf(file: string): Promise<readonly string[]> {
  await using store = await openSqliteState(file)
  return await store.check(STATE_KINDS)
}

async function exchange(
  file: string,
  { made, quarantine }: { made: string; quarantine: string },
): Promise<void> {
  await mkdir(quarantine, { recursive: true, mode: 0o700 })
  const copy = join(quarantine, basename(file))
  await copyBytes(file, copy)
  for (const each of [copy, `${copy}-wal`]) await orNullWhenAbsent(syncFile(nodeFs, each))
  for (const each of [quarantine, dirname(quarantine), dirname(file)])
    await syncFolder(nodeFs, each)
  const { uid, gid } = await stat(file)
  await chown(made, uid, gid)
  await replaceSqliteState(file, made)
}
