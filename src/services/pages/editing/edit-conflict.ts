import type { Change } from '../../../config/changes/change.ts'
import { summariseChanges } from '../../../config/changes/summarise-changes.ts'
import { maskSecrets } from '../../../config/secrets/mask-secrets.ts'
import { readXml } from '../../../config/xml-reader.ts'
import type { Principal } from '../../../core/principal.ts'
import type { Revision } from '../../../core/revision.ts'
import { bytesOf, splitLines } from '../../../diff/lines.ts'
import { type Choice, type Conflict, mergeByChoice } from '../../../diff/merge.ts'
import { type EditDraft, type EditingDeps, openDraft } from './edit-draft.ts'

/** An edit and a newer revision that changed the same lines. */
export interface EditConflict {
  readonly base: Revision
  readonly current: Revision
  /** Who has saved since the edit began, newest first. */
  readonly others: readonly string[]
  readonly places: readonly ConflictPlace[]
  /** What of the edit merges by itself. Null where it cannot be told in words. */
  readonly merged: readonly Change[] | null
}

/** Lines that both sides changed. */
export interface ConflictPlace {
  readonly mine: ConflictingSide
  readonly theirs: ConflictingSide
}

/** What one side made of the lines: in words where it can be told, and as text. */
export interface ConflictingSide {
  readonly changes: readonly Change[]
  readonly before: string
  readonly after: string
}

interface ConflictInput {
  readonly base: Revision
  readonly current: Revision
  readonly texts: {
    readonly base: Uint8Array
    readonly ours: Uint8Array
    readonly theirs: Uint8Array
  }
}

export function describeConflict(
  { history }: Pick<EditingDeps, 'history'>,
  { base, current, texts }: ConflictInput,
  conflicts: readonly Conflict[],
): EditConflict {
  const places = conflicts.map((conflict) => ({
    mine: sideOf(texts.base, conflict, conflict.ours.bytes),
    theirs: sideOf(texts.base, conflict, conflict.theirs.bytes),
  }))
  const rest = mergeByChoice(
    texts,
    conflicts.map(() => 'theirs'),
  )
  const newer = (history.numberOf(current) ?? 0) - (history.numberOf(base) ?? 0)
  const since = history.list({ offset: 0, limit: newer })
  const others = [...new Set(since.map(({ username }) => username))]
  return { base, current, others, places, merged: changesBetween(texts.theirs, rest) }
}

/**
 * A draft whose conflicts are decided, as an edit of the revision that it was in conflict with.
 *
 * @throws {ServiceError} as `openDraft`.
 */
export async function decideConflict(
  deps: EditingDeps,
  principal: Principal,
  draft: EditDraft,
  { against, choices }: { against: Revision; choices: readonly Choice[] },
): Promise<EditDraft> {
  const { baseBytes, document } = await openDraft(deps, principal, draft)
  const theirs = await deps.history.readDocument(against)
  const decided = mergeByChoice({ base: baseBytes, ours: document, theirs }, choices)
  const typed = Buffer.from(decided).toString('utf8')
  return { typed, basedOn: against.digest, entity: null }
}

function sideOf(base: Uint8Array, conflict: Conflict, side: Uint8Array): ConflictingSide {
  return {
    changes: changesBetween(base, withLines(base, conflict, side)) ?? [],
    before: shown(conflict.base.bytes),
    after: shown(side),
  }
}

/** The base with the lines of the conflict as one side has them. */
function withLines(base: Uint8Array, { base: { lines } }: Conflict, side: Uint8Array): Uint8Array {
  const all = splitLines(base)
  return Buffer.concat([
    bytesOf(all, { start: 0, end: lines.start }),
    side,
    bytesOf(all, { start: lines.end, end: all.count }),
  ])
}

function changesBetween(before: Uint8Array, after: Uint8Array): readonly Change[] | null {
  const [old, now] = [readXml(before), readXml(after)]
  return old.ok && now.ok ? summariseChanges(old, now) : null
}

function shown(bytes: Uint8Array): string {
  return maskSecrets(Buffer.from(bytes).toString('utf8'))
}
