import { type Matching, matchByKey } from './match.ts'

/** The share of lines that two texts must have in common to count as a rename. */
export const ALIKE = 0.6
/** Shorter texts are similar by chance. */
const MIN_LINES = 4
/** More candidates than this are not compared one by one. */
const MAX_PAIRS = 400

interface Candidate<Thing> {
  readonly one: Thing
  readonly other: Thing
  readonly alike: number
}

/** Pairs removed with added texts by similarity, the most similar first. */
export function matchSimilar<Thing>(
  removed: readonly Thing[],
  added: readonly Thing[],
  textOf: (thing: Thing) => string,
): Matching<Thing> {
  if (removed.length * added.length > MAX_PAIRS) return { pairs: [], removed, added }
  const lines = new Map([...removed, ...added].map((thing) => [thing, countLines(textOf(thing))]))
  const candidates = removed.flatMap((one) =>
    added.map((other) => ({ one, other, alike: likeness(lines.get(one), lines.get(other)) })),
  )
  const partners = new Map<Thing, Thing>()
  const taken = new Set<Thing>()
  for (const { one, other } of bestFirst(candidates)) {
    if (partners.has(one) || taken.has(other)) continue
    partners.set(one, other)
    taken.add(other)
  }
  return {
    pairs: [...partners],
    removed: removed.filter((thing) => !partners.has(thing)),
    added: added.filter((thing) => !taken.has(thing)),
  }
}

function bestFirst<Thing>(candidates: readonly Candidate<Thing>[]): readonly Candidate<Thing>[] {
  return candidates
    .filter(({ alike }) => alike >= ALIKE)
    .toSorted((one, other) => other.alike - one.alike)
}

/** The share of lines that two texts have in common, from 0 to 1; 0 for texts that are similar by chance. */
export function likenessOf(one: string, other: string): number {
  return likeness(countLines(one), countLines(other))
}

function countLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

function likeness(one: readonly string[] = [], other: readonly string[] = []): number {
  if (Math.min(one.length, other.length) < MIN_LINES) return 0
  const shared = matchByKey(one, other, (line) => line).pairs.length
  return (2 * shared) / (one.length + other.length)
}
