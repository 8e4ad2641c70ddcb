import type { DoorOfPeople } from '../../core/change-origin.ts'
import type { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import { restoreSubject } from '../../core/restore-subject.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import type { DocumentBefore, SavedChange } from './save-group.ts'
import type { ConfigurationWriter } from './configuration-writer.ts'
import { findRevision } from '../read/config-reading.ts'
import { type Access, assertMay } from '../access/permission.ts'
import { assertMayChange } from '../gate/refusal.ts'

export interface ConfigRestoringDeps {
  readonly history: History
  readonly writer: ConfigurationWriter
  readonly access: Access
}

export interface RestoreRequest {
  readonly commit: CommitSha
  /** The caller's reason; may be empty. */
  readonly reason: string
  /** The digest that the caller saw as current; null to restore over any. */
  readonly basedOn: Digest | null
}

/**
 * Makes an older revision current again, as a new revision by the caller. Later revisions stay in
 * the history.
 *
 * @throws {ServiceError} `revision-not-found`, `config-invalid` when the revision is not valid
 * today, `config-stale`, `not-permitted`.
 */
export async function restoreRevision(
  deps: ConfigRestoringDeps,
  principal: Principal,
  { commit, reason, basedOn }: RestoreRequest,
): Promise<SavedChange> {
  const restored = await readRestored(deps, principal, commit)
  return makeCurrent(deps.writer, principal, { door: 'restore', ...restored, basedOn, reason })
}

/**
 * The document of an older revision, and the subject of a change back to it.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export async function readRestored(
  { history, access }: Pick<ConfigRestoringDeps, 'history' | 'access'>,
  principal: Principal,
  commit: CommitSha,
): Promise<Pick<MakingCurrent, 'document' | 'subject'>> {
  assertMayRestore({ access }, principal)
  const revision = findRevision({ history }, commit)
  const document = await history.readDocument(revision)
  const source = { number: history.numberOf(revision) ?? 0, username: revision.username }
  return { document, subject: restoreSubject({ verb: 'Restore', what: null, ...source }) }
}

/** @throws {ServiceError} `not-permitted`, before a revision is looked for. */
export function assertMayRestore(
  { access }: Pick<ConfigRestoringDeps, 'access'>,
  principal: Principal,
): void {
  assertMayChange(() => assertMay(access, principal, { action: 'administer-something' }))
}

export interface MakingCurrent {
  readonly door: Extract<DoorOfPeople, 'restore' | 'undo'>
  readonly document: Uint8Array<ArrayBuffer>
  /** The digest that must still be current; null when any may be. */
  readonly basedOn: Digest | null
  readonly subject: string
  /** The message of the revision; may be empty. */
  readonly reason: string
}

/**
 * Makes an older document current.
 *
 * @throws {ServiceError} `config-invalid`, `config-stale`.
 */
export function makeCurrent(
  writer: ConfigurationWriter,
  principal: Principal,
  { door, document, basedOn, subject, reason }: MakingCurrent,
): Promise<SavedChange> {
  const restore = async (current: DocumentBefore) => {
    if (basedOn !== null && basedOn !== current.digest) throw changedSince(current)
    return document
  }
  return writer.change({ door, principal }, restore, { subject, message: reason })
}

/** The error for a restore that was asked for upon another document. */
export function changedSince({
  digest,
  username,
}: Pick<DocumentBefore, 'digest' | 'username'>): ServiceError {
  const message = `The configuration has changed since: the current one, ${digest}, is by ${username}`
  return new ServiceError('config-stale', message, { current: digest, problems: [] })
}
