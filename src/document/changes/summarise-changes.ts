import { changeOfLineEndings } from './line-endings.ts'
import type { Problem } from '../../core/problem.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { DocumentChange } from '../entities/change.ts'
import { compareElements } from '../compare/compare-elements.ts'
import {
  compareEntities,
  type EntityMatching,
  type EntityRenames,
  addedOrRemoved,
  matchEntities,
  reportForm,
} from '../compare/compare-entities.ts'
import { compareEntityOrder, comparePlaces } from '../compare/compare-places.ts'
import {
  DOCUMENT,
  DOCUMENT_LABEL,
  type EntityDefinition,
  type EntityElement,
  ENTITY_KINDS,
  entitiesIn,
  ENTITY_PREFIXES,
  asEntity,
  entityKey,
} from '../entities/entities.ts'
import {
  type ComparisonScope,
  isWrittenAlike,
  lineCount,
  MAX_DETAILED_CHANGES,
  rangeOf,
  type Scope,
  scopeOf,
} from '../compare/scope.ts'
import { shownValue } from '../entities/shown-value.ts'
import { listOf } from '../incremental/find-members.ts'
import { RelocatedElement } from '../incremental/relocated-element.ts'
import { isSameText } from '../text/text-source.ts'
import { elementsAt } from '../xml/xml-elements.ts'
import { groupBy } from '../../lib/grouping.ts'

/** A document to compare: well-formed, or with the reasons why it is not. */
export type Comparable = XmlDocument | { readonly problems: readonly Problem[] }

const NOTHING = { pairs: [], removed: [], added: [] } as const
const WHOLE = { entity: DOCUMENT, label: DOCUMENT_LABEL, path: [] } as const

type EntityPair = readonly [EntityElement, EntityElement]

/** The kinds of entities that are read separately, the most important first. */
const MEMBER_KINDS = ENTITY_KINDS.filter(
  ({ steps: [[list = ''] = [], [member = ''] = []] }) => listOf(list, member) !== null,
)

/**
 * Describes the differences between two documents, in small steps: grouped by entity, the most
 * important first. `null` stands for no earlier document; `renames` are known beforehand, others are
 * recognised. Different texts have at least one change, equal texts none.
 */
export function* summariseChanges(
  before: Comparable | null,
  after: Comparable,
  renames: EntityRenames = [],
): Generator<unknown, readonly DocumentChange[]> {
  if ('problems' in after) return [unreadable('newer', after.problems)]
  if (before === null) return yield* beginnings(after)
  if ('problems' in before) return [unreadable('older', before.problems)]
  if (isSameText(before.source, after.source)) return []
  const endings = changeOfLineEndings(before.source, after.source)
  if (endings) return [endings]
  const changes = yield* compare(before, after, renames)
  return changes.length > 0 ? changes : [{ kind: 'reformatted', ...WHOLE, subject: 'layout' }]
}

/** Whether the document before was empty. */
export function isBeginning([first]: readonly DocumentChange[]): boolean {
  return first?.kind === 'added' && first.entity === DOCUMENT && first.path.length === 0
}

function* compare(
  before: XmlDocument,
  after: XmlDocument,
  renames: EntityRenames,
): Generator<unknown, readonly DocumentChange[]> {
  const members = changedMembers(before, after)
  if (members === null) return yield* compareWhole(before, after, renames)
  const changes: DocumentChange[] = []
  const elements = members.flat().map(({ element }) => element)
  const documents = documentsOf({ before, after }, elements, changes)
  yield* compareEntities(documents, { pairs: members, removed: [], added: [] })
  return withFewLayouts(grouped(changes))
}

function* compareWhole(
  before: XmlDocument,
  after: XmlDocument,
  renames: EntityRenames,
): Generator<unknown, readonly DocumentChange[]> {
  const changes: DocumentChange[] = []
  const entities: { kind: EntityDefinition; before: EntityElement[]; after: EntityElement[] }[] = []
  for (const kind of ENTITY_KINDS) {
    const older = entitiesIn(before.root, kind)
    yield
    yield entities.push({ kind, before: older, after: entitiesIn(after.root, kind) })
  }
  const elements = entities.flatMap((found) => [...found.before, ...found.after])
  const documents = documentsOf(
    { before, after },
    elements.map(({ element }) => element),
    changes,
  )
  const matchings = new Map<string, EntityMatching>()
  for (const { kind, ...found } of entities)
    yield matchings.set(kind.word, yield* matchEntities({ before, after, renames }, kind, found))
  for (const matching of matchings.values()) yield* compareEntities(documents, matching)
  for (const matching of matchings.values()) yield compareEntityOrder(documents, matching)
  comparePlaces(documents, {
    pipelines: matchings.get('pipeline') ?? NOTHING,
    groups: matchings.get('group') ?? NOTHING,
  })
  yield
  yield compareRoots(scopeOf(documents, WHOLE))
  return withFewLayouts(grouped(changes))
}

