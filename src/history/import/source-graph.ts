import type { CommitSha } from '../../core/revision.ts'
import type { CommitRecord } from '../../git/objects/object-reader.ts'

/** A commit that the target repository has or is about to get, with the digest of its document. */
export interface ImportPlace {
  readonly name: string
  readonly digest: string | null
}

/**
 * Maps the commits of another repository to their copies here. A commit that is left out maps to
 * the copies of its parents.
 */
export class SourceGraph {
  readonly #places = new Map<CommitSha, readonly ImportPlace[]>()
  /** The parent for commits without parents; null begins a history. */
  readonly #base: ImportPlace | null

  constructor(base: ImportPlace | null) {
    this.#base = base
  }

  /**
   * The parents of a commit here. The base is an ancestor of every copy, so it is a parent only
   * where there is no other.
   */
  placesBefore({ parents }: Pick<CommitRecord, 'parents'>): readonly ImportPlace[] {
    if (parents.length === 0) return this.#base === null ? [] : [this.#base]
    const places = parents.flatMap((parent) => this.#places.get(parent) ?? [])
    const unique = [...new Map(places.map((place) => [place.name, place])).values()]
    const own = unique.filter(({ name }) => name !== this.#base?.name)
    return own.length > 0 ? own : unique
  }

  place(commit: Pick<CommitRecord, 'sha'>, place: ImportPlace): void {
    this.#places.set(commit.sha, [place])
  }

  leaveOut(commit: CommitRecord): void {
    this.#places.set(commit.sha, this.placesBefore(commit))
  }

  /** The place of a commit, the first where there are several. */
  placeOf(commit: CommitSha): ImportPlace | null {
    return this.#places.get(commit)?.[0] ?? null
  }
}

/** The named commits and all their ancestors. */
export function ancestorsOf(
  names: Iterable<CommitSha>,
  commits: readonly CommitRecord[],
): ReadonlySet<CommitSha> {
  const parents = new Map(commits.map((commit) => [commit.sha, commit.parents]))
  const found = new Set<CommitSha>()
  const waiting = [...names]
  for (let sha = waiting.pop(); sha !== undefined; sha = waiting.pop()) {
    if (found.has(sha)) continue
    found.add(sha)
    waiting.push(...(parents.get(sha) ?? []))
  }
  return found
}
