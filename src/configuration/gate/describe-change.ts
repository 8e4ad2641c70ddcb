import { hash } from 'node:crypto'
import { nameKey } from '../../core/name-key.ts'
import { formerNameOf, isMove } from '../../document/changes/entities-of.ts'
import { LINE_ENDINGS } from '../../document/changes/line-endings.ts'
import type { ConfigDocument } from '../../document/document.ts'
import { isValueWord } from '../../document/compare/element-kind.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import {
  DEFAULT_GROUP,
  DOCUMENT,
  entitiesIn,
  type EntityElement,
  ENTITY_KINDS,
  entityName,
  foldEntity,
  foldNameIn,
  splitEntity,
  wholeEntityWord,
  SERVER,
} from '../../document/entities/entities.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import { memoize } from '../../lib/memoize.ts'
import { mayRunOtherwiseBy, runsOtherwise } from './running-form.ts'
import type { ChangedPlace, GateChange, TouchedEntity, TouchKind } from './rules/question.ts'
import { childElements } from '../../document/xml/xml-elements.ts'
import type { Span } from '../../document/xml/xml-tree.ts'
import { addToGroup } from '../../lib/grouping.ts'

/** Two valid documents, with the differences between them in words. */
export interface DescribedDocuments {
  readonly before: ConfigDocument
  readonly after: ConfigDocument
  readonly changes: readonly DocumentChange[]
}

/** An entity as far as the changes tell of it. */
interface Draft {
  readonly entity: string
  readonly names: Set<string>
  readonly kinds: Set<TouchKind>
  readonly places: ChangedPlace[]
}

const GROUP = 'group/'
const WHOLE: ChangedPlace = { steps: [], sort: 'content', isWhole: true }
const LAYOUT: ChangedPlace = { steps: ['layout'], sort: 'layout', isWhole: false }

/**
 * A change as rules see it: what it touches by its text, and the pipelines that run otherwise although
 * their own text stays, because of a template, an environment, or what else they are made of.
 */
export function describeChange(documents: DescribedDocuments): GateChange {
  const { before, after, changes } = documents
  const drafts = draftsOf(changes)
  if (changes.some(isLayoutOfAll)) addLayouts(drafts, documents)
  for (const { pipeline, places } of runsOtherwise(documents, placesOf(drafts)))
    addTo(drafts, pipeline, { kinds: ['changed'], places })
  const found = [...drafts.values()]
  const [older, newer] = [searched(before, found), searched(after, found)]
  return { entities: found.map((draft) => touchedBy(draft, older, newer)) }
}

/**
 * The entities that changes name, with what their words alone tell: nothing of groups, environments and
 * bytes, and nothing of pipelines that run otherwise.
 */
export function namedByChanges(changes: readonly DocumentChange[]): readonly TouchedEntity[] {
  return [...draftsOf(changes).values()].map(({ entity, names, kinds, places }) => ({
    entity,
    names: [...names],
    kinds: [...kinds],
    groups: entity.startsWith(GROUP) ? [entity.slice(GROUP.length)] : [],
    environments: [],
    places,
    before: null,
    after: null,
  }))
}

/** The same with the groups and environments that they have in a document, which the changes leave as they are. */
export function namedInDocument(
  changes: readonly DocumentChange[],
  document: ConfigDocument,
): GateChange {
  const known = { document, elements: allElements(document) }
  return {
    entities: [...draftsOf(changes).values()].map((draft) => touchedBy(draft, known, known)),
  }
}

/** An entity as a change of all of it would touch it; null where the document has none of that name. */
export function wholeEntityIn(document: ConfigDocument, entity: string): TouchedEntity | null {
  const name = foldEntity(entity)
  const elements = elementsIn(document, new Set([name]))
  const [element] = elements.get(name) ?? []
  if (element === undefined) return null
  const draft: Draft = {
    entity: entityName(element),
    names: new Set([name]),
    kinds: new Set(['added', 'changed', 'removed']),
    places: [WHOLE],
  }
  return touchedBy(draft, { document, elements }, { document, elements })
}

/**
 * The change of pipelines alone upon another document that has them as they were before it; null where a merge
 * has to tell, also of what others follow from.
 */
