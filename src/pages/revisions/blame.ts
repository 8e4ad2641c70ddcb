import type { LineRange } from '../../diff/lines.ts'
import type { LineOriginsIndex } from '../../index/line-origins-index.ts'
import { findNumber, type NumberedRevision, type RevisionReadingDeps } from './numbered-revision.ts'

/** The revision that wrote each line, or the progress of the search. */
export type Blame =
  | { readonly known: true; readonly runs: readonly BlameRun[] }
  | { readonly known: false; readonly reached: number; readonly of: number }

/** Consecutive lines that one revision wrote, from 1, both ends included. */
export interface BlameRun {
  readonly first: number
  readonly last: number
  readonly revision: NumberedRevision
  /** From 0 for the oldest lines of the document to 4 for the newest. */
  readonly shade: number
}

export interface BlameDeps extends Pick<RevisionReadingDeps, 'history'> {
  readonly origins: LineOriginsIndex
}

/** How long a page waits for unknown origins, in milliseconds. */
const ORIGINS_TIMEOUT_MS = 1500
const SHADES = 5

/** Finds the authors of a range of lines, counted from 0, of a revision. */
export async function readBlame(
  { history, origins }: BlameDeps,
  revision: NumberedRevision,
  range: LineRange,
): Promise<Blame> {
  const answer = await origins.of(revision, ORIGINS_TIMEOUT_MS)
  if (!answer.done) return { known: false, reached: answer.reached, of: answer.of }
  const oldest = answer.origins.reduce((least, number) => Math.min(least, number), Infinity)
  const span = Math.max(1, revision.number - oldest + 1)
  const runs: BlameRun[] = []
  for (const { first, last, origin } of runsOf(answer.origins, range)) {
    const writer = findNumber(history, origin)
    const shade = Math.min(SHADES - 1, Math.floor(((origin - oldest) * SHADES) / span))
    if (writer) runs.push({ first, last, revision: writer, shade })
  }
  return { known: true, runs }
}

function* runsOf(origins: Int32Array, { start, end }: LineRange) {
  let first = start
  for (let line = start + 1; line <= end; line += 1) {
    if (line < end && origins[line] === origins[first]) continue
    yield { first: first + 1, last: line, origin: origins[first] ?? 0 }
    first = line
  }
}
