import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import type { PageFrame } from '../kit/layout.tsx'
import { RevisionName } from '../parts/revision-name.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'

/** The revision that an edit started from. */
export interface EditBase extends Revision {
  /** Null when the branch has it no longer, as after a `git reset`. */
  readonly number: number | null
}

export function editBase(history: History, revision: Revision): EditBase {
  return { ...revision, number: history.numberOf(revision) }
}

export function shortName({ number, digest }: EditBase): string {
  return number === null ? digest.slice(0, 8) : `r${number}`
}

/** A sentence about what changed the configuration while somebody edited it. */
export function whatCameMeanwhile(
  { number }: EditBase,
  { current, savers }: { readonly current: NumberedRevision; readonly savers: readonly string[] },
): string {
  const now = `r${current.number}`
  return number === null
    ? `The branch no longer has the revision that you started from; it is at ${now} now.`
    : `${savers.join(', ')} saved ${now} while you were editing.`
}

/** Says from what an edit started. */
export function StartedFrom({ frame, base }: { frame: PageFrame; base: EditBase }) {
  const { number, digest } = base
  return (
    <>
      Started from{' '}
      {number === null ? (
        'a revision no longer on the branch'
      ) : (
        <RevisionName frame={frame} number={number} />
      )}
      , <code title={digest}>{digest.slice(0, 8)}</code>.
    </>
  )
}
