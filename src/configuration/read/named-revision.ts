import { Digest } from '../../core/digest.ts'
import { ServiceError } from '../../core/errors.ts'
import { CommitSha, type Revision } from '../../core/revision.ts'
import { archiveHint, archiveHintFor } from '../../history/archive-hint.ts'
import type { History } from '../../history/history.ts'
import { lastMomentOf } from '../../lib/moments.ts'

/** Revisions that are looked at in one step for the one that was current at a time. */
const PAGE = 1_000

/**
 * The revision that a caller names: `current`, `r` and its number, a digest, a commit, or a time, which
 * stands for the revision that was current at its end. What the branch no longer has counts too.
 *
 * @throws {ServiceError} `revision-not-found`.
 */
export async function findRevisionNamed(history: History, name: string): Promise<Revision> {
  const revision = await find(history, name.toLowerCase())
  if (revision !== null) return revision
  const number = numberInName(name.toLowerCase())
  const hint = number === null ? archiveHint(history) : archiveHintFor(history, number)
  const message = `There is no revision ${name}${hint}`
  throw new ServiceError('revision-not-found', message, { commit: name })
}

async function find(history: History, name: string): Promise<Revision | null> {
  if (name === 'current') return history.current()
  const number = numberInName(name)
  if (number !== null) return history.at(number)
  return (await findByHex(history, name)) ?? findByTime(history, name)
}

/** The number in a name such as `r24`; null in any other. */
export function numberInName(name: string): number | null {
  const number = /^r([1-9]\d{0,8})$/.exec(name)?.[1]
  return number === undefined ? null : Number(number)
}

async function findByHex(history: History, name: string): Promise<Revision | null> {
  const digest = Digest.safeParse(name)
  if (digest.success) return history.findEver(digest.data)
  const commit = CommitSha.safeParse(name)
  return commit.success ? history.findCommitEver(commit.data) : null
}

function findByTime(history: History, name: string): Revision | null {
  const time = lastMomentOf(name)
  if (time === null) return null
  for (let offset = 0; offset < history.kept(); offset += PAGE) {
    const found = history.list({ offset, limit: PAGE }).find((each) => each.time <= time)
    if (found) return found
  }
  return null
}
