import type { CommitSha } from '../../core/revision.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import type { EditScript } from '../../diff/edit-script.ts'

/** The findings of the walker about one revision, from which everything else is derived. */
export interface Step {
  readonly commit: CommitSha
  readonly number: number
  /** Whether the list has below it all of its own history and nothing else. */
  readonly isClosed: boolean
  /** Whether it is in lists and searches: it is not in an archive. */
  readonly isListed: boolean
  /** The numbers of the revisions that it came upon, that of the first parent first. */
  readonly bases: readonly number[]
  /** Its changes; of a merge, its own. */
  readonly changes: readonly DocumentChange[]
  /** The former groups of the pipelines that it removed, by their names in folded spelling. */
  readonly groups: ReadonlyMap<string, string>
  /** The edit upon each base; of a revision without a base, upon nothing. */
  readonly scripts: readonly EditScript[]
}
