import { removeEntity } from '../../document/edit/entity-edits.ts'
import { type EntityNames, restoreEntityIn } from '../../document/edit/restore-entity.ts'
import { type EntityElement, entityOf, findNamedEntity } from '../../document/entities/entities.ts'
import { followRenames } from '../../document/merge/follow-renames.ts'
import type { MergeConflict } from '../../document/merge/merge-conflict.ts'
import type { MergeSides } from '../../document/merge/things.ts'
import { readXml, type XmlDocument } from '../../document/xml/xml-reader.ts'
import { mergeEdits } from '../../configuration/save/merge-edits.ts'
import { runSync } from '../../lib/cooperative.ts'
import { readSides } from './edit-merge.ts'
import type { MergeRequest } from './merge-request.ts'

/** The current document without a change, or as much of it as nobody has changed since. */
export type Undoing =
  | {
      readonly kind: 'undone'
      readonly document: Uint8Array<ArrayBuffer>
      /** The parts that have changed since, and stay as they are. */
      readonly contested: readonly ContestedPart[]
    }
  /** One of the documents is no readable XML. */
  | { readonly kind: 'unreadable' }

export type ContestedPart = Pick<MergeConflict, 'path' | 'entity'>

/** A change that is undone, the whole of it or that of one entity. */
export interface UndoRequest extends MergeRequest {
  /** The entity by its names after the change and before it; null for the whole change. */
  readonly only: EntityNames | null
}

/** Undoes a change: of its result and two edits, one is the document before it, the other the current one. */
export function undoChange({ only, ...request }: UndoRequest): Undoing {
  const sides = readSides(request)
  if (sides === null) return { kind: 'unreadable' }
  const ours = only === null ? sides.ours : withEntityOf(sides, only)
  const documents = { ...sides, ours }
  // Of one entity, the names of others stay as the change has made them.
  const renamed = request.renames.ours.filter(([, former]) => findNamedEntity(ours.root, former))
  const following = { known: { ...request.renames, ours: renamed }, followsLikely: only === null }
  const edits = runSync(followRenames(documents, following))
  const { text, conflicts } = runSync(mergeEdits(edits))
  const contested = conflicts.map(({ path, entity }) => ({ path, entity }))
  return { kind: 'undone', document: new Uint8Array(Buffer.from(text)), contested }
}

/** The document after a change, with one entity where and as it was before it. */
function withEntityOf({ base, ours }: MergeSides<XmlDocument>, names: EntityNames): XmlDocument {
  const [now, past] = [
    findNamedEntity(base.root, names.now),
    findNamedEntity(ours.root, names.past),
  ]
  const isElsewhere = now !== null && holderOf(now) !== (past && holderOf(past))
  const without = now !== null && isElsewhere ? reread(removeEntity(base, now)) : base
  if (past === null) return without
  return reread(restoreEntityIn({ current: without, older: ours }, names) ?? without.text)
}

/** The group of a pipeline by its key; the list that another entity is in. */
function holderOf({ element: { parent } }: EntityElement): string {
  return parent === null ? '' : (entityOf(parent)?.name ?? parent.name)
}

/** Reads a document again after an edit of ours, which leaves it readable. */
function reread(text: string): XmlDocument {
  const document = runSync(readXml(Buffer.from(text)))
  if (!document.ok) throw new Error('An edit has made the document unreadable')
  return document
}
