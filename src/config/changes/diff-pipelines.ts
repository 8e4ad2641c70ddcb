import { elementsAt } from '../xml-elements.ts'
import type { XmlElement } from '../xml-tree.ts'
import { type Change, entityKey, type Entity, entityOf } from './change.ts'
import { appearance, changeAt, diffPair, type Place, type SourceOf } from './diff-elements.ts'
import { matchChildren, type Pair } from './match-children.ts'

const PIPELINES = 'pipelines/pipeline'

/** What became of pipelines, which are the same ones whatever group they stand in. */
export function* diffPipelines(root: Pair, sourceOf: SourceOf): Generator<Change> {
  const matching = matchChildren(
    elementsAt(root.before, PIPELINES),
    elementsAt(root.after, PIPELINES),
    sourceOf,
  )
  const successors = groupSuccessors(root, sourceOf)
  for (const element of matching.removed) {
    yield { ...appearance('removed', element, groupPlace(element)), before: groupName(element) }
  }
  for (const pair of matching.pairs) {
    yield* moving(pair, successors)
    yield* diffPair(pair, groupPlace(pair.after), sourceOf)
  }
  for (const element of matching.added) {
    yield { ...appearance('added', element, groupPlace(element)), after: groupName(element) }
  }
  yield* reorderings(matching.pairs, successors)
}

/** Which group is which after the change, also where it was renamed. */
function groupSuccessors(
  { before, after }: Pair,
  sourceOf: SourceOf,
): ReadonlyMap<XmlElement, XmlElement> {
  const groups = [before, after].map((root) => elementsAt(root, 'pipelines'))
  const { pairs } = matchChildren(groups[0] ?? [], groups[1] ?? [], sourceOf)
  return new Map(pairs.map((pair) => [pair.before, pair.after]))
}

function* moving(
  { before, after }: Pair,
  successors: ReadonlyMap<XmlElement, XmlElement>,
): Generator<Change> {
  if (isInSameGroup({ before, after }, successors)) return
  const change = changeAt({ entity: entityOf(after), path: [] })
  const groups = [before, after].flatMap((element) => groupOf(element) ?? []).map(entityKey)
  const touches = [...change.touches, ...groups]
  yield { ...change, kind: 'moved', before: groupName(before), after: groupName(after), touches }
}

function isInSameGroup(
  { before, after }: Pair,
  successors: ReadonlyMap<XmlElement, XmlElement>,
): boolean {
  return before.parent !== null && successors.get(before.parent) === after.parent
}

/** Groups whose pipelines stand in another order than they did. */
function* reorderings(
  pairs: readonly Pair[],
  successors: ReadonlyMap<XmlElement, XmlElement>,
): Generator<Change> {
  const latest = new Map<XmlElement, number>()
  const told = new Set<XmlElement>()
  for (const { before, after } of pairs) {
    const group = after.parent
    if (!group || !isInSameGroup({ before, after }, successors)) continue
    const isBehind = before.span.start < (latest.get(group) ?? 0)
    latest.set(group, before.span.start)
    if (!isBehind || told.has(group)) continue
    told.add(group)
    yield { ...changeAt(groupPlace(after)), kind: 'reordered', what: 'pipelines' }
  }
}

function groupPlace(pipeline: XmlElement): Place {
  return { entity: groupOf(pipeline), path: [] }
}

function groupOf({ parent }: XmlElement): Entity | null {
  return parent && entityOf(parent)
}

function groupName(pipeline: XmlElement): string | null {
  return groupOf(pipeline)?.name ?? null
}
