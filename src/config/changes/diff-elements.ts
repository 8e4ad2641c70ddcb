import { childElements, textOf } from '../xml-elements.ts'
import type { XmlElement } from '../xml-tree.ts'
import {
  type Change,
  type Entity,
  entityKey,
  entityOf,
  identityOf,
  nameAttributeOf,
} from './change.ts'
import { shownAttribute, shownText } from './hide-secrets.ts'
import { matchChildren, type Pair } from './match-children.ts'
import { labelOf, pluralOf, wordOf } from './words.ts'

/** Elements that only hold a list: that they are there says nothing. */
const LISTS = new Set(
  (
    'materials jobs tasks templates environments agents roles users bases environmentvariables ' +
    'params artifacts resources tabs properties repositories packages scms configuration filter'
  ).split(' '),
)

/** What an attribute means that is not there. */
const DEFAULTS = new Map([
  ['autoUpdate', 'true'],
  ['isDisabled', 'false'],
  ['isLocked', 'false'],
  ['labeltemplate', '${COUNT}'],
  ['fetchMaterials', 'true'],
  ['cleanWorkingDir', 'false'],
  ['artifactCleanupProhibited', 'false'],
  ['runOnAllAgents', 'false'],
  ['onlyOnChanges', 'false'],
  ['checkexternals', 'false'],
  ['useTickets', 'false'],
  ['secure', 'false'],
  ['group', 'defaultGroup'],
])

/** Where in the configuration a comparison has come to. */
export interface Place {
  readonly entity: Entity | null
  readonly path: readonly string[]
}

/** Reads the source of an element, by which equal ones are known at once. */
export type SourceOf = (element: XmlElement) => string

/** What is different between two elements that are the same thing. */
export function* diffPair(pair: Pair, above: Place, sourceOf: SourceOf): Generator<Change> {
  const { before, after } = pair
  if (sourceOf(before) === sourceOf(after)) return
  const place = placeOf(after, above)
  yield* renaming(pair, above)
  yield* diffAttributes(pair, place, above)
  yield* diffTexts(pair, place, above)
  yield* diffChildren(pair, place, sourceOf)
}

/** The place that an element is: an entity of its own, or a part of the one around it. */
function placeOf(element: XmlElement, above: Place): Place {
  if (element.parent === null) return above
  const entity = entityOf(element)
  return entity ? { entity, path: [] } : { ...above, path: [...above.path, labelOf(element)] }
}

function* renaming({ before, after }: Pair, above: Place): Generator<Change> {
  const named = nameAttributeOf(after)
  if (named === null) return
  const [old, now] = [before, after].map(
    (each) => each.attributes.get(named)?.value ?? DEFAULTS.get(named),
  )
  if (old === undefined || now === undefined || old === now) return
  const place = placeOf(after, above)
  const former = entityOf(before)
  const touches = [...touchesOf(place), ...(former ? [entityKey(former)] : [])]
  yield {
    ...changeAt(place),
    kind: 'renamed',
    path: placeOf(before, above).path,
    before: old,
    after: now,
    touches,
  }
}

function* diffAttributes(pair: Pair, place: Place, above: Place): Generator<Change> {
  const { before, after } = pair
  const named = nameAttributeOf(after)
  for (const name of new Set([...before.attributes.keys(), ...after.attributes.keys()])) {
    if (name === named || isAboutXml(name)) continue
    const old = valueOf(before, name)
    const now = valueOf(after, name)
    if (old === now) continue
    const where = now === identityOf(after) ? wordPlace(after, place, above) : place
    const show = (value: string | null) => (value === null ? null : shownAttribute(name, value))
    yield { ...changeAt(where), kind: 'changed', what: name, before: show(old), after: show(now) }
  }
}

function isAboutXml(name: string): boolean {
  return name.startsWith('xmlns') || name.startsWith('xsi:')
}

function valueOf({ attributes }: XmlElement, name: string): string | null {
  return attributes.get(name)?.value ?? DEFAULTS.get(name) ?? null
}

/** The place without what identifies it, for a change of just that. */
function wordPlace(element: XmlElement, place: Place, above: Place): Place {
  return place.path.length === 0 ? place : { ...place, path: [...above.path, wordOf(element)] }
}

function* diffTexts({ before, after }: Pair, place: Place, above: Place): Generator<Change> {
  const [old, now] = [before, after].map((each) => textOf(each).trim())
  if (old === undefined || now === undefined || old === now) return
  const [shownOld, shownNow] = [shownText(before, old), shownText(after, now)]
  const where = wordPlace(after, place, above)
  yield { ...changeAt(where), kind: 'changed', before: shownOld, after: shownNow }
}

function* diffChildren(
  { before, after }: Pair,
  place: Place,
  sourceOf: SourceOf,
): Generator<Change> {
  const old = listsOf(before)
  const now = listsOf(after)
  for (const list of new Set([...old.keys(), ...now.keys()])) {
    yield* diffLists(old.get(list) ?? [], now.get(list) ?? [], place, sourceOf)
  }
}

function* diffLists(
  before: readonly XmlElement[],
  after: readonly XmlElement[],
  place: Place,
  sourceOf: SourceOf,
): Generator<Change> {
  const matching = matchChildren(before, after, sourceOf)
  for (const element of matching.removed) yield appearance('removed', element, place)
  for (const pair of matching.pairs) yield* diffPair(pair, place, sourceOf)
  for (const element of matching.added) yield appearance('added', element, place)
  const [first] = matching.pairs
  if (!matching.reordered || !first) return
  yield { ...changeAt(place), kind: 'reordered', what: pluralOf(first.after) }
}

/** Something is there that was not, or the other way round. */
export function appearance(kind: 'added' | 'removed', element: XmlElement, above: Place): Change {
  const place = placeOf(element, above)
  const touched = [...touchesOf(place), ...touchesOf(above), ...entitiesWithin(element)]
  return { ...changeAt(place), kind, touches: [...new Set(touched)] }
}

/** A section that comes or goes takes what it holds with it, as security does with roles. */
function entitiesWithin(element: XmlElement): string[] {
  return childElements(element).flatMap((child) => {
    const entity = entityOf(child)
    if (entity?.kind === 'pipeline') return []
    return [...(entity ? [entityKey(entity)] : []), ...entitiesWithin(child)]
  })
}

export function changeAt({ entity, path }: Place): Omit<Change, 'kind'> {
  return { entity, path, what: '', before: null, after: null, touches: touchesOf({ entity, path }) }
}

function touchesOf({ entity }: Place): string[] {
  return entity ? [entityKey(entity)] : []
}

/** The children of an element by the list they stand in. Pipelines of groups are compared apart. */
function listsOf(element: XmlElement): Map<string, XmlElement[]> {
  const lists = new Map<string, XmlElement[]>()
  for (const child of childElements(element)) {
    if (entityOf(child)?.kind === 'pipeline') continue
    const isOne = !isList(child)
    const key = isOne ? `* ${child.name}` : child.name
    const list = lists.get(key) ?? []
    lists.set(key, list)
    for (const member of isOne ? [child] : childElements(child)) list.push(member)
  }
  return lists
}

/** The pipelines of an environment are a list; a group is something of its own. */
function isList(element: XmlElement): boolean {
  if (element.name === 'pipelines') return entityOf(element) === null
  return LISTS.has(element.name)
}
