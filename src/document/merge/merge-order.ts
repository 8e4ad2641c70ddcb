import { bisect } from '../../lib/bisect.ts'
import { CRUISE } from '../schema/vocabulary.ts'
import type { XmlElement } from '../xml/xml-tree.ts'

/** The members of one list in the base and on both sides, in the order of each. */
export interface ListOrders<Member> {
  readonly base: readonly Member[]
  readonly ours: readonly Member[]
  readonly theirs: readonly Member[]
}

/** Members that both sides put into one place. */
export interface Gap<Member> {
  readonly ours: readonly Member[]
  readonly theirs: readonly Member[]
  /** Members that stood there and that both sides have removed. */
  readonly gone: readonly Member[]
}

export interface OrderRules<Member> {
  /** Whether a member is in the result. */
  readonly isPresent: (member: Member) => boolean
  /** Whether the order means something, so that two changes of it contradict each other. */
  readonly isOrdered: boolean
  /** The members to take for a place that both sides have filled. */
  readonly join: (gap: Gap<Member>) => readonly Member[]
  /** The side whose order is taken where each has its own. */
  readonly choose: () => 'ours' | 'theirs'
}

/**
 * Merges the orders of a list: theirs, with the members that our side has added or moved behind the
 * ones that they stand behind on our side.
 */
export function mergeOrder<Member>(
  orders: ListOrders<Member>,
  rules: OrderRules<Member>,
): readonly Member[] {
  const ours = orders.ours.filter(rules.isPresent)
  const theirs = orders.theirs.filter(rules.isPresent)
  const moved = movedByUs(orders.base, { ours, theirs }, rules)
  const known = new Set(theirs)
  const stayed = theirs.filter((member) => !moved.has(member))
  const runs = runsBehind(ours, (member) => moved.has(member) || !known.has(member))
  if (runs.size === 0) return stayed
  const others = runsBehind(stayed, isAddedTo([...orders.base, ...orders.ours]))
  const gone = runsBehind(
    orders.base.filter((member) => rules.isPresent(member) || isGone(orders)(member)),
    (member) => !rules.isPresent(member),
  )
  const place = (behind: Member | null) => {
    const run = runs.get(behind) ?? []
    const both = { ours: run, theirs: others.get(behind) ?? [], gone: gone.get(behind) ?? [] }
    if (run.length === 0) return both.theirs
    return both.theirs.length + both.gone.length > 0 ? rules.join(both) : run
  }
  const isOther = new Set([...others.values()].flat())
  const result = [...place(null)]
  const append = (member: Member) => {
    result.push(member, ...place(member))
  }
  for (const member of stayed) if (!isOther.has(member)) append(member)
  return result
}

/** The members that our side has moved, unless both did so and theirs is taken. */
function movedByUs<Member>(
  base: readonly Member[],
  { ours, theirs }: Pick<ListOrders<Member>, 'ours' | 'theirs'>,
  { isOrdered, choose }: OrderRules<Member>,
): ReadonlySet<Member> {
  const common = ours.filter(isIn(theirs))
  if (isSame(common, theirs.filter(isIn(ours)))) return new Set()
  const moved = movedMembers(base, common)
  const movedByThem = movedMembers(base, theirs)
  if (moved.size === 0 || movedByThem.size === 0) return moved
  const isContested = isOrdered || [...moved].some((member) => movedByThem.has(member))
  return isContested && choose() === 'theirs' ? new Set() : moved
}

/** The runs of members of one sort, by the member of the other sort in front of them; null for none. */
function runsBehind<Member>(
  members: readonly Member[],
  isOfRun: (member: Member) => boolean,
): ReadonlyMap<Member | null, readonly Member[]> {
  const runs = new Map<Member | null, Member[]>()
  let behind: Member | null = null
  for (const member of members) {
    const run = runs.get(behind)
    if (!isOfRun(member)) behind = member
    else if (run) run.push(member)
    else runs.set(behind, [member])
  }
  return runs
}

function isAddedTo<Member>(members: readonly Member[]): (member: Member) => boolean {
  const known = new Set(members)
  return (member) => !known.has(member)
}

function isGone<Member>({ ours, theirs }: ListOrders<Member>): (member: Member) => boolean {
  return isAddedTo([...ours, ...theirs])
}

function isIn<Member>(members: readonly Member[]): (member: Member) => boolean {
  const known = new Set(members)
  return (member) => known.has(member)
}

function isSame<Member>(one: readonly Member[], other: readonly Member[]): boolean {
  return one.length === other.length && one.every((member, at) => member === other[at])
}

/** The fewest members of a list that must have moved since an earlier one, for the others to be in its order. */
function movedMembers<Member>(
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

/** The places that the schema gives the children of an element; equal ones may stand in any order. */
export function schemaRank(parent: XmlElement): (child: XmlElement) => number {
  const path: string[] = []
  for (let at = parent; at.parent; at = at.parent) path.unshift(at.name)
  let rule: typeof CRUISE | undefined = CRUISE
  for (const name of path) rule = rule?.others.children.get(name)
  const particles = rule?.others.ordered === true ? rule.others.particles : []
  return ({ name }) => particles.findIndex(({ names }) => names.includes(name))
}
