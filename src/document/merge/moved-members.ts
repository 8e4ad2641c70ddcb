import { bisect } from '../../lib/bisect.ts'

/** The fewest members of a list that must have moved since an earlier one, for the others to be in its order. */
export function movedMembers<Member>(
  before: readonly Member[],
  after: readonly Member[],
): ReadonlySet<Member> {
  const places = new Map(before.map((member, place) => [member, place]))
  const kept = after.filter((member) => places.has(member))
  const placeOf = (member: Member | undefined) =>
    (member === undefined ? undefined : places.get(member)) ?? -1
  const isInOrder = kept.every((member, n) => n === 0 || placeOf(kept[n - 1]) < placeOf(member))
  if (isInOrder) return new Set()
  /** The member that ends the best ascending run of each length, and the one in front of each member. */
  const ends: Member[] = []
  const previous = new Map<Member, Member | undefined>()
  for (const member of kept) {
    const length = bisect({ high: ends.length }, (n) => placeOf(ends[n]) < placeOf(member))
    previous.set(member, ends[length - 1])
    ends[length] = member
  }
  const stayed = new Set<Member>()
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) stayed.add(at)
  return new Set(kept.filter((member) => !stayed.has(member)))
}
