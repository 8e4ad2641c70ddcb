import { unavailable } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import type { Revision } from '../core/revision.ts'
import type { MergeConflict } from '../document/merge/merge-conflict.ts'
import type { ConfigSavingDeps } from '../configuration/save/config-saving.ts'
import type { ProposalStore } from './proposal-store.ts'
import type { ProposalVersion } from './proposal.ts'

export interface ResultDeps extends Pick<ConfigSavingDeps, 'history' | 'cache' | 'merge'> {
  readonly store: ProposalStore
}

/** The result of merging a version upon a document. */
export type ProposedResult =
  | { readonly kind: 'clean'; readonly document: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly MergeConflict[] }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }

/** The documents of a version: the one that it was made from, and its own. */
export interface VersionDocuments {
  readonly base: Revision
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
}

/** A change, and the document that it is merged with. */
interface MergedSides extends Omit<VersionDocuments, 'base'> {
  readonly current: Uint8Array<ArrayBuffer>
}

/** @throws {ServiceError} `unavailable` when the repository has lost its revision. */
export async function readVersion(
  { history, store }: Pick<ResultDeps, 'history' | 'store'>,
  { base, commit }: ProposalVersion,
): Promise<VersionDocuments> {
  const revision = await history.findCommitEver(base)
  if (revision === null) throw unavailable(`The revision ${base} of the proposal cannot be read`)
  const before = await history.readDocument(revision)
  return { base: revision, before, after: await store.readDocument(commit) }
}

/** Merges a version with what has changed since, by entity, and validates it. */
export async function mergedUpon(
  deps: ResultDeps,
  version: ProposalVersion,
  current: Uint8Array<ArrayBuffer>,
): Promise<ProposedResult> {
  return mergedBetween(deps, { ...(await readVersion(deps, version)), current })
}

/** The same for a change that is no version of a proposal. */
export async function mergedBetween(
  deps: Pick<ResultDeps, 'cache' | 'merge'>,
  sides: MergedSides,
): Promise<ProposedResult> {
  const merged = await merge(deps, sides)
  if (merged.kind !== 'clean') return merged
  const inspection = await deps.cache.inspect(merged.document)
  if (!inspection.ok) return { kind: 'invalid', problems: inspection.problems }
  return { kind: 'clean', document: inspection.document }
}

async function merge(
  deps: Pick<ResultDeps, 'merge'>,
  { before, after, current }: MergedSides,
): Promise<ProposedResult> {
  if (Buffer.compare(before, current) === 0) return { kind: 'clean', document: after }
  const merged = await deps.merge({ base: before, ours: after, theirs: current })
  const unreadable = [{ message: 'The configuration that it was made from cannot be read' }]
  if (merged === null) return { kind: 'invalid', problems: unreadable }
  if (merged.conflicts.length > 0) return { kind: 'conflicts', conflicts: merged.conflicts }
  return { kind: 'clean', document: new Uint8Array(Buffer.from(merged.text)) }
}
