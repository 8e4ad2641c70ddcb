import { nameKey } from '../../core/name-key.ts'
import { contentOf } from '../compare/content.ts'
import { elementIdentity, elementKindOf } from '../compare/element-kind.ts'
import { labelOf } from '../compare/labels.ts'
import type { EntityRenames } from '../compare/compare-entities.ts'
import { refine } from '../compare/match.ts'
import { likenessOf, matchSimilar } from '../compare/similar.ts'
import { entityKey, entityName, entityOf, foldEntity } from '../entities/entities.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { clearPairs } from './clear-pairs.ts'
import { isRecognised } from './recognised.ts'
import { addToGroup, groupBy } from '../../lib/grouping.ts'

/** The elements of one list and those of another that they are. */
export interface Siblings {
  /** From the later list to the earlier one. */
  readonly twins: ReadonlyMap<XmlElement, XmlElement>
  /** The later ones that only their places identify. */
  readonly replaced: ReadonlySet<XmlElement>
  /** Whether it cannot be told which of several equal elements is which. */
  readonly isAmbiguous: boolean
  /** Whether those without a key have changed. */
  readonly isLooseChanged: boolean
}

/** Names of elements that are followed when they get another name. Entities are followed by their renames. */
const RENAMED = new Set(['stage', 'job'])

/** The texts of the documents in which siblings are matched, and what is followed in them. */
export interface FollowedChanges {
  readonly before: string
  readonly after: string
  /** The entities that have another name. */
  readonly renames: EntityRenames
  /** Whether the likeliest is followed where another could be meant, and tasks that have most of their lines in common. */
  readonly followsLikely: boolean
}

/**
 * Matches siblings by identity, never by the lines around them: entities that were renamed, by key, then those without
 * a key by content and place, then stages and jobs that were renamed, which are equal but for the name, or similar.
 */
export function matchSiblings(
  allBefore: readonly XmlElement[],
  allAfter: readonly XmlElement[],
  followed: FollowedChanges,
): Siblings {
  const twins = renamedTwins(allBefore, allAfter, followed.renames)
  const known = new Set([...twins].flat())
  const isLeft = (element: XmlElement) => !known.has(element)
  const before = known.size === 0 ? allBefore : allBefore.filter(isLeft)
  const after = known.size === 0 ? allAfter : allAfter.filter(isLeft)
  const [older, newer] = [byKey(before), byKey(after)]
  for (const [key, [element, ...others]] of newer) {
    const [twin, ...more] = older.get(key) ?? []
    if (element && twin && others.length + more.length === 0) twins.set(element, twin)
  }
  const isLoose = (element: XmlElement) => {
    const key = siblingKey(element)
    return key === null || Math.max(countOf(older, key), countOf(newer, key)) > 1
  }
  const loose = matchLoose(before.filter(isLoose), after.filter(isLoose), followed)
  for (const [element, twin] of loose.twins) twins.set(element, twin)
  const matched = new Set(twins.values())
  const lone = (elements: readonly XmlElement[], taken: (element: XmlElement) => boolean) =>
    elements.filter((each) => RENAMED.has(each.name) && !isLoose(each) && !taken(each))
  const gone = lone(before, (element) => matched.has(element))
  const come = lone(after, (element) => twins.has(element))
  for (const [twin, element] of renamedParts(gone, come, followed)) twins.set(element, twin)
  return { ...loose, twins }
}

/** The entities of which it is known that they were renamed, from the later ones to the earlier ones. */
function renamedTwins(
  before: readonly XmlElement[],
  after: readonly XmlElement[],
  renames: EntityRenames,
): Map<XmlElement, XmlElement> {
  if (renames.length === 0) return new Map()
  const [older, newer] = [byEntity(before), byEntity(after)]
  return new Map(
    renames.flatMap(([former, later]) => {
      const [twin, element] = [older.get(former), newer.get(later)]
      return twin && element ? [[element, twin]] : []
    }),
  )
}

function byEntity(elements: readonly XmlElement[]): ReadonlyMap<string, XmlElement> {
  return new Map(
    elements.flatMap((element) => {
      const entity = entityOf(element)
      return entity === null ? [] : [[foldEntity(entityName(entity)), element]]
    }),
  )
}

/** The stages and jobs that were renamed, as a summary of the changes names them, where no other could be meant. */
function renamedParts(
  gone: readonly XmlElement[],
  come: readonly XmlElement[],
  followed: FollowedChanges,
): readonly (readonly [XmlElement, XmlElement])[] {
  if (gone.length === 0 || come.length === 0) return []
  const textOf = writtenIn(gone, followed)
  const equal = refine({ pairs: [], removed: gone, added: come }, formWithoutName)
  const similar = ofEachName(equal.removed, equal.added, textOf)
  const pairs = [...equal.pairs, ...similar]
  if (followed.followsLikely) return pairs
  const likeness = (one: XmlElement, other: XmlElement) => likenessOf(textOf(one), textOf(other))
  const clear = clearPairs(pairs, { gone, come }, { formOf: formWithoutName, likeness })
  return clear.filter(
    ([one, other]) =>
      formWithoutName(one) === formWithoutName(other) ||
      isRecognised(
        { text: followed.before, element: one },
        { text: followed.after, element: other },
      ),
  )
}

function formWithoutName(element: XmlElement): string {
  return contentOf(element, 'name')
}

/** Elements of one name that have most of their lines in common. */
function ofEachName(
  gone: readonly XmlElement[],
  come: readonly XmlElement[],
  textOf: (element: XmlElement) => string,
): readonly (readonly [XmlElement, XmlElement])[] {
  return [...new Set(gone.map(({ name }) => name))].flatMap((name) => {
    const isOne = (element: XmlElement) => element.name === name
    return matchSimilar(gone.filter(isOne), come.filter(isOne), textOf).pairs
  })
}