function documentsOf(
  pair: { readonly before: XmlDocument; readonly after: XmlDocument },
  entities: readonly XmlElement[],
  changes: DocumentChange[],
): ComparisonScope {
  return {
    ...pair,
    entities: new Set(entities),
    holders: elementsAround(entities),
    report: (change) => changes.push(change),
    isLong: () => changes.length >= MAX_DETAILED_CHANGES,
  }
}

function elementsAround(entities: readonly XmlElement[]): ReadonlySet<XmlElement> {
  const found = new Set<XmlElement>()
  for (const { parent } of entities) {
    for (let above = parent; above !== null && !found.has(above); above = above.parent)
      found.add(above)
  }
  return found
}

function compareRoots(scope: Scope): void {
  const pair = { before: scope.before.root, after: scope.after.root }
  compareElements(scope, pair, { path: [], covered: [] })
  reportForm(scope, pair, false)
}

function* beginnings(after: XmlDocument): Generator<unknown, readonly DocumentChange[]> {
  const range = rangeOf(after, after.root.span)
  const changes: DocumentChange[] = [
    {
      kind: 'added',
      ...WHOLE,
      subject: DOCUMENT_LABEL,
      ...lineCount(range),
      after: range,
    },
  ]
  for (const kind of ENTITY_KINDS) {
    for (const entity of entitiesIn(after.root, kind))
      yield changes.push(addedOrRemoved(after, 'added', entity))
  }
  return changes
}

function unreadable(which: 'older' | 'newer', [problem]: readonly Problem[]): DocumentChange {
  const place = problem?.line === undefined ? '' : ` at line ${problem.line}`
  const from = shownValue(`unreadable${place}: ${problem?.message ?? 'not XML'}`)
  const to = 'readable'
  return {
    kind: 'changed',
    ...WHOLE,
    subject: 'text',
    ...(which === 'older' ? { from, to } : { from: to, to: from }),
  }
}

/** The most entities with only layout changes that are listed one by one. */
const MAX_LAYOUTS = 10

/** The changes of each entity together and in the order of the text, the most important first. */
function grouped(changes: readonly DocumentChange[]): readonly DocumentChange[] {
  const groups = [...groupBy(changes, ({ entity }) => entity).values()]
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other))
    .map((group) => group.toSorted((one, other) => lineOf(one) - lineOf(other)))
  return [...groups.filter((group) => !isForm(group)), ...groups.filter(isForm)].flat()
}

/** Reports a reformatted document as one change. */
function withFewLayouts(changes: readonly DocumentChange[]): readonly DocumentChange[] {
  const layouts = changes.filter(isLayout)
  if (layouts.length <= MAX_LAYOUTS) return changes
  const whole = { entity: DOCUMENT, label: DOCUMENT_LABEL, path: [], subject: 'layout' } as const
  return [...changes.filter((change) => !isLayout(change)), { kind: 'reformatted', ...whole }]
}

function isLayout({ kind, subject }: DocumentChange): boolean {
  return kind === 'reformatted' && subject === 'layout'
}

function isForm(changes: readonly DocumentChange[]): boolean {
  return changes.every(({ kind }) => kind === 'reformatted')
}

function rankOf({ entity }: DocumentChange): number {
  const rank = ENTITY_PREFIXES.indexOf(entity.split('/', 1)[0] ?? '')
  return rank < 0 ? ENTITY_PREFIXES.length : rank
}

function lineOf({ before, after }: DocumentChange): number {
  return (after ?? before)?.first ?? 0
}

/**
 * The changed pipelines, templates and agents, when nothing else has changed: each kept its place
 * and name. Null where there may be other changes.
 */
function changedMembers(before: XmlDocument, after: XmlDocument): EntityPair[] | null {
  if (!RelocatedElement.isSame(before.root, after.root)) return null
  const pairs: EntityPair[] = []
  for (const kind of MEMBER_KINDS) {
    for (const pair of changedOf(kind, { before, after })) {
      const [one, other] = pair
      if (entityKey(one) !== entityKey(other)) return null
      pairs.push(pair)
    }
  }
  return pairs
}

/** With equal surroundings, the number of each kind is equal too. */
function* changedOf(
  kind: EntityDefinition,
  documents: { readonly before: XmlDocument; readonly after: XmlDocument },
): Generator<EntityPair> {
  const [lists = [], names = []] = kind.steps
  const older = elementsAt(documents.before.root, [lists])
  for (const [n, newer] of elementsAt(documents.after.root, [lists]).entries()) {
    for (const [before, after] of RelocatedElement.differing(older[n] ?? newer, newer)) {
      if (!names.includes(after.name) || isWrittenAlike(documents, { before, after })) continue
      yield [asEntity(before, kind), asEntity(after, kind)]
    }
  }
}
