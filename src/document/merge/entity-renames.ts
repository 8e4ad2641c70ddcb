import { type EntityRenames, matchEntities, writtenWithout } from '../compare/compare-entities.ts'
import { contentOf } from '../compare/content.ts'
import { likenessOf } from '../compare/similar.ts'
import {
  ENTITY_KINDS,
  type EntityElement,
  entitiesIn,
  entityKey,
  entityName,
  foldEntity,
} from '../entities/entities.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import { clearPairs } from './clear-pairs.ts'
import { isRecognised } from './recognised.ts'

/** An entity that an edit has given another name: as it was, and as it is. */
export interface RenamedEntity {
  readonly before: EntityElement
  readonly after: EntityElement
}

/** The two documents of an edit, and the renames in it that are known. */
export interface ComparedEdit {
  readonly before: XmlDocument
  readonly after: XmlDocument
  readonly renames: EntityRenames
  /** Whether the likeliest is renamed where another could be meant. */
  readonly followsLikely: boolean
}

const NAMED_KINDS = ENTITY_KINDS.filter(({ by, isExact }) => by.startsWith('@') && !isExact)

/**
 * The entities that an edit has renamed, as a summary of its changes names them, in steps. As a rule, those for which
 * another one could be meant as well are none, nor is what may be another thing of the same form.
 */
export function* renamedEntities(edit: ComparedEdit): Generator<unknown, readonly RenamedEntity[]> {
  const renamed: RenamedEntity[] = []
  const isKnown = knownIn(edit.renames)
  for (const kind of NAMED_KINDS) {
    const before = entitiesIn(edit.before.root, kind)
    yield
    const lists = { before, after: entitiesIn(edit.after.root, kind) }
    const { pairs, removed, added } = yield* matchEntities(edit, kind, lists)
    const others = pairs.filter(([one, other]) => entityKey(one) !== entityKey(other))
    const recognised = others.filter((pair) => !isKnown(pair))
    const exchanged = {
      gone: [...removed, ...recognised.map(([one]) => one)],
      come: [...added, ...recognised.map(([, other]) => other)],
    }
    const isOld = new Set(before)
    const textOf = (entity: EntityElement) =>
      isOld.has(entity) ? edit.before.text : edit.after.text
    const attribute = kind.by.slice(1)
    const clear = clearPairs(recognised, exchanged, {
      formOf: (entity) => writtenWithout(textOf(entity), entity, attribute),
      likeness: (one, other) => likenessOf(writtenIn(textOf, one), writtenIn(textOf, other)),
    })
    const isSame = ([one, other]: readonly [EntityElement, EntityElement]) =>
      contentOf(one.element, attribute) === contentOf(other.element, attribute) ||
      isRecognised(
        { text: edit.before.text, element: one.element },
        { text: edit.after.text, element: other.element },
      )
    const followed = edit.followsLikely
      ? others
      : [...others.filter(isKnown), ...clear].filter(isSame)
    for (const [one, other] of followed) renamed.push({ before: one, after: other })
  }
  return renamed
}

/** The renames by name, in folded spelling. */
export function renamesOf(renamed: readonly RenamedEntity[]): EntityRenames {
  return renamed.map(({ before, after }) => [foldedName(before), foldedName(after)])
}

export function foldedName(entity: EntityElement): string {
  return foldEntity(entityName(entity))
}

function knownIn(renames: EntityRenames) {
  const known = new Map(renames)
  return ([one, other]: readonly [EntityElement, EntityElement]) =>
    known.get(foldedName(one)) === foldedName(other)
}

function writtenIn(textOf: (entity: EntityElement) => string, entity: EntityElement): string {
  const { start, end } = entity.element.span
  return textOf(entity).slice(start, end)
}
