import type { Principal } from '../../core/principal.ts'
import type { LineOriginsIndex } from '../../index/line-origins-index.ts'
import {
  findNamed,
  findNumber,
  type NumberedRevision,
  type RevisionReadingDeps,
} from '../revisions/numbered-revision.ts'
import type { ShownPlace } from '../work/shown-outline.ts'
import { type Blame, readBlame } from '../revisions/blame.ts'
import type { SnapshotText } from '../work/snapshot-text.ts'
import type { PageThread } from '../work/page-thread.ts'

export interface SnapshotDeps extends RevisionReadingDeps {
  readonly origins: LineOriginsIndex
  readonly work: PageThread
}

export interface SnapshotQuery {
  /** The line to show, from 1; null where the address names none. */
  readonly line: number | null
  /** The text to search for; empty for none. */
  readonly find: string
  readonly blame: boolean
  /** Whether pieces carry the secret text that they hide. */
  readonly keepsHidden?: boolean
}

/** A revision and its neighbours. */
export interface SnapshotPlace {
  readonly revision: NumberedRevision
  readonly previous: NumberedRevision | null
  readonly next: NumberedRevision | null
  readonly current: NumberedRevision
}

export interface SnapshotPage extends SnapshotPlace, SnapshotText {
  readonly bytes: number
  /** Null when the document is not readable XML. */
  readonly outline: readonly ShownPlace[] | null
  readonly blame: Blame | null
}

/**
 * Finds the revision that an address names, and its neighbours.
 *
 * @throws {ServiceError} `revision-not-found`, `not-permitted`.
 */
export function findSnapshotPlace(
  deps: RevisionReadingDeps,
  principal: Principal,
  name: string,
): SnapshotPlace {
  const revision = findNamed(deps, principal, name)
  const current = findNamed(deps, principal, 'current')
  return {
    revision,
    current,
    previous: findNumber(deps.history, revision.number - 1),
    next: findNumber(deps.history, revision.number + 1),
  }
}

/** The document of a revision, and what a page shows of its text. */
export interface ReadText {
  readonly document: Uint8Array
  readonly text: SnapshotText
}

/** Reads the text of a revision for one page. */
export async function readSnapshotText(
  { history, work }: SnapshotDeps,
  { revision }: SnapshotPlace,
  { line, find, keepsHidden = false }: SnapshotQuery,
): Promise<ReadText> {
  const document = await history.readAsWritten(revision)
  const { digest } = revision
  const asked = { document, digest, line: line ?? 1, find, keepsHidden }
  return { document, text: await work.snapshotText(asked) }
}

/** Reads what else a page shows of a revision, whose text is read. */
export async function readSnapshotPage(
  deps: SnapshotDeps,
  place: SnapshotPlace,
  { document, text, blame }: ReadText & { readonly blame: boolean },
): Promise<SnapshotPage> {
  const { revision } = place
  const { digest } = revision
  const { first, last } = text
  return {
    ...place,
    ...text,
    bytes: document.length,
    outline: await deps.work.outline({ document, digest, page: { first, last } }),
    blame: blame ? await readBlame(deps, revision, { start: first - 1, end: last }) : null,
  }
}
