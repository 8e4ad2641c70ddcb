import type { DocumentChange } from '../../document/entities/change.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { Choice } from '../../document/merge/merge-conflict.ts'
import type { EntityRenames } from '../../document/compare/compare-entities.ts'
import { foldEntity, splitEntity } from '../../document/entities/entities.ts'
import type { MergeRenames } from '../../document/merge/things.ts'
import { type EditDraft, type EditingDeps, openDraft } from './edit-draft.ts'
import type { EntityName } from '../work/edit-scope.ts'
import { mergeRequest } from '../work/merge-request.ts'
import type { PageThread } from '../work/page-thread.ts'
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
  const { base: since, baseBytes: base, document: ours } = await openDraft(deps, principal, draft)
  const request = await mergeRequest(deps, { base, ours, since, upon: against })
  const merge = await deps.work.mergeEdit(request)
  const made = choices.filter((choice) => choice !== null)
  if (merge.kind !== 'conflict' || made.length < merge.places.length) return draft
  const decided = await deps.work.mergeByChoice({ ...request, choices: made })
  if (decided === null) return draft
  const part = await partOfMerged(deps, draft, { document: decided, renames: merge.renames })
  if (part.kind !== 'found') return draft
  return { typed: part.text, basedOn: against.digest, entity: part.entity }
}

/** The part of a merged document that a draft is about, and its entity as the revision of others names it. */
export async function partOfMerged(
  { work }: Pick<EditingDeps, 'work'>,
  { entity }: EditDraft,
  { document, renames }: { readonly document: Uint8Array; readonly renames: MergeRenames },
): Promise<Awaited<ReturnType<PageThread['partOf']>> & Pick<EditDraft, 'entity'>> {
  const named = renamedBy(entity, renames.theirs)
  const mine = await work.partOf({ document, entity: renamedBy(entity, renames.ours) })
  const part = mine.kind === 'found' ? mine : await work.partOf({ document, entity: named })
  return { ...part, entity: named }
}

function renamedBy(entity: EntityName | null, renames: EntityRenames): EntityName | null {
  const folded = entity && foldEntity(`${entity.kind}/${entity.name}`)
  const [, later] = renames.find(([former]) => former === folded) ?? []
  return later === undefined ? entity : splitEntity(later)
}
