import type { Principal } from '../../core/principal.ts'
import { splitLines } from '../../diff/lines.ts'
import { LinePieces, type ShownLine } from '../code/line-pieces.ts'
import { textLinesOf } from '../code/text-lines.ts'
import type { LineOriginsIndex } from '../../configuration/origins/line-origins-index.ts'
import {
  findNamed,
  findNumber,
  type NumberedRevision,
  type RevisionReadingDeps,
} from '../revisions/numbered-revision.ts'
import type { ShownPlace } from '../work/shown-outline.ts'
import { type Blame, readBlame } from '../revisions/blame.ts'
import type { FoundText } from '../work/find-text.ts'
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

export interface SnapshotPage extends SnapshotPlace {
  readonly bytes: number
  readonly lines: number
  /** The first and the last shown line, from 1. */
  readonly first: number
  readonly last: number
  readonly shown: readonly ShownLine[]
  /** Null when the document is not readable XML. */
  readonly outline: readonly ShownPlace[] | null
  readonly found: FoundText | null
  readonly blame: Blame | null
}

/** Longer documents are shown in parts; a line takes about six elements of a page. */
const MOST_LINES = 1500
export const WINDOW = 1200

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

/** Reads a revision from {@link findSnapshotPlace} for one page. */
export async function readSnapshotPage(
  deps: SnapshotDeps,
  place: SnapshotPlace,
  query: SnapshotQuery,
): Promise<SnapshotPage> {
  const document = await deps.history.readDocument(place.revision)
  const lines = splitLines(document).count
  const text = textLinesOf(document, lines)
  const range = windowOf(query.line ?? 1, lines)
  const pieces = new LinePieces(text, query)
  const shown = { first: range.start + 1, last: range.end }
  const { digest } = place.revision
  return {
    ...place,
    bytes: document.length,
    lines,
    ...shown,
    shown: pieces.of(range),
    outline: await deps.work.outline({ document, digest, page: shown }),
    found: query.find === '' ? null : await deps.work.findText({ document, text: query.find }),
    blame: query.blame ? await readBlame(deps, place.revision, range) : null,
  }
}

/** The first line that has the text of the query, or null. */
export async function firstFound(
  { history, work }: SnapshotDeps,
  { revision }: SnapshotPlace,
  { find: text }: SnapshotQuery,
): Promise<number | null> {
  if (text === '') return null
  const { lines } = await work.findText({ document: await history.readDocument(revision), text })
  return lines[0] ?? null
}

/** All lines of a short document, or the window around a line; from 0. */
function windowOf(line: number, lines: number): { start: number; end: number } {
  if (lines <= MOST_LINES) return { start: 0, end: lines }
  const start = Math.floor((Math.min(Math.max(line, 1), lines) - 1) / WINDOW) * WINDOW
  return { start, end: Math.min(start + WINDOW, lines) }
}
