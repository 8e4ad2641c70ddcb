import type { TextSource } from '../text/text-source.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { compareElements } from './compare-elements.ts'
import { compareText } from './compare-attributes.ts'
import { commentsOf, contentOf } from './content.ts'
import type { DocumentChange } from '../entities/change.ts'
import {
  type EntityElement,
  entityKey,
  entityLabel,
  type EntityDefinition,
  entityName,
  foldEntity,
} from '../entities/entities.ts'
import { RelocatedElement } from '../incremental/relocated-element.ts'
import { type Matching, refine } from './match.ts'
import {
  type ComparisonScope,
  isWrittenAlike,
  lineCount,
  type Pair,
  rangeOf,
  rangesOf,
  type Scope,
  scopeOf,
} from './scope.ts'
import { matchSimilar } from './similar.ts'

/** Above so many characters, renamed entities are recognised only with identical layout. */
const MAX_CONTENT_LENGTH = 256 * 1024

export type EntityMatching = Matching<EntityElement>

/** The former and the later names of renamed entities, in folded spelling. */
export type EntityRenames = readonly (readonly [former: string, name: string])[]

/** Matches the entities of one kind in both documents, renamed ones too, in small steps. */
export function* matchEntities(
  documents: Pick<ComparisonScope, 'before' | 'after'> & { readonly renames: EntityRenames },
  kind: EntityDefinition,
  {
    before,
    after,
  }: { readonly before: readonly EntityElement[]; readonly after: readonly EntityElement[] },
): Generator<unknown, EntityMatching> {
  const isOld = new Set(before)
  const known = matchRenamed(before, after, documents.renames)
  const named = refine(known, entityKey)
  yield
  if (!kind.by.startsWith('@') || kind.isExact) return named
  const attribute = kind.by.slice(1)
  const textOf = (entity: EntityElement) =>
    (isOld.has(entity) ? documents.before : documents.after).source
  const written = refine(named, (entity) => writtenWithout(textOf(entity), entity, attribute))
  yield
  const equal = isTooMuch(written)
    ? written
    : refine(written, ({ element }) => (isEmpty(element) ? null : contentOf(element, attribute)))
  yield
  const similar = matchSimilar(equal.removed, equal.added, (entity) => {
    const { start, end } = entity.element.span
    return textOf(entity).slice(start, end)
  })
  return { ...similar, pairs: [...equal.pairs, ...similar.pairs] }
}

/** Matches the entities of which it is known that they were renamed. */
function matchRenamed(
  before: readonly EntityElement[],
  after: readonly EntityElement[],
  renames: EntityRenames,
): EntityMatching {
  if (renames.length === 0) return { pairs: [], removed: before, added: after }
  const [nameOf, later] = [
    (entity: EntityElement) => foldEntity(entityName(entity)),
    new Map(renames),
  ]
  const names = new Map(after.map((entity) => [nameOf(entity), entity]))
  const pairs = before.flatMap((entity) => {
    const renamed = names.get(later.get(nameOf(entity)) ?? '')
    return renamed === undefined ? [] : [[entity, renamed] as const]
  })
  const matched = new Set(pairs.flat())
  const isLeft = (entity: EntityElement) => !matched.has(entity)
  return { pairs, removed: before.filter(isLeft), added: after.filter(isLeft) }
}

/** The text of an entity without its name; null when nothing else is in it. */
export function writtenWithout(
  text: TextSource,
  { element }: EntityElement,
  attribute: string,
): string | null {
  if (isEmpty(element)) return null
  const { start, end } = element.span
  const name = element.attributes.get(attribute)?.valueSpan ?? { start, end: start }
  return `${text.slice(start, name.start)}\n${text.slice(name.end, end)}`
}

function isEmpty({ openTag, closeTag }: XmlElement): boolean {
  return closeTag === null || closeTag.start === openTag.end
}

/** Whether so much was renamed that only identical texts are matched. */
function isTooMuch({ removed, added }: EntityMatching): boolean {
  const sizes = [...removed, ...added].map(({ element: { span } }) => span.end - span.start)
  return sizes.reduce((sum, size) => sum + size, 0) > MAX_CONTENT_LENGTH
}