export function changeOfSame(
  { entities }: GateChange,
  document: ConfigDocument,
): GateChange | null {
  const groups = groupKeysOf(document)
  const upon = entities.map((each) => {
    const [name = '', ...others] = each.names
    const isAlone = name.startsWith('pipeline/') && others.length === 0
    if (!isAlone || mayRunOtherwiseBy(name, each.places)) return null
    const found = wholeEntityIn(document, each.entity)
    if ((found?.before ?? null) !== each.before) return null
    if (!each.groups.every((group) => groups.has(nameKey(group)))) return null
    return { ...each, environments: found?.environments ?? each.environments }
  })
  const same = upon.flatMap((each) => each ?? [])
  return same.length === upon.length ? { entities: same } : null
}

const groupKeysOf = memoize(
  ({ configuration }: ConfigDocument): ReadonlySet<string> =>
    new Set(configuration.groups.map(({ name }) => nameKey(name))),
)

function draftsOf(changes: readonly DocumentChange[]): Map<string, Draft> {
  const drafts = new Map<string, Draft>()
  for (const change of changes) addChange(drafts, change)
  return drafts
}

function addChange(drafts: Map<string, Draft>, change: DocumentChange): void {
  const former = formerNameOf(change)
  if (former !== null) {
    const kinds = ['added', 'changed', 'removed'] as const
    return addTo(drafts, change.entity, { former, kinds, places: [WHOLE] })
  }
  const isWhole = wholeEntityWord(change) !== null
  const kind = change.kind === 'added' || change.kind === 'removed' ? change.kind : 'changed'
  addTo(drafts, change.entity, {
    kinds: isMove(change) ? ['added', 'changed', 'removed'] : [isWhole ? kind : 'changed'],
    places: isWhole && kind !== 'changed' ? [WHOLE] : placesIn(change),
  })
}

function placesIn({ kind, path, subject, from, to }: DocumentChange): readonly ChangedPlace[] {
  if (kind === 'reformatted') {
    const sort = subject === 'comments' ? 'comment' : 'layout'
    return [{ steps: [...path, subject], sort, isWhole: false }]
  }
  const place = (step: string, isWhole: boolean): ChangedPlace => {
    return { steps: [...path, step], sort: 'content', isWhole }
  }
  const isOther =
    kind === 'changed' && from !== undefined && to !== undefined && isValueWord(subject)
  if (kind === 'renamed' || isOther) {
    return [from, to].map((name) => place(`${subject} ${name}`, true))
  }
  return [place(subject, kind !== 'changed' || subject === 'content')]
}

function addTo(
  drafts: Map<string, Draft>,
  entity: string,
  found: {
    readonly former?: string
    readonly kinds: readonly TouchKind[]
    readonly places: readonly ChangedPlace[]
  },
): void {
  const key = foldEntity(entity)
  const draft = drafts.get(key) ?? {
    entity,
    names: new Set([key]),
    kinds: new Set(),
    places: [],
  }
  drafts.set(key, draft)
  if (found.former !== undefined) draft.names.add(foldEntity(found.former))
  for (const kind of found.kinds) draft.kinds.add(kind)
  draft.places.push(...found.places)
}

/** Of a document that is written otherwise as a whole, the entities are not listed one by one. */
export function isLayoutOfAll({ kind, entity, subject }: DocumentChange): boolean {
  return entity === DOCUMENT && (kind === 'reformatted' || subject === LINE_ENDINGS)
}

function addLayouts(drafts: Map<string, Draft>, { before, after }: DescribedDocuments): void {
  for (const [name, elements] of allElements(after)) {
    if (drafts.has(name)) continue
    const older = textOf(before, allElements(before).get(name) ?? [])
    if (older === textOf(after, elements)) continue
    addTo(drafts, name, { kinds: ['changed'], places: [LAYOUT] })
  }
}

function placesOf(
  drafts: ReadonlyMap<string, Draft>,
): ReadonlyMap<string, readonly ChangedPlace[]> {
  return new Map(
    [...drafts.values()].flatMap(({ names, places }) =>
      [...names].map((name) => [name, places] as const),
    ),
  )
}

/** A document with its elements by the names of entities. */
interface Searched {
  readonly document: ConfigDocument
  readonly elements: ReadonlyMap<string, readonly EntityElement[]>
}

function searched(document: ConfigDocument, drafts: readonly Draft[]): Searched {
  const names = drafts.flatMap((draft) => [...draft.names])
  return { document, elements: elementsIn(document, new Set(names)) }
}

