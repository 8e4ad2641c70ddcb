import { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import { CommitSha, type Revision } from '../../core/revision.ts'
import { archiveHint, archiveHintFor } from '../../history/archive-hint.ts'
import type { History } from '../../history/history.ts'
import { lastMomentOf } from '../../lib/moments.ts'

/**
 * The revision that a caller names: `current`, `r` and its number, a digest, a commit, a tag, or a time,
 * which stands for the revision that was current at its end. What the branch no longer has counts too.
 *
 * @throws {ServiceError} `revision-not-found`.
 */
export async function findRevisionNamed(history: History, name: string): Promise<Revision> {
  await history.tags.refresh()
  const tagged = isNameOfRevision(name) ? null : history.tags.find(name)
  const revision =
    tagged === null
      ? (findUntagged(history, name) ?? (await findByHex(history, name.toLowerCase())))
      : await history.findCommitEver(tagged)
  if (revision !== null) return revision
  throw revisionUnknown(history, name)
}

/** The error for a name of a revision that is not there. */
export function revisionUnknown(history: History, name: string): ServiceError {
  const number = numberInName(name.toLowerCase())
  const hint = number === null ? archiveHint(history) : archiveHintFor(history, number)
  const message = `There is no revision ${name}${hint}`
  return new ServiceError('revision-not-found', message, { commit: name })
}

/** The revision of the branch, or of an archive, that a name means which is no tag; null for none. */
export function findUntagged(history: History, text: string): Revision | null {
  const name = text.toLowerCase()
  if (name === 'current') return history.current()
  const number = numberInName(name)
  if (number !== null) return history.at(number)
  const digest = Digest.safeParse(name)
  if (digest.success) return history.find(digest.data)
  const commit = CommitSha.safeParse(name)
  return commit.success ? history.findCommit(commit.data) : findByTime(history, name)
}

/** Whether a text names a revision by itself, so that a tag of that name is never asked for. */
export function isNameOfRevision(text: string): boolean {
  const name = text.toLowerCase()
  if (name === 'current' || numberInName(name) !== null) return true
  return Digest.safeParse(name).success || CommitSha.safeParse(name).success
}

/** Whether a text is in a form in which revisions are named, or a tag. */
export function mayNameRevision(history: History, text: string): boolean {
  if (isNameOfRevision(text) || history.tags.find(text) !== null) return true
  return lastMomentOf(text) !== null
}

/** The number in a name such as `r24`; null in any other. */
function numberInName(name: string): number | null {
  const number = /^r([1-9]\d{0,8})$/.exec(name)?.[1]
  return number === undefined ? null : Number(number)
}

async function findByHex(history: History, name: string): Promise<Revision | null> {
  const digest = Digest.safeParse(name)
  if (digest.success) return history.findEver(digest.data)
  const commit = CommitSha.safeParse(name)
  return commit.success ? history.findCommitEver(commit.data) : null
}

/** The newest revision that is no younger than a moment; null before the first. */
export function findInEffectAt(history: History, until: number): Revision | null {
  const place = history.columns.lastUntil(until)
  return place === null ? null : history.atPlace(place)
}

/** The revision that was current at the end of a time; null before the first, and for no time. */
function findByTime(history: History, name: string): Revision | null {
  const time = lastMomentOf(name)
  if (time === null) return null
  return findInEffectAt(history, time)
}
