import { ServiceError } from '../../core/errors.ts'
import type { CommitSha } from '../../core/revision.ts'
import type { Boundary } from '../boundary.ts'
import { withoutCommit } from './damage.ts'
import type { CommitRange, CommitRecord, ObjectReader } from './object-reader.ts'
import { countEach } from '../../lib/grouping.ts'

export type FindCommit = (commit: CommitSha) => Promise<CommitRecord | null>

/** Gives the commits of the boundary without their parents, as git lists them. */
export function endingAt(boundary: Boundary, find: FindCommit): FindCommit {
  return async (commit) => {
    const found = await find(commit)
    return found && boundary.includes(commit) ? { ...found, parents: [] } : found
  }
}

/**
 * The commits of a range, latest first, when they form a single line within the limit. Otherwise
 * null, at once when a commit is older than the end of the range, which is then unlikely to be
 * among its ancestors.
 */
export async function walkShortLine(
  find: FindCommit,
  { from, until }: { readonly from: CommitRecord; readonly until: CommitRecord | null },
  most: number,
): Promise<readonly CommitRecord[] | null> {
  const line: CommitRecord[] = []
  let commit = from
  while (commit.sha !== until?.sha) {
    const isPastEnd = until !== null && commit.committer.time < until.committer.time
    if (isPastEnd || line.length === most || commit.parents.length > 1) return null
    line.push(commit)
    const [parent] = commit.parents
    if (parent === undefined) return until === null ? line : null
    const found = await find(parent)
    if (found === null) return null
    commit = found
  }
  return line
}

/**
 * Whether a commit is reachable from a newer one: an ancestor of it, or the same. The newer one's
 * side is listed, since git may list ancestors of commits that are dated before them.
 */
export async function isReachable(
  reader: ObjectReader,
  older: CommitSha,
  newer: CommitSha,
): Promise<boolean> {
  if (older === newer) return true
  for await (const commits of reader.listCommits({ from: newer, until: older })) {
    if (commits.some(({ parents }) => parents.includes(older))) return true
  }
  return false
}

/** All commits of a range at once, in the order of {@link ObjectReader.listCommits}. */
export async function allCommits(
  reader: ObjectReader,
  range: CommitRange,
): Promise<readonly CommitRecord[]> {
  const batches: (readonly CommitRecord[])[] = []
  for await (const commits of reader.listCommits(range)) batches.push(commits)
  return batches.flat()
}

/** Lists the commits of a range, children before parents, then by commit time, latest first. */
export async function walkCommits(
  find: FindCommit,
  { from, until }: CommitRange,
): Promise<readonly CommitRecord[]> {
  const collected = await collect(find, { from, stop: until })
  // Ancestors of `until` are excluded by walking on to the first commits.
  const mayReachPast = [...collected.values()].some(({ parents }) => parents.length === 0)
  if (until !== null && mayReachPast) {
    const before = await collect(find, { from: until, stop: null })
    for (const sha of before.keys()) collected.delete(sha)
  }
  return inOrder(collected)
}

export async function readCommit(find: FindCommit, commit: CommitSha): Promise<CommitRecord> {
  const found = await find(commit)
  if (found === null) {
    throw new ServiceError('revision-not-found', withoutCommit(commit), { commit })
  }
  return found
}

async function collect(
  find: FindCommit,
  { from, stop }: { from: CommitSha; stop: CommitSha | null },
): Promise<Map<CommitSha, CommitRecord>> {
  const collected = new Map<CommitSha, CommitRecord>()
  const waiting = [from]
  for (let sha = waiting.pop(); sha !== undefined; sha = waiting.pop()) {
    if (sha === stop || collected.has(sha)) continue
    const commit = await readCommit(find, sha)
    collected.set(sha, commit)
    waiting.push(...commit.parents)
  }
  return collected
}

function inOrder(commits: ReadonlyMap<CommitSha, CommitRecord>): readonly CommitRecord[] {
  const children = countEach(Array.from(commits.values(), ({ parents }) => parents).flat())
  const ready = [...commits.values()].filter(({ sha }) => !children.has(sha))
  const ordered: CommitRecord[] = []
  for (let next = takeLatest(ready); next; next = takeLatest(ready)) {
    ordered.push(next)
    for (const sha of next.parents) {
      const left = (children.get(sha) ?? 0) - 1
      children.set(sha, left)
      const parent = commits.get(sha)
      if (parent && left === 0) ready.push(parent)
    }
  }
  return ordered
}

/** A list is enough: only as many commits are ready as there are parallel branches. */
function takeLatest(ready: CommitRecord[]): CommitRecord | undefined {
  const latest = ready.reduce(
    (best, commit, at) => (commit.committer.time > (ready[best]?.committer.time ?? 0) ? at : best),
    0,
  )
  return ready.splice(latest, 1)[0]
}
