import type { MergeRenames } from '../../document/merge/things.ts'
import type { MergeConflict } from '../../document/merge/merge-conflict.ts'
import { mergeEdits } from '../../configuration/save/merge-edits.ts'
import { runSync } from '../../lib/cooperative.ts'
import { type MergeRequest, readSides } from './edit-merge.ts'

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

export interface UndoRequest extends MergeRequest {
  /** The renames that the history knows, which are followed. */
  readonly renames: MergeRenames
}

/** Undoes a change: of its result and two edits, one is the document before it, the other the current one. */
export function undoChange({ renames, ...texts }: UndoRequest): Undoing {
  const documents = readSides(texts)
  if (documents === null) return { kind: 'unreadable' }
  const { text, conflicts } = runSync(mergeEdits(documents, { renames }))
  const contested = conflicts.map(({ path, entity }) => ({ path, entity }))
  return { kind: 'undone', document: new Uint8Array(Buffer.from(text)), contested }
}
