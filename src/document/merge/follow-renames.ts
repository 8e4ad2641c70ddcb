import { type EntityElement, entityNamed } from '../entities/entities.ts'
import { applySplices, type Splice } from '../edit/splice.ts'
import { readXml, type XmlDocument } from '../xml/xml-reader.ts'
import type { Span } from '../xml/xml-tree.ts'
import { foldedName, type RenamedEntity, renamedEntities, renamesOf } from './entity-renames.ts'
import { isPlainName, referencesIn } from './references.ts'
import { type Editor, type MergeRenames, type MergeSides, NO_RENAMES } from './things.ts'

/** Two edits of a document, and the entities that each of them has renamed. */
export interface RenamedEdits {
  /** Where one edit has renamed an entity, the base and the other edit have its new name, too. */
  readonly documents: MergeSides<XmlDocument>
  /** The other renames: of what the other edit has not, or has renamed itself. */
  readonly left: MergeRenames
  /** All of them. */
  readonly renames: MergeRenames
  readonly followsLikely: boolean
}

interface Following {
  /** The renames that are known beforehand; none when absent. */
  readonly known?: MergeRenames
  /**
   * Whether the likeliest is followed where another thing could be meant, which is for merges that somebody looks at;
   * not when absent.
   */
  readonly followsLikely?: boolean
}

/**
 * Prepares two edits for their merge, in steps. Renames are known beforehand or recognised as by a summary of the changes. What one has renamed gets its new name in the base and in the other,
 * with the references to it. So the other edit goes to the same thing, and what it refers to is still there.
 */
export function* followRenames(
  documents: MergeSides<XmlDocument>,
  { known = NO_RENAMES, followsLikely = false }: Following = {},
): Generator<unknown, RenamedEdits> {
  const before = documents.base
  const renamed = {
    ours: yield* renamedEntities({
      before,
      after: documents.ours,
      renames: known.ours,
      followsLikely,
    }),
    theirs: yield* renamedEntities({
      before,
      after: documents.theirs,
      renames: known.theirs,
      followsLikely,
    }),
  }
  const renames = { ours: renamesOf(renamed.ours), theirs: renamesOf(renamed.theirs) }
  const names = new Set([...renamed.ours, ...renamed.theirs].map((each) => foldedName(each.before)))
  const found = {
    documents,
    references: {
      base: yield* referencesOf(documents.base, names),
      ours: yield* referencesOf(documents.ours, names),
      theirs: yield* referencesOf(documents.theirs, names),
    },
  }
  const splices: MergeSides<Splice[]> = { base: [], ours: [], theirs: [] }
  const left = { ours: [...renamed.ours], theirs: [...renamed.theirs] }
  for (const side of ['ours', 'theirs'] as const) {
    const other = side === 'ours' ? 'theirs' : 'ours'
    const isRenamedTwice = namedIn(renamed[other].map((each) => each.before))
    left[side] = renamed[side].filter((each) => {
      if (isRenamedTwice(each.before)) return true
      const spelled = newNames(found, each, { side, other })
      splices.base.push(...(spelled?.base ?? []))
      splices[other].push(...(spelled?.other ?? []))
      return spelled === null
    })
  }
  return {
    documents: {
      base: yield* respelled(documents.base, splices.base),
      ours: yield* respelled(documents.ours, splices.ours),
      theirs: yield* respelled(documents.theirs, splices.theirs),
    },
    left: { ours: renamesOf(left.ours), theirs: renamesOf(left.theirs) },
    renames,
    followsLikely,
  }
}

/** The documents of two edits, and the places in each that refer to entities. */
interface ReferringDocuments {
  readonly documents: MergeSides<XmlDocument>
  readonly references: MergeSides<ReadonlyMap<string, readonly Span[]>>
}

function* referencesOf(
  document: XmlDocument,
  names: ReadonlySet<string>,
): Generator<unknown, ReadonlyMap<string, readonly Span[]>> {
  return names.size === 0 ? new Map() : yield* referencesIn(document, names)
}

/**
 * The new name of an entity wherever the base and the other edit have its former one; null where it cannot be told
 * that they mean the entity, and where nothing refers to it.
 */
function newNames(
  { documents, references }: ReferringDocuments,
  { before, after }: RenamedEntity,
  { side, other }: Readonly<Record<'side' | 'other', Editor>>,
): { readonly base: readonly Splice[]; readonly other: readonly Splice[] } | null {
  const { kind } = before
  if (!isPlainName(before.name) || !isPlainName(after.name)) return null
  const sides = [documents.base, documents[other]]
  if (sides.some(({ root }) => entityNamed(root, kind, after.name) !== null)) return null
  const standing = entityNamed(documents[other].root, kind, before.name)
  const name = foldedName(before)
  if (standing === null || references[side].has(name)) return null
  const referring = [references.base.get(name) ?? [], references[other].get(name) ?? []]
  if (referring.every((found) => found.length === 0)) return null
  const [base = [], others = []] = [before, standing].map((entity, n) => {
    const definition = entity.element.attributes.get(kind.by.slice(1))?.valueSpan
    const spans = [...(definition ? [definition] : []), ...(referring[n] ?? [])]
    return spans.map(({ start, end }) => ({ start, end, text: after.name }))
  })
  return { base, other: others }
}

function namedIn(entities: readonly EntityElement[]): (entity: EntityElement) => boolean {
  const names = new Set(entities.map(foldedName))
  return (entity) => names.has(foldedName(entity))
}

function* respelled(
  document: XmlDocument,
  splices: readonly Splice[],
): Generator<unknown, XmlDocument> {
  if (splices.length === 0) return document
  const reading = yield* readXml(Buffer.from(applySplices(document.text, splices)))
  return reading.ok ? reading : document
}
