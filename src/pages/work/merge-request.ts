import type { Revision } from '../../core/revision.ts'
import { type KnownRenamesDeps, knownRenames } from '../../configuration/save/known-renames.ts'
import type { MergeRenames, MergeSides } from '../../document/merge/things.ts'

/** The base of an edit, its result, and what has been saved since. */
export interface MergeRequest extends MergeSides<Uint8Array> {
  /** The renames that the history knows; others are recognised. */
  readonly renames: MergeRenames
}

/** An edit that began from one revision and is to be merged with another. */
interface MergedEdit extends Omit<MergeSides<Uint8Array>, 'theirs'> {
  readonly since: Revision
  readonly upon: Revision
}

export async function mergeRequest(
  deps: KnownRenamesDeps,
  { since, upon, ...edit }: MergedEdit,
): Promise<MergeRequest> {
  const theirs = await deps.history.readDocument(upon)
  const known = await knownRenames(deps, { since, upon: upon.digest })
  return { ...edit, theirs, renames: { ours: [], theirs: known } }
}
