import type { Principal } from '../../core/principal.ts'
import {
  type Revision,
  type RevisionKind,
  revisionKindOf,
  shownAuthor,
} from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { type Access, assertMay } from '../../configuration/access/permission.ts'
import {
  findInEffectAt,
  findUntagged,
  isNameOfRevision,
  revisionUnknown,
} from '../../configuration/read/named-revision.ts'

export interface RevisionReadingDeps {
  readonly history: History
  readonly access: Access
}

/** A revision as pages show it. */
export interface NumberedRevision extends Revision {
  /** Counted from 1 for the oldest; `r24` on pages. */
  readonly number: number
  /** The number of the revision upon which it came, along first parents; null for the first. */
  readonly base: number | null
  readonly kind: RevisionKind
  /** The author as a readable name. */
  readonly who: string
  readonly isCurrent: boolean
  /** Whether it came upon several. */
  readonly isMerge: boolean
  /** The names of its tags. */
  readonly tags: readonly string[]
}

export function numbered(history: History, revision: Revision): NumberedRevision {
  const number = history.numberOf(revision)
  if (number === null) throw revisionUnknown(history, revision.commit)
  const { username, commit } = revision
  const isCurrent = history.current().commit === commit
  const [base, ...others] = history.basesOf(revision)
  return {
    ...revision,
    number,
    base: base === undefined ? null : history.numberOf({ commit: base }),
    kind: revisionKindOf(revision),
    who: shownAuthor(username),
    isCurrent,
    isMerge: others.length > 0,
    tags: history.tags.namesOf(revision.commit),
  }
}

/**
 * The revision that an address names: `r` and its number, a digest, a commit, a tag, a time, or `current`.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export function findNamed(
  { history, access }: RevisionReadingDeps,
  principal: Principal,
  name: string,
): NumberedRevision {
  assertMay(access, principal, { action: 'administer' })
  return revisionNamed(history, name)
}

/**
 * Finds a revision like {@link findNamed}, for callers that have checked the permission already.
 *
 * @throws {ServiceError} `revision-not-found`.
 */
export function revisionNamed(history: History, name: string): NumberedRevision {
  const tagged = isNameOfRevision(name) ? null : history.tags.find(name)
  const revision = tagged === null ? findUntagged(history, name) : history.findCommit(tagged)
  if (revision) return numbered(history, revision)
  throw revisionUnknown(history, name)
}

/** The revision with that number, or null. */
export function findNumber(history: History, number: number): NumberedRevision | null {
  const revision = history.at(number)
  return revision ? numbered(history, revision) : null
}

/**
 * The revision that was current at a time; null before the first one.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function findInEffect(
  { history, access }: RevisionReadingDeps,
  principal: Principal,
  time: number,
): NumberedRevision | null {
  assertMay(access, principal, { action: 'administer' })
  const revision = findInEffectAt(history, time)
  return revision ? numbered(history, revision) : null
}
