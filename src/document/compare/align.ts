import { commonItems } from '../../lib/common-items.ts'
import { addToGroup } from '../../lib/grouping.ts'

/** Lists of more different pairs than this are matched by their first equal items only. */
const MAX_TABLE_SIZE = 40_000

/**
 * The index pairs of a long common subsequence of two lists, in order. It is the longest one unless
 * the lists are huge.
 */
export function alignEqual(
  before: readonly string[],
  after: readonly string[],
): [number, number][] {
  const { prefix, suffix } = commonItems(before, after)
  const inner = alignMiddle(
    before.slice(prefix, before.length - suffix),
    after.slice(prefix, after.length - suffix),
  )
  return [
    ...Array.from({ length: prefix }, (_, at): [number, number] => [at, at]),
    ...inner.map(([at, to]): [number, number] => [at + prefix, to + prefix]),
    ...Array.from({ length: suffix }, (_, at): [number, number] => [
      before.length - suffix + at,
      after.length - suffix + at,
    ]),
  ]
}

function alignMiddle(before: readonly string[], after: readonly string[]): [number, number][] {
  if (before.length * after.length > MAX_TABLE_SIZE) return alignForwards(before, after)
  const width = after.length + 1
  const lengths = lengthTable(before, after)
  const pairs: [number, number][] = []
  for (let at = 0, to = 0; at < before.length && to < after.length;) {
    const below = lengths[(at + 1) * width + to] ?? 0
    const beside = lengths[at * width + to + 1] ?? 0
    if (before[at] === after[to]) pairs.push([at++, to++])
    else if (below >= beside) at += 1
    else to += 1
  }
  return pairs
}

/** The length of the longest common subsequence of every two tails. */
function lengthTable(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1
  const lengths = new Uint16Array((before.length + 1) * width)
  for (let at = before.length - 1; at >= 0; at -= 1) {
    for (let to = after.length - 1; to >= 0; to -= 1) {
      const below = lengths[(at + 1) * width + to] ?? 0
      const beside = lengths[at * width + to + 1] ?? 0
      const both = (lengths[(at + 1) * width + to + 1] ?? 0) + 1
      lengths[at * width + to] = before[at] === after[to] ? both : Math.max(below, beside)
    }
  }
  return lengths
}

function alignForwards(before: readonly string[], after: readonly string[]): [number, number][] {
  const places = new Map<string, number[]>()
  for (const [to, item] of [...after.entries()].toReversed()) {
    addToGroup(places, item, to)
  }
  const pairs: [number, number][] = []
  let least = 0
  for (const [at, item] of before.entries()) {
    const to = nextFrom(places.get(item) ?? [], least)
    if (to === null) continue
    pairs.push([at, to])
    least = to + 1
  }
  return pairs
}

/** Takes the smallest place of at least `least` from places that descend. */
function nextFrom(places: number[], least: number): number | null {
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (place >= least) return place
  }
  return null
}
