import { ALIKE } from '../compare/similar.ts'
import { countEach } from '../../lib/grouping.ts'

/** Things that one document has no more, and those that another has instead. */
export interface Exchanged<Thing> {
  readonly gone: readonly Thing[]
  readonly come: readonly Thing[]
}

type ThingPair<Thing> = readonly [gone: Thing, come: Thing]

/** The likeness of two things, from 0 to 1. */
type Likeness<Thing> = (gone: Thing, come: Thing) => number

interface Comparing<Thing> {
  /** The text that two things have in common when all but their names is equal; null for what is never equal. */
  readonly formOf: (thing: Thing) => string | null
  readonly likeness: Likeness<Thing>
}

/** More pairs than this are not compared one by one: only those of equal things that are the only ones are clear. */
const MAX_COMPARED = 400

/**
 * The pairs of renamed things in which nothing else could be meant: no other thing that has gone or come is equal but
 * for the name, or, where the two are not, similar to one of them. One that is more like its own partner is no other.
 */
export function clearPairs<Thing>(
  pairs: readonly ThingPair<Thing>[],
  { gone, come }: Exchanged<Thing>,
  { formOf, likeness }: Comparing<Thing>,
): readonly ThingPair<Thing>[] {
  if (pairs.length === 0 || (gone.length === 1 && come.length === 1)) return pairs
  const forms = new Map([...gone, ...come].map((thing) => [thing, formOf(thing)]))
  const isEqual = (one: Thing, other: Thing) =>
    forms.get(one) != null && forms.get(one) === forms.get(other)
  const alike: Likeness<Thing> = (one, other) => (isEqual(one, other) ? 1 : likeness(one, other))
  if (gone.length * come.length > MAX_COMPARED) {
    const counts = countEach(forms.values())
    return pairs.filter(
      ([one, other]) => isEqual(one, other) && counts.get(forms.get(one) ?? null) === 2,
    )
  }
  const best = new Map(
    pairs.flatMap(([one, other]) => {
      const value = alike(one, other)
      return [[one, value] as const, [other, value] as const]
    }),
  )
  return pairs.filter(([one, other]) => {
    const least = isEqual(one, other) ? 1 : ALIKE
    const isRival = (thing: Thing, value: number) =>
      value >= least && (best.get(thing) ?? 0) <= value
    return (
      !gone.some((each) => each !== one && isRival(each, alike(each, other))) &&
      !come.some((each) => each !== other && isRival(each, alike(one, each)))
    )
  })
}
