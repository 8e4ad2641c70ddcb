import type { XmlElement } from '../xml/xml-tree.ts'
import { compareAttributes, compareText, shownLeaf } from './compare-attributes.ts'
import { compareOrder } from './compare-order.ts'
import { elementIdentity, elementKindOf, isNamed } from './element-kind.ts'
import { labelOf, taskText } from './labels.ts'
import { matchItems, type Matching, refine } from './match.ts'
import { type ElementPart, partCount, partsOf } from './parts.ts'
import { isWrittenAlike, lineCount, type Pair, rangeOf, rangesOf, type Scope } from './scope.ts'
import type { DocumentChange } from '../entities/change.ts'
import { displayedName, displayedPair, shownPair } from '../entities/shown-value.ts'
import { matchSimilar } from './similar.ts'
import { contentBeside } from './content.ts'

/** The path of a pair of elements, and the attributes that are reported in another way. */
export interface Where {
  readonly path: readonly string[]
  readonly covered: readonly string[]
}

/** Elements with more parts than this are only reported as changed. */
const MAX_PARTS = 10_000

/**
 * Reports every difference of two elements, except in the entities inside them. What nobody could
 * read through is reported as one change, so that no comparison takes long.
 */
export function compareElements(scope: Scope, pair: Pair, where: Where): void {
  if (isWrittenAlike(scope, pair)) return
  const { entities } = scope
  if (partCount(pair.before, entities) + partCount(pair.after, entities) > MAX_PARTS) {
    return scope.report(contentChange(scope, pair, where.path))
  }
  compareAttributes(scope, pair, where)
  const isCommandCovered = where.covered.includes('command')
  const [before, after] = [pair.before, pair.after].map((element) =>
    partsOf(element, entities).filter((part) => !isCommandCovered || part.element.name !== 'arg'),
  )
  const matching = matchParts(scope, before ?? [], after ?? [])
  compareParts(scope, pair, { matching, path: where.path })
  compareOrder(scope, matching.pairs, where.path)
}

/** Parts with another identity are found last. */
function matchParts(
  scope: Scope,
  before: readonly ElementPart[],
  after: readonly ElementPart[],
): Matching<ElementPart> {
  const named = matchValues(matchWithoutName(matchItems(before, after)), before, after)
  const [removed, added] = [named.removed.filter(isLarge), named.added.filter(isLarge)]
  const beforeParts = new Set(before)
  const similar = matchSimilar(removed, added, (part) => {
    const { source } = beforeParts.has(part) ? scope.before : scope.after
    return `${part.element.name}\n${source.slice(part.element.span.start, part.element.span.end)}`
  })
  const found = new Map(
    similar.pairs.flatMap(([one, other]) => [
      [one, other],
      [other, one],
    ]),
  )
  return {
    pairs: [...named.pairs, ...similar.pairs],
    removed: named.removed.filter((part) => !found.has(part)),
    added: named.added.filter((part) => !found.has(part)),
  }
}

/** Only stages and jobs are large enough to be recognised by similarity. */
function isLarge({ element }: ElementPart): boolean {
  return element.name === 'stage' || element.name === 'job'
}

/** After many changes, the rest of an element is one change. */
function compareParts(
  scope: Scope,
  pair: Pair,
  { matching, path }: { matching: Matching<ElementPart>; path: readonly string[] },
): void {
  for (const report of differences(scope, matching, path)) {
    if (scope.isLong()) return scope.report(contentChange(scope, pair, path))
    report()
  }
}

function* differences(
  scope: Scope,
  { pairs, removed, added }: Matching<ElementPart>,
  path: readonly string[],
): Generator<() => void> {
  for (const { element } of removed) {
    yield () => reportLone(scope, { kind: 'removed', element, path })
  }
  for (const [before, after] of pairs) {
    const pair = { before: before.element, after: after.element }
    if (!isWrittenAlike(scope, pair)) yield () => comparePart(scope, pair, path)
  }
  for (const { element } of added) yield () => reportLone(scope, { kind: 'added', element, path })
}

function comparePart(scope: Scope, pair: Pair, path: readonly string[]): void {
  const covered = [...reportIdentity(scope, pair, path), ...reportCommand(scope, pair, path)]
  if (!isIdentity(pair.after)) compareText(scope, pair, path)
  const inside = [...path, labelOf(pair.after)]
  compareElements(scope, pair, { path: inside, covered })
}

