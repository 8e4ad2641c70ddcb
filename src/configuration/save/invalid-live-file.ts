import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { History } from '../../history/history.ts'
import type { InvalidEdit } from '../../history/sync/reconciler.ts'
import { type Access, assertMay } from '../access/permission.ts'

export interface LiveFileDeps {
  readonly history: History
  readonly access: Access
}

/**
 * The live file while it holds an edit that is not valid. Null when there is none: a valid one is
 * current by then.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export async function readInvalidEdit(
  { history, access }: LiveFileDeps,
  principal: Principal,
): Promise<InvalidEdit | null> {
  assertMay(access, principal, { action: 'administer' })
  return history.findInvalidEdit()
}

/**
 * Keeps a live file that is not valid under another name, which is returned, and puts the current
 * configuration in its place.
 *
 * @throws {ServiceError} `config-stale` when the file is no longer that version; `not-permitted`.
 */
export async function setLiveFileAside(
  { history, access }: LiveFileDeps,
  principal: Principal,
  version: string,
): Promise<string> {
  assertMay(access, principal, { action: 'administer' })
  const name = await history.setAsideInvalidEdit(version)
  if (name !== null) return name
  const message = 'The file on disk has changed since'
  throw new ServiceError('config-stale', message, {
    current: history.current().digest,
    problems: [],
  })
}
