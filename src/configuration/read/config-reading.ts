import type { Digest } from '../../core/digest.ts'
import { ServiceError, unavailable } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { CommitSha, Revision } from '../../core/revision.ts'
import { archiveHint } from '../../history/archive-hint.ts'
import type { History } from '../../history/history.ts'
import { type Access, assertMay } from '../access/permission.ts'
import type { ReadableDocuments } from '../current/readable-documents.ts'

export interface ConfigReadingDeps {
  readonly history: History
  readonly access: Access
  readonly readable: Pick<ReadableDocuments, 'secretsIn' | 'seal'>
  /** Hunks of a unified diff from the first text to the second; empty when they are equal. */
  readonly diff: (before: Uint8Array, after: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>
}

/**
 * The current revision.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function findCurrent(deps: ConfigReadingDeps, principal: Principal): Revision {
  assertMayRead(deps, principal)
  return deps.history.current()
}

/**
 * The revision of a snapshot, also of one that the branch no longer has.
 *
 * @throws {ServiceError} `snapshot-not-found`, `not-permitted`.
 */
export async function findSnapshot(
  deps: ConfigReadingDeps,
  principal: Principal,
  digest: Digest,
): Promise<Revision> {
  assertMayRead(deps, principal)
  const { history } = deps
  const revision = await history.findEver(digest)
  if (revision) return revision
  const message = `No configuration has the digest ${digest}${archiveHint(history)}`
  throw new ServiceError('snapshot-not-found', message, { digest })
}

/**
 * The exact bytes of a revision from {@link findSnapshot}. The digest names these bytes, so a
 * document with plain secrets cannot be served under it, neither unchanged nor sealed.
 *
 * @throws {ServiceError} `secrets-in-plain-text`; `unavailable` while those of the current one are
 * being sealed.
 */
export async function readSnapshot(
  { history, readable }: ConfigReadingDeps,
  revision: Revision,
): Promise<Uint8Array<ArrayBuffer>> {
  const { digest, commit } = revision
  const document = await history.readStored(revision)
  const problems = await readable.secretsIn({ digest, document })
  if (problems.length === 0) return document
  if (history.current().digest === digest) {
    throw unavailable('The newest commit has secrets in plain text, which are being sealed')
  }
  const message = `The configuration ${digest} has secrets in plain text and is not served: read commit ${commit} with git, or its differences here, where they are sealed`
  throw new ServiceError('secrets-in-plain-text', message, { digest, problems })
}

/**
 * Whether a caller may read revisions.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function assertMayRead(
  { access }: Pick<ConfigReadingDeps, 'access'>,
  principal: Principal,
): void {
  assertMay(access, principal, { action: 'administer' })
}

/**
 * Asserts that a caller may hear which revisions and tags there are, before one of them is looked for.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function assertMayNameRevisions(
  { access }: Pick<ConfigReadingDeps, 'access'>,
  principal: Principal,
): void {
  assertMay(access, principal, { action: 'administer-something' })
}

/** Two revisions to compare, the older text first by the caller's word. */
export interface RevisionPair {
  readonly before: Revision
  readonly after: Revision
}

/**
 * The two revisions of a diff, also of what the branch no longer has.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export async function findPair(
  deps: ConfigReadingDeps,
  principal: Principal,
  { from, to }: { from: CommitSha; to: CommitSha },
): Promise<RevisionPair> {
  assertMayRead(deps, principal)
  const { history } = deps
  const [before, after] = [await history.findCommitEver(from), await history.findCommitEver(to)]
  if (before === null) throw commitNotFound(history, from)
  if (after === null) throw commitNotFound(history, to)
  return { before, after }
}

/** The unified diff of a pair from {@link findPair}; empty when the texts are equal. */
export async function readDiff(
  { history, diff }: ConfigReadingDeps,
  { before, after }: RevisionPair,
): Promise<Uint8Array<ArrayBuffer>> {
  if (before.digest === after.digest) return new Uint8Array()
  return diff(...(await Promise.all([history.readDocument(before), history.readDocument(after)])))
}

/**
 * The revision of a commit in the history.
 *
 * @throws {ServiceError} `revision-not-found`.
 */
export function findRevision(
  { history }: Pick<ConfigReadingDeps, 'history'>,
  commit: CommitSha,
): Revision {
  const revision = history.findCommit(commit)
  if (revision) return revision
  throw commitNotFound(history, commit)
}

export function commitNotFound(history: History, commit: CommitSha): ServiceError {
  const message = `No revision has the commit ${commit}${archiveHint(history)}`
  return new ServiceError('revision-not-found', message, { commit })
}