function contentChange(scope: Scope, pair: Pair, path: readonly string[]): DocumentChange {
  const { entity, label } = scope
  const ranges = rangesOf(scope, { before: pair.before.span, after: pair.after.span })
  return { kind: 'changed', entity, label, path, subject: 'content', ...ranges }
}

/** Whether the text of an element is its value, or the key of the element around it: this is reported with the identity. */
function isIdentity(element: XmlElement): boolean {
  const { by, isValue } = elementKindOf(element)
  if (isValue && by === '#text') return true
  return element.parent !== null && elementKindOf(element.parent).by === element.name
}

/**
 * Reports another name as a rename, and another value as a change, not as a changed attribute. Returns the attributes
 * that this covers.
 */
function reportIdentity(scope: Scope, pair: Pair, path: readonly string[]): readonly string[] {
  const { word, by, isValue } = elementKindOf(pair.after)
  const [from, to] = [elementIdentity(pair.before), elementIdentity(pair.after)]
  if (!isValue && !isNamed(pair.after)) return []
  if (from === to || from === null || to === null) return []
  scope.report({
    kind: isValue ? 'changed' : 'renamed',
    entity: scope.entity,
    label: scope.label,
    path,
    subject: word,
    ...(isValue ? displayedPair(from, to) : { from: displayedName(from), to: displayedName(to) }),
    ...rangesOf(scope, { before: pair.before.openTag, after: pair.after.openTag }),
  })
  return by?.startsWith('@') === true ? [by.slice(1)] : ['name']
}

/** Reports a command as the line one would type. Returns the attributes it covers. */
function reportCommand(scope: Scope, pair: Pair, path: readonly string[]): readonly string[] {
  if (pair.before.name !== 'exec' || pair.after.name !== 'exec') return []
  const [from, to] = [taskText(pair.before), taskText(pair.after)]
  if (from === to) return []
  scope.report({
    kind: 'changed',
    entity: scope.entity,
    label: scope.label,
    path,
    subject: 'task',
    ...shownPair(from, to),
    ...rangesOf(scope, { before: pair.before.span, after: pair.after.span }),
  })
  return ['command', 'args']
}

function reportLone(
  scope: Scope,
  {
    kind,
    element,
    path,
  }: { kind: 'added' | 'removed'; element: XmlElement; path: readonly string[] },
): void {
  const side = kind === 'added' ? 'after' : 'before'
  const range = rangeOf(scope[side], element.span)
  const value = shownLeaf(element)
  scope.report({
    kind,
    entity: scope.entity,
    label: scope.label,
    path,
    subject: labelOf(element),
    ...(value === null ? {} : { [kind === 'added' ? 'to' : 'from']: value }),
    ...lineCount(range),
    [side]: range,
  })
}

/** Pairs parts that are equal but for their name. */
function matchWithoutName(matching: Matching<ElementPart>): Matching<ElementPart> {
  return refine(matching, ({ element, order }) => {
    const { by } = elementKindOf(element)
    return by !== null && isNamed(element) ? `${order} ${contentBeside(element, by)}` : null
  })
}

/** Pairs values that stand where others stood, between the same parts of their list; those that are equal otherwise first. */
function matchValues(
  matching: Matching<ElementPart>,
  before: readonly ElementPart[],
  after: readonly ElementPart[],
): Matching<ElementPart> {
  if (!matching.removed.some(isOfValue) || !matching.added.some(isOfValue)) return matching
  const numbers = new Map(
    matching.pairs.flatMap(([one, other], number) => [
      [one, number],
      [other, number],
    ]),
  )
  const places = new Map([...placesIn(before, numbers), ...placesIn(after, numbers)])
  const alike = refine(matching, (part) => {
    const [place, { by }] = [places.get(part), elementKindOf(part.element)]
    return place === undefined || by === null ? null : `${place} ${contentBeside(part.element, by)}`
  })
  return refine(alike, (part) => places.get(part) ?? null)
}

function isOfValue({ element }: ElementPart): boolean {
  return elementKindOf(element).isValue
}

/** The places of the values that have no partner: the list, and the last part before them that has one. */
function placesIn(
  parts: readonly ElementPart[],
  numbers: ReadonlyMap<ElementPart, number>,
): ReadonlyMap<ElementPart, string> {
  const last = new Map<string, number>()
  const places = new Map<ElementPart, string>()
  for (const part of parts) {
    const number = numbers.get(part)
    const list = `${part.order} ${part.element.name}`
    if (number !== undefined) last.set(list, number)
    else if (isOfValue(part)) places.set(part, `${list} ${last.get(list) ?? ''}`)
  }
  return places
}
