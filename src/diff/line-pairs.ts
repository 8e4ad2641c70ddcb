import type { ChangedRange, EditScript } from './edit-script.ts'
import { type LineRange, type Lines, bytesOf } from './lines.ts'

/** One row of a change shown side by side: line numbers from 0, null where a side has no line. */
export interface LinePair {
  readonly before: number | null
  readonly after: number | null
}

/** Larger changes are paired in order, without comparing lines. */
const MAX_COMPARISONS = 2500
/** Lines that have less than this part in common are not versions of each other. */
const MIN_LIKENESS = 0.4

/** Pairs each removed line with the added one that replaced it. Every line is in one pair. */
export function pairLines(script: EditScript, change: ChangedRange): LinePair[] {
  const rows = change.before.end - change.before.start
  const columns = change.after.end - change.after.start
  if (rows * columns > MAX_COMPARISONS) return inOrder(change, Math.min(rows, columns))
  return byLikeness(change, likenessTable(script, change))
}

function inOrder({ before, after }: ChangedRange, paired: number): LinePair[] {
  return [
    ...Array.from({ length: paired }, (_, n) => ({
      before: before.start + n,
      after: after.start + n,
    })),
    ...alone('before', { start: before.start + paired, end: before.end }),
    ...alone('after', { start: after.start + paired, end: after.end }),
  ]
}

function alone(side: 'before' | 'after', { start, end }: LineRange): LinePair[] {
  return Array.from({ length: end - start }, (_, n) => {
    return { before: null, after: null, [side]: start + n }
  })
}

/** How alike each removed line is to each added one, row by row. */
function likenessTable(script: EditScript, { before, after }: ChangedRange): number[][] {
  const added = trimmedLines(script.after, after)
  return trimmedLines(script.before, before).map((removed) =>
    added.map((text) => likeness(removed, text)),
  )
}

function trimmedLines(lines: Lines, { start, end }: LineRange): string[] {
  return Array.from({ length: end - start }, (_, n) => trimmed(lines, start + n))
}

function trimmed(lines: Lines, line: number): string {
  return Buffer.from(bytesOf(lines, { start: line, end: line + 1 }))
    .toString('latin1')
    .trim()
}

/** The part that two texts share at their ends. */
function likeness(a: string, b: string): number {
  const limit = Math.min(a.length, b.length)
  let prefix = 0
  while (prefix < limit && a[prefix] === b[prefix]) prefix += 1
  let suffix = 0
  while (suffix < limit - prefix && a.at(-1 - suffix) === b.at(-1 - suffix)) suffix += 1
  return (prefix + suffix) / Math.max(a.length, b.length, 1)
}

/** The pairs, in order of both sides, with the largest sum of likenesses. */
function byLikeness({ before, after }: ChangedRange, likenesses: number[][]): LinePair[] {
  const best = bestSums(likenesses)
  const pairs: LinePair[] = []
  let row = 0
  let column = 0
  while (row < likenesses.length && column < after.end - after.start) {
    const here = best[row]?.[column]
    if (here === best[row + 1]?.[column]) {
      pairs.push({ before: before.start + row++, after: null })
    } else if (here === best[row]?.[column + 1]) {
      pairs.push({ before: null, after: after.start + column++ })
    } else {
      pairs.push({ before: before.start + row++, after: after.start + column++ })
    }
  }
  return [
    ...pairs,
    ...alone('before', { start: before.start + row, end: before.end }),
    ...alone('after', { start: after.start + column, end: after.end }),
  ]
}

/** For each place, the largest sum that the lines from there on can reach. */
function bestSums(likenesses: number[][]): number[][] {
  const columns = likenesses[0]?.length ?? 0
  const best = [...likenesses, []].map(() => Array.from({ length: columns + 1 }, () => 0))
  for (let row = likenesses.length - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const alike = likenesses[row]?.[column] ?? 0
      const paired = alike < MIN_LIKENESS ? 0 : alike + (best[row + 1]?.[column + 1] ?? 0)
      const below = best[row + 1]?.[column] ?? 0
      best[row]?.splice(column, 1, Math.max(paired, below, best[row]?.[column + 1] ?? 0))
    }
  }
  return best
}