/** Reports every change of the entities of one kind, one after the other. */
export function* compareEntities(
  documents: ComparisonScope,
  { pairs, removed, added }: EntityMatching,
): Generator<void, void> {
  for (const entity of removed)
    yield documents.report(addedOrRemoved(documents.before, 'removed', entity))
  for (const [before, after] of pairs) yield compareEntity(documents, before, after)
  for (const entity of added)
    yield documents.report(addedOrRemoved(documents.after, 'added', entity))
}

/** Reports an entity that is in one document only. */
export function addedOrRemoved(
  document: XmlDocument,
  kind: 'added' | 'removed',
  entity: EntityElement,
): DocumentChange {
  const range = rangeOf(document, entity.element.span)
  return {
    kind,
    entity: entityName(entity),
    label: entityLabel(entity),
    path: [],
    subject: spokenName(entity),
    ...lineCount(range),
    [kind === 'added' ? 'after' : 'before']: range,
  }
}

/** `pipeline checkout`, or the word alone where there is but one. */
function spokenName(entity: EntityElement): string {
  const { kind } = entity
  const label = entityLabel(entity)
  return label === kind.word ? kind.word : `${kind.word} ${label}`
}

function compareEntity(
  documents: ComparisonScope,
  before: EntityElement,
  after: EntityElement,
): void {
  const whole = { before: before.element, after: after.element }
  if (isWrittenAlike(documents, whole)) return
  if (documents.isLong() && !documents.holders.has(whole.after)) {
    return documents.report(contentChange(documents, whole, after))
  }
  const pair = {
    before: RelocatedElement.copyOf(whole.before),
    after: RelocatedElement.copyOf(whole.after),
  }
  const scope = scopeOf(documents, { entity: entityName(after), label: entityLabel(after) })
  const covered = reportName(scope, before, after)
  if (after.kind.by === '#text') compareText(scope, pair, [])
  compareElements(scope, pair, { path: [], covered })
  reportForm(scope, pair, scope.changes() === 0)
}

function contentChange(
  documents: ComparisonScope,
  pair: Pair,
  entity: EntityElement,
): DocumentChange {
  return {
    kind: 'changed',
    entity: entityName(entity),
    label: entityLabel(entity),
    path: [],
    subject: 'content',
    ...rangesOf(documents, { before: pair.before.span, after: pair.after.span }),
  }
}

/**
 * Reports a rename. Returns the attributes it covers. Names are not shortened, so that later
 * renames can be traced. An agent is identified by its uuid and named by its host.
 */
function reportName(scope: Scope, before: EntityElement, after: EntityElement): readonly string[] {
  const isLabelled = after.kind.labelledBy !== null
  const [from, to] = isLabelled
    ? [entityLabel(before), entityLabel(after)]
    : [before.name, after.name]
  if (from === to) return []
  scope.report({
    kind: 'renamed',
    entity: scope.entity,
    label: scope.label,
    path: [],
    subject: after.kind.word,
    from,
    to,
    ...rangesOf(scope, { before: before.element.openTag, after: after.element.openTag }),
  })
  return [after.kind.labelledBy ?? after.kind.by.slice(1)]
}

/** Reports changed comments or, when nothing else has changed, the layout. */
export function reportForm(scope: Scope, pair: Pair, isNothingElse: boolean): void {
  const older = commentsOf(scope.before.source, pair.before, scope.entities)
  const newer = commentsOf(scope.after.source, pair.after, scope.entities)
  const hasOtherComments = older.join('\n') !== newer.join('\n')
  // Around other entities white space comes and goes with them.
  const isHolder = [pair.before, pair.after].some((element) => scope.holders.has(element))
  const mayBeLayout = isNothingElse && !isHolder
  if (!hasOtherComments && !mayBeLayout) return
  scope.report({
    kind: 'reformatted',
    entity: scope.entity,
    label: scope.label,
    path: [],
    subject: hasOtherComments ? 'comments' : 'layout',
    ...rangesOf(scope, { before: pair.before.span, after: pair.after.span }),
  })
}