function writtenIn(
  gone: readonly XmlElement[],
  { before, after }: Pick<FollowedChanges, 'before' | 'after'>,
): (element: XmlElement) => string {
  const isOld = new Set(gone)
  return (element) =>
    (isOld.has(element) ? before : after).slice(element.span.start, element.span.end)
}

/** The identity of an element among its siblings; null where it has none. */
export function siblingKey(element: XmlElement): string | null {
  const entity = entityOf(element)
  if (entity !== null) return `${element.name} ${entityKey(entity)}`
  const kind = elementKindOf(element)
  if (kind.isSequence) return null
  const identity = elementIdentity(element) ?? ''
  return `${element.name} ${kind.isExact ? identity : nameKey(identity)}`
}

function countOf(groups: ReadonlyMap<string, readonly XmlElement[]>, key: string): number {
  return groups.get(key)?.length ?? 0
}

function byKey(elements: readonly XmlElement[]): ReadonlyMap<string, readonly XmlElement[]> {
  const keyed = new Map<string, XmlElement[]>()
  for (const element of elements) {
    const own = siblingKey(element)
    if (own !== null) addToGroup(keyed, own, element)
  }
  return keyed
}

/**
 * Matches elements without a key: equal ones at both ends of the lists, then those whose content or
 * label is the only one of its kind, then as many as stand between two matched ones.
 */
function matchLoose(
  before: readonly XmlElement[],
  after: readonly XmlElement[],
  followed: FollowedChanges,
): Siblings {
  const twins = new Map<XmlElement, XmlElement>()
  const replaced = new Set<XmlElement>()
  const [older, newer] = [
    before.map((each) => contentOf(each)),
    after.map((each) => contentOf(each)),
  ]
  const least = Math.min(before.length, after.length)
  let start = 0
  while (start < least && older[start] === newer[start]) start += 1
  let end = 0
  while (end < least && older.at(-1 - end) === newer.at(-1 - end)) end += 1
  const slides = before.length !== after.length && start + end > least
  end = Math.min(end, least - start)
  const pair = (at: number, to: number) => {
    const [twin, element] = [before[at], after[to]]
    if (twin && element) twins.set(element, twin)
  }
  for (let n = 0; n < start; n += 1) pair(n, n)
  for (let n = 1; n <= end; n += 1) pair(before.length - n, after.length - n)
  const left = before.slice(start, before.length - end)
  const come = after.slice(start, after.length - end)
  const isUneven = pairBy(left, come, { twins, most: Infinity }, (each) => contentOf(each))
  pairBy(left, come, { twins, most: 1 }, (each) => `${each.name} ${labelOf(each)}`)
  if (followed.followsLikely) {
    const taken = new Set(twins.values())
    const was = left.filter((each) => !taken.has(each))
    const is = come.filter((each) => !twins.has(each))
    for (const [twin, element] of ofEachName(was, is, writtenIn(was, followed)))
      twins.set(element, twin)
  }
  for (const [twin, element] of replacements(left, come, twins)) {
    twins.set(element, twin)
    replaced.add(element)
  }
  const isLooseChanged = left.length + come.length > 0
  return { twins, replaced, isAmbiguous: slides || isUneven, isLooseChanged }
}

/** Pairs those of one key, up to so many. Returns whether there are some on both sides, but not equally many. */
function pairBy(
  before: readonly XmlElement[],
  after: readonly XmlElement[],
  { twins, most }: { readonly twins: Map<XmlElement, XmlElement>; readonly most: number },
  keyOf: (element: XmlElement) => string,
): boolean {
  const taken = new Set(twins.values())
  const older = groupBy(
    before.filter((element) => !taken.has(element)),
    keyOf,
  )
  const newer = groupBy(
    after.filter((element) => !twins.has(element)),
    keyOf,
  )
  let isUneven = false
  for (const [key, elements] of newer) {
    const others = older.get(key) ?? []
    if (others.length === elements.length && elements.length <= most) {
      for (const [n, element] of elements.entries()) {
        const twin = others[n]
        if (twin) twins.set(element, twin)
      }
    } else isUneven ||= others.length > 0 && others.length !== elements.length
  }
  return isUneven
}

/** Runs of unmatched elements of equal length, between the same matched ones. */
function replacements(
  before: readonly XmlElement[],
  after: readonly XmlElement[],
  twins: ReadonlyMap<XmlElement, XmlElement>,
): [XmlElement, XmlElement][] {
  const taken = new Set(twins.values())
  const older = runsOf(before, (element) => (taken.has(element) ? element : undefined))
  const newer = runsOf(after, (element) => twins.get(element))
  const pairs: [XmlElement, XmlElement][] = []
  for (const [anchor, run] of newer) {
    const others = older.get(anchor) ?? []
    if (others.length !== run.length) continue
    for (const [n, element] of run.entries()) {
      const twin = others[n]
      if (twin?.name === element.name) pairs.push([twin, element])
    }
  }
  return pairs
}

/** The runs of elements that have no anchor, by the anchor in front of each; null for none. */
function runsOf(
  elements: readonly XmlElement[],
  anchorOf: (element: XmlElement) => XmlElement | undefined,
): ReadonlyMap<XmlElement | null, readonly XmlElement[]> {
  let run: XmlElement[] = []
  const runs = new Map<XmlElement | null, XmlElement[]>([[null, run]])
  for (const element of elements) {
    const anchor = anchorOf(element)
    if (anchor === undefined) run.push(element)
    else runs.set(anchor, (run = []))
  }
  return runs
}
