import type { XmlElement } from '../xml/xml-tree.ts'
import { compareAttributes, compareText, shownLeaf } from './compare-attributes.ts'
import { compareOrder } from './compare-order.ts'
import { contentOf } from './content.ts'
import { elementIdentity, elementKindOf } from './element-kind.ts'
import { labelOf, taskText } from './labels.ts'
import { type Matching, matchItems, refine } from './match.ts'
import { type ElementPart, partsOf } from './parts.ts'
import { isWrittenAlike, lineCount, type Pair, rangeOf, rangesOf, type Scope } from './scope.ts'
import { displayedName, shownPair } from '../entities/shown-value.ts'
import { matchSimilar } from './similar.ts'

/** The path of a pair of elements, and the attributes that are reported in another way. */
export interface Where {
  readonly path: readonly string[]
  readonly covered: readonly string[]
}

/** Reports every difference of two elements, except in the entities inside them. */
export function compareElements(scope: Scope, pair: Pair, where: Where): void {
  if (isWrittenAlike(scope, pair)) return
  compareAttributes(scope, pair, where)
  const isCommandCovered = where.covered.includes('command')
  const [before, after] = [pair.before, pair.after].map((element) =>
    partsOf(element, scope.entities).filter(
      (part) => !isCommandCovered || part.element.name !== 'arg',
    ),
  )
  const matching = matchParts(scope, before ?? [], after ?? [])
  compareParts(scope, matching, where.path)
  compareOrder(scope, matching.pairs, where.path)
}

/** Parts that were renamed are found last. */
function matchParts(
  scope: Scope,
  before: readonly ElementPart[],
  after: readonly ElementPart[],
): Matching<ElementPart> {
  const named = refine(matchItems(before, after), ({ element, order }) =>
    elementKindOf(element).by === '@name' ? `${order} ${contentOf(element, 'name')}` : null,
  )
  const [removed, added] = [named.removed.filter(isLarge), named.added.filter(isLarge)]
  const beforeParts = new Set(before)
  const similar = matchSimilar(removed, added, (part) => {
    const { text } = beforeParts.has(part) ? scope.before : scope.after
    return `${part.element.name}\n${text.slice(part.element.span.start, part.element.span.end)}`
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

function compareParts(
  scope: Scope,
  { pairs, removed, added }: Matching<ElementPart>,
  path: readonly string[],
) {
  for (const { element } of removed) reportLone(scope, { kind: 'removed', element, path })
  for (const [before, after] of pairs) {
    comparePart(scope, { before: before.element, after: after.element }, path)
  }
  for (const { element } of added) reportLone(scope, { kind: 'added', element, path })
}

function comparePart(scope: Scope, pair: Pair, path: readonly string[]): void {
  if (isWrittenAlike(scope, pair)) return
  const covered = [...reportName(scope, pair, path), ...reportCommand(scope, pair, path)]
  compareText(scope, pair, path)
  const inside = [...path, labelOf(pair.after)]
  compareElements(scope, pair, { path: inside, covered })
}

/** Reports a new name as a rename, not as a changed attribute. Returns the attribute it covers. */
function reportName(scope: Scope, pair: Pair, path: readonly string[]): readonly string[] {
  const { word, by } = elementKindOf(pair.after)
  const [from, to] = [elementIdentity(pair.before), elementIdentity(pair.after)]
  if (by !== '@name' || from === to || from === null || to === null) return []
  scope.report({
    kind: 'renamed',
    entity: scope.entity,
    label: scope.label,
    path,
    subject: word,
    from: displayedName(from),
    to: displayedName(to),
    ...rangesOf(scope, { before: pair.before.openTag, after: pair.after.openTag }),
  })
  return ['name']
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
