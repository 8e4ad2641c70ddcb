import { z } from 'zod'

const Id = z.int().positive()

/**
 * Ids in a given order, as pairs of first and last for each range without gaps: compact for
 * thousands of jobs.
 */
export const IdRanges = z.array(z.tuple([Id, Id]).readonly()).readonly()
export type IdRanges = z.infer<typeof IdRanges>

export function idRanges(ids: readonly number[]): IdRanges {
  const ranges: [number, number][] = []
  for (const id of ids) {
    const last = ranges.at(-1)
    if (last && last[1] + 1 === id) last[1] = id
    else ranges.push([id, id])
  }
  return ranges
}

export function idsIn(ranges: IdRanges): number[] {
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  )
}

export function countIds(ranges: IdRanges): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
}

export function withReplacedId(
  ranges: IdRanges,
  { from, to }: { readonly from: number; readonly to: number },
): IdRanges {
  return idRanges(idsIn(ranges).map((id) => (id === from ? to : id)))
}
