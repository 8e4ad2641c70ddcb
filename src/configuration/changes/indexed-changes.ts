import type { CommitSha } from '../../core/revision.ts'
import type { RevisionChanges } from './revision-changes.ts'

/** What is known of revisions, by commit and by the entities that they are about. */
export class IndexedChanges {
  readonly #byCommit = new Map<CommitSha, RevisionChanges>()
  readonly #byEntity = new Map<string, Set<CommitSha>>()

  get size(): number {
    return this.#byCommit.size
  }

  find(commit: CommitSha): RevisionChanges | null {
    return this.#byCommit.get(commit) ?? null
  }

  values(): Iterable<RevisionChanges> {
    return this.#byCommit.values()
  }

  /** Those that are about an entity, in no order. */
  about(entity: string): RevisionChanges[] {
    const commits = [...(this.#byEntity.get(entity) ?? [])]
    return commits.flatMap((commit) => this.#byCommit.get(commit) ?? [])
  }

  /** Adds a revision, in the place of what was known of it. */
  take(told: RevisionChanges): void {
    const { commit, entities } = told
    for (const entity of this.find(commit)?.entities ?? []) {
      this.#byEntity.get(entity)?.delete(commit)
    }
    this.#byCommit.set(commit, told)
    for (const entity of entities) {
      const commits = this.#byEntity.get(entity)
      if (commits) commits.add(commit)
      else this.#byEntity.set(entity, new Set([commit]))
    }
  }
}
