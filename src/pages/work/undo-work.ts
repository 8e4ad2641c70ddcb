import { followRenames } from '../../document/merge/follow-renames.ts'
import type { MergeConflict } from '../../document/merge/merge-conflict.ts'
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

/** Undoes a change: of its result and two edits, one is the document before it, the other the current one. */
export function undoChange(request: MergeRequest): Undoing {
  const documents = readSides(request)
  if (documents === null) return { kind: 'unreadable' }
  const following = { known: request.renames, followsLikely: true }
  const edits = runSync(followRenames(documents, following))
  const { text, conflicts } = runSync(mergeEdits(edits))
  const contested = conflicts.map(({ path, entity }) => ({ path, entity }))
  return { kind: 'undone', document: new Uint8Array(Buffer.from(text)), contested }
}