function touchedBy(draft: Draft, before: Searched, after: Searched): TouchedEntity {
  const names = [...draft.names]
  const [older = [], newer = []] = [before, after].map(({ elements }) =>
    names.flatMap((name) => elements.get(name) ?? []),
  )
  const environments = names.flatMap((name) =>
    [before, after].flatMap(({ document }) => environmentsOf(document).get(name) ?? []),
  )
  const elements = [...older, ...newer]
  return {
    entity: draft.entity,
    names,
    kinds: [...draft.kinds],
    groups: [...new Set(elements.flatMap(groupOf))],
    environments: [...new Set(environments)],
    places: draft.places,
    before: digestIn(before.document, draft, older),
    after: digestIn(after.document, draft, newer),
  }
}

/** The group that an element is in or is. */
function groupOf({ kind, name, element }: EntityElement): readonly string[] {
  if (kind.word === 'group') return [name]
  if (kind.word !== 'pipeline' || element.parent === null) return []
  return [element.parent.attributeValue('group') ?? DEFAULT_GROUP]
}

function digestIn(
  document: ConfigDocument,
  { entity }: Draft,
  elements: readonly EntityElement[],
): string | null {
  if (entity === DOCUMENT) return hash('sha256', textAround(document))
  if (elements.length === 0) return null
  const groups = elements.flatMap(groupOf)
  return hash('sha256', [...groups, textOf(document, elements)].join('\0'))
}

function textOf(document: XmlDocument, elements: readonly EntityElement[]): string {
  return elements.map((each) => ownTextOf(document, each)).join('\0')
}

/**
 * The elements of a document by the names of entities, in folded spelling; usually one each. Those that are not
 * wanted are not placed, which would take most of the work in a large document.
 */
function elementsIn(
  { root }: XmlDocument,
  wanted?: ReadonlySet<string>,
): ReadonlyMap<string, readonly EntityElement[]> {
  const found = new Map<string, EntityElement[]>()
  const names = wanted && [...wanted].map(splitEntity)
  for (const kind of ENTITY_KINDS) {
    const own = names?.flatMap((each) => (each.kind === kind.prefix ? [each.name] : []))
    if (own?.length === 0) continue
    const keys = own && new Set(own)
    const isWanted = keys && ((name: string) => keys.has(foldNameIn(kind, name)))
    const [first] = keys ?? []
    const only = first !== undefined && keys?.size === 1 ? nameKey(first) : undefined
    for (const each of entitiesIn(root, kind, isWanted, only)) {
      addToGroup(found, foldEntity(entityName({ kind, name: each.name })), each)
    }
  }
  return found
}

/** All of them, for a document that is asked for many changes. */
const allElements = memoize((document: XmlDocument) => elementsIn(document))

/** The environments that have each pipeline. */
const environmentsOf = memoize(({ configuration }: ConfigDocument) => {
  const found = new Map<string, string[]>()
  for (const { name, pipelines } of configuration.environments) {
    for (const pipeline of pipelines) {
      addToGroup(found, `pipeline/${nameKey(pipeline.name)}`, nameKey(name))
    }
  }
  return found
})

type WrittenDocument = Pick<XmlDocument, 'source' | 'root'>

/** The text of an entity without the entities in it, each of which has a mark in its place. */
function ownTextOf(document: WrittenDocument, { kind, element }: EntityElement): string {
  if (kind.word === 'group') {
    const pipelines = childElements(element).filter(({ name }) => name === 'pipeline')
    return textWithout(document, element.span, pipelines)
  }
  if (kind.word === SERVER) return textWithout(document, element.span, entitiesOfServer(document))
  return document.source.slice(element.span.start, element.span.end)
}

/** The text of a document around all entities. */
function textAround(document: WrittenDocument): string {
  const entities = ENTITY_KINDS.flatMap((kind) => entitiesIn(document.root, kind))
  const whole = { start: 0, end: document.source.length }
  return textWithout(
    document,
    whole,
    entities.map(({ element }) => element),
  )
}

function entitiesOfServer({ root }: WrittenDocument) {
  const kinds = ENTITY_KINDS.filter(({ isOfServer, word }) => isOfServer && word !== SERVER)
  return kinds.flatMap((kind) => entitiesIn(root, kind)).map(({ element }) => element)
}

function textWithout(
  { source }: WrittenDocument,
  { start, end }: Span,
  inner: readonly { readonly span: Span }[],
): string {
  const pieces: string[] = []
  let from = start
  for (const { span } of inner.toSorted((one, other) => one.span.start - other.span.start)) {
    if (span.start < from) continue
    pieces.push(source.slice(from, span.start))
    from = span.end
  }
  return [...pieces, source.slice(from, end)].join('\0')
}
