import { digestOf } from '../core/digest.ts'
import { unavailable } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import type { Revision } from '../core/revision.ts'
import type { MergeConflict } from '../document/merge/merge-conflict.ts'
import type { ConfigSavingDeps } from '../configuration/save/config-saving.ts'
import { knownRenames } from '../configuration/save/known-renames.ts'
import { describeChange } from '../configuration/gate/describe-change.ts'
import { isForAllOwners } from '../configuration/gate/delegation.ts'
import type { ChangeSummary } from '../document/changes/change-summary.ts'
import { splitEntity } from '../document/entities/entities.ts'
import type { MergedVersions, WrittenChange } from './merged-versions.ts'
import type { ProposalStore } from './proposal-store.ts'
import type { ProposalVersion } from './proposal.ts'

export interface ResultDeps extends Pick<
  ConfigSavingDeps,
  'history' | 'entities' | 'cache' | 'merge'
> {
  readonly store: ProposalStore
  readonly merges: MergedVersions
}

/** The result of merging a version upon a document. */
export type ProposedResult =
  | { readonly kind: 'clean'; readonly document: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly MergeConflict[] }
  | {
      readonly kind: 'invalid'
      readonly problems: readonly Problem[]
      readonly document: Uint8Array<ArrayBuffer>
    }

/** The documents of a version: the one that it was made from, and its own. */
export interface VersionDocuments {
  readonly base: Revision
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
}

/** A change, and the document that it is merged with. */
interface MergedSides extends VersionDocuments {
  readonly current: Uint8Array<ArrayBuffer>
}

/** @throws {ServiceError} `unavailable` when the repository has lost its revision. */
export async function readVersion(
  { history, store }: Pick<ResultDeps, 'history' | 'store'>,
  version: ProposalVersion,
): Promise<VersionDocuments> {
  const base = await baseOf({ history }, version)
  const before = await history.readDocument(base)
  return { base, before, after: await store.readDocument(version.commit) }
}

/** The revision that a version was made from. @throws {ServiceError} `unavailable` when it is lost. */
export async function baseOf(
  { history }: Pick<ResultDeps, 'history'>,
  { base }: Pick<ProposalVersion, 'base'>,
): Promise<Revision> {
  const revision = await history.findCommitEver(base)
  if (revision === null) throw unavailable(`The revision ${base} of the proposal cannot be read`)
  return revision
}

/** The change that a version makes of the revision that it was made from. */
export async function writtenChange(
  deps: Pick<ResultDeps, 'history' | 'store' | 'merges' | 'cache'> & {
    readonly summary: ChangeSummary
  },
  version: ProposalVersion,
): Promise<WrittenChange> {
  const known = deps.merges.findChange(version.commit)
  if (known !== null) return known
  const sides = await readVersion(deps, version)
  const documents = {
    before: await deps.cache.read(sides.before),
    after: await deps.cache.read(sides.after),
    changes: await deps.summary.changes(sides.before, sides.after),
  }
  const change = describeChange(documents)
  const names = change.entities.map(({ entity }) => entity)
  const written = {
    change,
    isForAllOwners: names.every(isPipeline) && isForAllOwners(documents, names),
  }
  deps.merges.keepChange(version.commit, written)
  return written
}

function isPipeline(entity: string): boolean {
  return splitEntity(entity).kind === 'pipeline'
}

/** Merges a version with what has changed since, by entity, and validates it. */
export async function mergedUpon(
  deps: ResultDeps,
  version: ProposalVersion,
  current: Uint8Array<ArrayBuffer>,
): Promise<ProposedResult> {
  const upon = digestOf(current)
  const known = deps.merges.find(version.commit, upon)
  if (known !== null) return { kind: 'clean', document: known }
  const result = await mergedBetween(deps, { ...(await readVersion(deps, version)), current })
  if (result.kind === 'clean') deps.merges.keep(version.commit, upon, result.document)
  return result
}

/** The same for a change that is no version of a proposal. */
export async function mergedBetween(
  deps: Omit<ResultDeps, 'store' | 'merges'>,
  sides: MergedSides,
): Promise<ProposedResult> {
  const merged = await merge(deps, sides)
  if (merged.kind !== 'clean') return merged
  // Of large documents, only the one that was used last stays in memory beside the result.
  deps.cache.find(digestOf(sides.current))
  const inspection = await deps.cache.inspect(merged.document)
  if (!inspection.ok) {
    return { kind: 'invalid', problems: inspection.problems, document: merged.document }
  }
  return { kind: 'clean', document: inspection.document }
}

async function merge(
  deps: Omit<ResultDeps, 'store' | 'merges' | 'cache'>,
  { base, before, after, current }: MergedSides,
): Promise<ProposedResult> {
  if (Buffer.compare(before, current) === 0) return { kind: 'clean', document: after }
  const renames = await knownRenames(deps, { since: base, upon: digestOf(current) })
  const merged = await deps.merge({ base: before, ours: after, theirs: current }, renames)
  const unreadable = [{ message: 'The configuration that it was made from cannot be read' }]
  if (merged === null) return { kind: 'invalid', problems: unreadable, document: after }
  if (merged.conflicts.length > 0) return { kind: 'conflicts', conflicts: merged.conflicts }
  return { kind: 'clean', document: new Uint8Array(Buffer.from(merged.text)) }
}
