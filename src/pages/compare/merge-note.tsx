import type { EntityIndex } from '../../index/entity-index.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import type { ComparedRevisions } from '../code/comparison.ts'
import { LinkChoice } from '../kit/buttons.tsx'
import type { Links } from '../kit/links.ts'
import { someOf } from '../kit/lists.tsx'
import type { RevisionReadingDeps } from '../revisions/numbered-revision.ts'

/** A merge that is compared with the revision before it. */
export interface ComparedMerge {
  /** The numbers of the revisions that it merged, from the one of the branch itself on. */
  readonly parents: readonly number[]
  /** The changes that none of them has; null while they are not known. */
  readonly own: readonly DocumentChange[] | null
}

/** The merge that a comparison is about; null where it is about something else. */
export function mergeIn(
  { history, entities }: RevisionReadingDeps & { readonly entities: EntityIndex },
  { before, after }: ComparedRevisions,
): ComparedMerge | null {
  if (!after.isMerge) return null
  const parents = history.basesOf(after).flatMap((commit) => history.numberOf({ commit }) ?? [])
  const isNext = before.number === after.number - 1
  if (!isNext && !parents.includes(before.number)) return null
  return { parents, own: entities.find(after) }
}

interface MergeNoteProps extends ComparedRevisions {
  readonly links: Links
  readonly merge: ComparedMerge
}

/** The most changes of a merge that are named. */
const MAX_NAMED = 3

/** The parents of a merge, what it changed itself, and the comparison with each parent. */
export function MergeNote({ links, merge: { parents, own }, before, after }: MergeNoteProps) {
  const name = `r${after.number}`
  const [into, ...others] = parents.map((number) => `r${number}`)
  return (
    <div class="card row">
      <span>
        {`${name} merges ${others.join(', ')} into ${into}. `}
        {own !== null && ownWords(own)}
      </span>
      <LinkChoice
        label="Parent to compare with"
        options={parents.map((number) => [
          `Changes from r${number}`,
          links.compare(`r${number}`, name),
          number === before.number,
        ])}
      />
    </div>
  )
}

function ownWords(own: readonly DocumentChange[]): string {
  if (own.length === 0) return 'The merge itself changed nothing.'
  const changes = own.map((change) => `${change.label} ${renderChange(change)}`)
  return `The merge itself changed ${someOf(changes, MAX_NAMED)}.`
}
