import { digestOf } from '../../core/digest.ts'
import type { Revision } from '../../core/revision.ts'
import { fitRevision } from './commit-limits.ts'
import type { Inspect } from './inspection.ts'
import { authorName, bodyOf, parseMessage, type RecordedMessage, subjectOf } from './message.ts'
import type { CommitRecord } from '../../git/objects/object-reader.ts'

/** The committer of every revision this service writes. */
export const SERVICE_COMMITTER = { name: 'Cairn', email: 'cairn@localhost' } as const

/**
 * The tolerated difference between the recorded time and the author time, which an amend may set
 * again.
 */
const MAX_DRIFT_MS = 60_000

export interface Classification {
  readonly inspect: Inspect
  readonly serverEdition: string
}

/**
 * The revision that the message of a commit records, provided that this service wrote the commit and
 * it is unaltered; null else. An amend, a rebase or a cherry-pick keeps the message and may change the
 * file, and the original recorded the digest of another document at times, so there the bytes decide.
 */
export function believe(commit: CommitRecord): Revision | null {
  if (!isByService(commit)) return null
  const message = parseMessage(commit.message)
  return message?.form === 'trailers' ? recorded(commit, message) : null
}

/**
 * The revision that an unaltered commit of the original records; null for others. Its digest is that of
 * an earlier document at times: one that was recorded before.
 */
export function recordedByOriginal(commit: CommitRecord): Revision | null {
  if (commit.committer.time !== commit.time) return null
  const message = parseMessage(commit.message)
  return message?.form === 'original' ? recorded(commit, message) : null
}

/** Determines the revision of a commit from the bytes of its file; null when that is absent or not valid. */
export async function classify(
  commit: CommitRecord,
  document: Uint8Array<ArrayBuffer> | null,
  context: Classification,
): Promise<Revision | null> {
  if (document === null) return null
  const message = parseMessage(commit.message)
  const digest = digestOf(document)
  if (message?.digest === digest) return recorded(commit, message)
  const inspection = await context.inspect(document)
  if (!inspection.ok) return null
  const { schemaVersion } = inspection
  if (message) return { ...recorded(commit, message), digest, schemaVersion }
  const revision = {
    digest,
    commit: commit.sha,
    username: commit.author,
    time: commit.time,
    schemaVersion,
    serverEdition: context.serverEdition,
    serverVersion: 'N/A',
    subject: subjectOf(commit.message),
    message: bodyOf(commit.message),
  }
  return fitRevision(revision, commit)
}

/** Whether this service is the committer. */
export function isByService({ committer, time }: CommitRecord): boolean {
  return committer.time === time && committer.email === SERVICE_COMMITTER.email
}

/**
 * The revision that a message records. The author of the commit decides about user and time: a recorded
 * name counts only when it renders to that author, and a recorded time when it is near the author's. The
 * original knew both from its message alone.
 */
function recorded(commit: CommitRecord, message: RecordedMessage): Revision {
  const { digest, time, schemaVersion, serverEdition, serverVersion, username } = message
  const isOriginal = message.form === 'original'
  const isAuthor = username !== null && authorName(username) === commit.author
  const isNear = Math.abs(time - commit.time) < MAX_DRIFT_MS
  const revision = {
    digest,
    commit: commit.sha,
    username: isAuthor || isOriginal ? (username ?? commit.author) : commit.author,
    time: isNear || isOriginal ? time : commit.time,
    schemaVersion,
    serverEdition,
    serverVersion,
    subject: subjectOf(commit.message),
    message: bodyOf(commit.message),
  }
  return fitRevision(revision, commit)
}
