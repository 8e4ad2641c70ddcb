import type { CommitSha } from '../../core/revision.ts'
import type { CommitRecord } from '../../git/object-reader.ts'

/** A commit of the repository that is written to, or one that is being written, with its document's digest. */
export interface Place {
  readonly name: string
  readonly digest: string | null
}

/**
 * Where the commits of another repository have gone: into a commit, or, for those that are left
 * out, to where their parents have gone.
 */
export class SourceGraph {
  readonly #places = new Map<CommitSha, readonly Place[]>()
  /** What commits without parents come upon; null begins a history. */
  readonly #base: Place | null

  constructor(base: Place | null) {
    this.#base = base
  }

  /** What a commit comes upon. Every place comes upon the base, which is named alone. */
  placesBefore({ parents }: Pick<CommitRecord, 'parents'>): readonly Place[] {
    if (parents.length === 0) return this.#base === null ? [] : [this.#base]
    const places = parents.flatMap((parent) => this.#places.get(parent) ?? [])
    const unique = [...new Map(places.map((place) => [place.name, place])).values()]
    const own = unique.filter(({ name }) => name !== this.#base?.name)
    return own.length > 0 ? own : unique
  }

  place(commit: Pick<CommitRecord, 'sha'>, place: Place): void {
    this.#places.set(commit.sha, [place])
  }

  leaveOut(commit: CommitRecord): void {
    this.#places.set(commit.sha, this.placesBefore(commit))
  }

  /** The place of a commit, the first where there are several. */
  placeOf(commit: CommitSha): Place | null {
    return this.#places.get(commit)?.[0] ?? null
  }
}

/** Everything that the named commits come upon, and they themselves. */
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
