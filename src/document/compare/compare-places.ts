import type { XmlElement } from '../xml/xml-tree.ts'
import type { EntityMatching } from './compare-entities.ts'
import { movedOf } from './compare-order.ts'
import {
  DOCUMENT,
  DOCUMENT_LABEL,
  type EntityElement,
  entityLabel,
  entityName,
  SERVER,
} from '../entities/entities.ts'
import { type ComparisonScope, rangesOf } from './scope.ts'

type EntityPair = readonly [EntityElement, EntityElement]

/** Reports pipelines that moved between groups or within their group. */
export function comparePlaces(
  documents: ComparisonScope,
  { pipelines, groups }: { readonly pipelines: EntityMatching; readonly groups: EntityMatching },
): void {
  const nameOf = namesOf(groups)
  const stayed = new Map<EntityElement, EntityPair[]>(groups.pairs.map(([, group]) => [group, []]))
  const successors = new Map(groups.pairs.map(([before, after]) => [before.element, after]))
  for (const pair of pipelines.pairs) {
    const [from, to] = [pair[0].element.parent, pair[1].element.parent]
    const group = from ? successors.get(from) : undefined
    if (group && group.element === to) stayed.get(group)?.push(pair)
    else reportMove(documents, pair, { from: nameOf(from), to: nameOf(to) })
  }
  for (const [group, pairs] of stayed) {
    const place = { entity: entityName(group), label: entityLabel(group), subject: 'pipelines' }
    reportOrder(documents, pairs, place)
  }
}

/** Reports that the entities of a kind are reordered. */
export function compareEntityOrder(documents: ComparisonScope, { pairs }: EntityMatching): void {
  const kind = pairs[0]?.[0].kind
  if (!kind || kind.prefix === 'pipeline') return
  const isInServer = kind.isOfServer
  const entity = isInServer ? SERVER : DOCUMENT
  const label = isInServer ? SERVER : DOCUMENT_LABEL
  reportOrder(documents, pairs, { entity, label, subject: `${kind.word}s`.replace(/ys$/, 'ies') })
}

function namesOf({ pairs, removed, added }: EntityMatching) {
  const groups = [...pairs.flat(), ...removed, ...added]
  const names = new Map(groups.map(({ element, name }) => [element, name]))
  return (element: XmlElement | null) => (element && names.get(element)) ?? ''
}

function reportMove(
  documents: ComparisonScope,
  [before, after]: EntityPair,
  { from, to }: { readonly from: string; readonly to: string },
): void {
  documents.report({
    kind: 'changed',
    entity: entityName(after),
    label: entityLabel(after),
    path: [],
    subject: 'group',
    from,
    to,
    ...rangesOf(documents, { before: before.element.openTag, after: after.element.openTag }),
  })
}

function reportOrder(
  documents: ComparisonScope,
  pairs: readonly EntityPair[],
  place: { readonly entity: string; readonly label: string; readonly subject: string },
): void {
  const moved = movedOf(pairs, ({ element }) => element)
  const [[before, after] = []] = moved
  if (!before || !after) return
  documents.report({
    kind: 'reordered',
    ...place,
    path: [],
    subject: moved.length === 1 ? `${after.kind.word} ${entityLabel(after)}` : place.subject,
    ...rangesOf(documents, { before: before.element.openTag, after: after.element.openTag }),
  })
}
