import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import type { Revision } from '../../core/revision.ts'
import { ServiceError } from '../../core/errors.ts'
import type { SavedChange } from '../../configuration/save/save-group.ts'
import { saveDocument } from '../../configuration/save/config-saving.ts'
import { type DraftProblem, lineWithin } from '../work/draft-examination.ts'
import {
  type EditDraft,
  type EditingDeps,
  openDraft,
  type OpenDraft,
  problemsFor,
} from './edit-draft.ts'
import { type MergeRenames, NO_RENAMES } from '../../document/merge/things.ts'
import { mergeRequest } from '../work/merge-request.ts'
import { type EditConflict, partOfMerged, saversSince } from './edit-conflict.ts'

/** The result of saving a draft now. */
export type EditReview =
  | {
      readonly kind: 'invalid'
      readonly draft: EditDraft
      readonly problems: readonly DraftProblem[]
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'conflict'; readonly conflict: EditConflict }
  | { readonly kind: 'ready'; readonly ready: ReadyEdit }

/** A draft that can be saved. */
export interface ReadyEdit {
  /** The revision that it will be based on. */
  readonly current: Revision
  /** The revision that the edit is based on, when later changes of others are merged in. */
  readonly mergedFrom: Revision | null
  readonly before: Uint8Array<ArrayBuffer>
  /** The new document, with its plain secrets encrypted. */
  readonly after: Uint8Array<ArrayBuffer>
}

export type EditOutcome =
  | Exclude<EditReview, { kind: 'ready' }>
  | (SavedChange & { readonly kind: 'saved' })

/**
 * Determines the result of saving a draft now: problems, a conflict, or its changes.
 *
 * @throws {ServiceError} `config-stale` when it is based on a document that was never in the history;
 * `entity-not-found`, `not-permitted`.
 */
export async function reviewEdit(
  deps: EditingDeps,
  principal: Principal,
  draft: EditDraft,
): Promise<EditReview> {
  return reviewOpen(deps, principal, { draft, open: await openDraft(deps, principal, draft) })
}

/** A draft, and the document that it makes. */
interface Opened {
  readonly draft: EditDraft
  readonly open: OpenDraft
}

async function reviewOpen(
  deps: EditingDeps,
  principal: Principal,
  { draft, open }: Opened,
): Promise<EditReview> {
  const { problems } = open.check
  if (problems.length > 0) return { kind: 'invalid', draft, problems }
  const current = deps.history.current()
  const { document } = open
  if (current.digest === open.base.digest) {
    const composed = { draft, current, document, renames: NO_RENAMES, mergedFrom: null }
    return reviewUpon(deps, principal, composed)
  }
  return reviewMerged(deps, principal, { draft, open })
}

/**
 * Saves a draft as a revision by the caller, merged with the changes since it started.
 *
 * @throws {ServiceError} as {@link reviewEdit}.
 */
export async function saveEdit(
  deps: EditingDeps,
  principal: Principal,
  { draft, message }: { readonly draft: EditDraft; readonly message: string },
): Promise<EditOutcome> {
  const open = await openDraft(deps, principal, draft)
  const review = await reviewOpen(deps, principal, { draft, open })
  if (review.kind !== 'ready') return review
  try {
    const request = {
      door: 'form',
      document: open.document,
      basedOn: draft.basedOn,
      message,
    } as const
    return { kind: 'saved', ...(await saveDocument(deps, principal, request)) }
  } catch (error) {
    if (!(error instanceof ServiceError) || !SURPRISES.has(error.code)) throw error
    const again = await reviewEdit(deps, principal, draft)
    if (again.kind === 'ready') throw error
    return again
  }
}

/** The failures of a save that a concurrent change can cause. */
const SURPRISES: ReadonlySet<string> = new Set(['config-stale', 'config-invalid'])

async function reviewMerged(
  deps: EditingDeps,
  principal: Principal,
  { draft, open }: Opened,
): Promise<EditReview> {
  const current = deps.history.current()
  const { base, baseBytes, document } = open
  const edit = { base: baseBytes, ours: document, since: base, upon: current }
  const merge = await deps.work.mergeEdit(await mergeRequest(deps, edit))
  if (merge.kind === 'clean') {
    const { merged: result, renames } = merge
    const merged = { draft, current, document: result, renames, mergedFrom: base }
    return reviewUpon(deps, principal, merged)
  }
  if (merge.kind === 'unreadable') {
    const message = 'The edit is based on a configuration that cannot be read'
    throw new ServiceError('config-stale', message, { current: current.digest, problems: [] })
  }
  const { places, merged } = merge
  const others = saversSince(deps, { base, current })
  return { kind: 'conflict', conflict: { base, current, others, places, merged } }
}

/** A draft as it would be saved upon the current document. */
interface Composed {
  readonly draft: EditDraft
  readonly current: Revision
  readonly document: Uint8Array<ArrayBuffer>
  readonly renames: MergeRenames
  readonly mergedFrom: Revision | null
}

async function reviewUpon(
  deps: EditingDeps,
  principal: Principal,
  composed: Composed,
): Promise<EditReview> {
  const { current, document, mergedFrom } = composed
  const before = await deps.history.readDocument(current)
  if (Buffer.compare(before, document) === 0) return { kind: 'unchanged' }
  const inspection = await deps.cache.inspect(document)
  if (!inspection.ok) return invalidMerge(deps, principal, composed, inspection.problems)
  const after = new Uint8Array(inspection.document)
  await deps.gate.assertOwn(principal, { current: before, before, after })
  return { kind: 'ready', ready: { current, mergedFrom, before, after } }
}

/**
 * Two edits that merge cleanly can still contradict each other: the user then repairs the merged
 * text.
 */
async function invalidMerge(
  deps: EditingDeps,
  principal: Principal,
  { draft, current, document, renames }: Composed,
  found: readonly Problem[],
): Promise<EditReview> {
  const part = await partOfMerged(deps, draft, { document, renames })
  const { text, firstLine } = part.kind === 'found' ? part : { text: '', firstLine: Infinity }
  const lines = text.split('\n').length
  const placed = found.map((problem) => ({
    ...problem,
    typedLine: lineWithin(problem.line, firstLine, lines),
  }))
  const problems = await problemsFor(deps, principal, { document, problems: placed })
  if (part.kind !== 'found') return { kind: 'invalid', draft, problems }
  return {
    kind: 'invalid',
    draft: { typed: text, basedOn: current.digest, entity: part.entity },
    problems,
  }
}
