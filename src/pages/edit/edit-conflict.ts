import type { DocumentChange } from '../../document/entities/change.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { Choice } from '../../document/merge/merge-conflict.ts'
import { type EditDraft, type EditingDeps, openDraft } from './edit-draft.ts'
import type { ConflictPlace } from '../work/edit-merge.ts'

/** An edit and a newer revision that changed the same parts. */
export interface EditConflict {
  readonly base: Revision
  readonly current: Revision
  /** The users who have saved since the edit started, newest first. */
  readonly others: readonly string[]
  readonly places: readonly ConflictPlace[]
  /** The changes of the edit that merge cleanly. */
  readonly merged: readonly DocumentChange[]
}

/**
 * The users who have saved between two revisions, newest first; none when the branch has lost the
 * older one.
 */
export function saversSince(
  { history }: Pick<EditingDeps, 'history'>,
  { base, current }: { readonly base: Revision; readonly current: Revision },
): readonly string[] {
  const start = history.numberOf(base)
  if (start === null) return []
  const newer = (history.numberOf(current) ?? 0) - start
  const since = history.list({ offset: 0, limit: newer })
  return [...new Set(since.map(({ username }) => username))]
}

/**
 * A draft with its conflicts resolved, as an edit of the revision that it conflicted with. While a
 * conflict has no choice, or where the revision no longer has the entity, the draft stays as it is.
 *
 * @throws {ServiceError} as `openDraft`.
 */
export async function decideConflict(
  deps: EditingDeps,
  principal: Principal,
  draft: EditDraft,
  { against, choices }: { against: Revision; choices: readonly (Choice | null)[] },
): Promise<EditDraft> {
  const { baseBytes: base, document: ours } = await openDraft(deps, principal, draft)
  const theirs = await deps.history.readDocument(against)
  const merge = await deps.work.mergeEdit({ base, ours, theirs })
  const made = choices.filter((choice) => choice !== null)
  if (merge.kind !== 'conflict' || made.length < merge.places.length) return draft
  const decided = await deps.work.mergeByChoice({ base, ours, theirs, choices: made })
  if (decided === null) return draft
  const { entity } = draft
  const part = await deps.work.partOf({ document: decided, entity })
  return part.kind === 'found' ? { typed: part.text, basedOn: against.digest, entity } : draft
}
