import { unavailable } from '../../core/errors.ts'
import { CommitSha } from '../../core/revision.ts'
import type { GitExecutable } from '../../git/git-executable.ts'
import { runGit } from '../../git/run-git.ts'
import type { RevisionIndex } from '../index/revision-index.ts'

/** The commits to archive: the oldest of the branch, which are the history of one of them. */
export interface ArchivePlan {
  readonly revisions: number
  readonly commits: number
  /** The newest of them. */
  readonly last: CommitSha
  /** The commits based on them, which stay. */
  readonly boundary: readonly CommitSha[]
}

export interface PlanPlace {
  readonly git: GitExecutable
  readonly gitDir: string
  readonly index: RevisionIndex
}

/** The children of a commit and its parents. */
interface Family {
  readonly place: number
  readonly commit: CommitSha
  /** The places of its parents. */
  readonly parents: readonly number[]
}

/**
 * Plans an archive: as many of the oldest commits as can be cut off, before the first revision that
 * stays. A merge of both sides can be cut off neither above nor below, so the cut is made where
 * there is none.
 *
 * @param before Milliseconds since the UNIX epoch: the first revision from then on stays.
 * @throws {ServiceError} `unavailable` when nothing is older, or the newest revision is.
 */
export async function planArchive(place: PlanPlace, before: number): Promise<ArchivePlan> {
  const { index } = place
  const end = placeOfFirstKept(index, before)
  const families = await readFamilies(place)
  const cut = highestCut(index, { end, families })
  if (cut === null) throw nothingBefore(before)
  const [last, kept] = [index.commitAt(cut), families.filter((family) => family.place > cut)]
  const above = kept.filter(({ parents }) => parents.some((parent) => parent <= cut))
  const boundary = above.map(({ commit }) => commit)
  const number = index.entries(0, cut + 1).filter(({ revision }) => revision !== null).length
  if (number === 0) throw nothingBefore(before)
  return { revisions: number, commits: cut + 1, last, boundary }
}

/** The place of the first revision that is not older; the newest revision always stays. */
function placeOfFirstKept(index: RevisionIndex, before: number): number {
  const first = index.entries().findIndex(({ revision }) => revision && revision.time >= before)
  if (first >= 0) return first
  const newest = index.current()
  const when = newest === null ? '' : `, of ${new Date(newest.time).toISOString()},`
  throw unavailable(
    `The newest revision${when} is always kept, and is older than ${dateOf(before)}: name an earlier date`,
  )
}

/** Reads the commits that have parents, in the order of the index. */
async function readFamilies({ git, gitDir, index }: PlanPlace): Promise<readonly Family[]> {
  const tip = index.tip()
  if (tip === null) return []
  const listed = await runGit(git, gitDir, ['rev-list', '--parents', tip])
  return listed
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const [commit, ...parents] = line.split(' ')
      const found = CommitSha.safeParse(commit).data
      const at = found && index.placeOf(found)
      if (found === undefined || at === null || at === undefined) return []
      const places = parents.flatMap((each) => index.placeOf(CommitSha.parse(each)) ?? [])
      return [{ place: at, commit: found, parents: places }]
    })
}

/** The place of the last commit that can go: all before it are its history, and no merge spans it. */
function highestCut(
  index: RevisionIndex,
  { end, families }: { end: number; families: readonly Family[] },
): number | null {
  const spans = families
    .filter(({ parents }) => parents.length > 1)
    .map(({ parents }) => ({ low: Math.min(...parents), high: Math.max(...parents) }))
    .toSorted((left, right) => right.high - left.high)
  let cut = index.countClosed(end - 1) - 1
  for (const { low, high } of spans) {
    // Spans from the highest on: one below the cut cannot be in the way of any that follows.
    if (cut < low || cut >= high) continue
    cut = index.countClosed(low - 1) - 1
  }
  return cut < 0 ? null : cut
}

function nothingBefore(before: number): Error {
  return unavailable(`Nothing can be archived: no revision is older than ${dateOf(before)}`)
}

function dateOf(time: number): string {
  return new Date(time).toISOString().replace(/T00:00:00\.000Z$/, '')
}
