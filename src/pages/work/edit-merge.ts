import type { DocumentChange } from '../../document/entities/change.ts'
import { summariseChanges } from '../../document/changes/summarise-changes.ts'
import type { Choice, Decision, MergeConflict } from '../../document/merge/merge-conflict.ts'
import type { MergedDocument } from '../../document/merge/merge-documents.ts'
import { followRenames, type RenamedEdits } from '../../document/merge/follow-renames.ts'
import type { MergeRenames, MergeSides } from '../../document/merge/things.ts'
import { maskSecrets } from '../../document/text/shown-text.ts'
import { readXml, type XmlDocument } from '../../document/xml/xml-reader.ts'
import { mergeEdits } from '../../configuration/save/merge-edits.ts'
import { runSync } from '../../lib/cooperative.ts'
import type { MergeRequest } from './merge-request.ts'

export interface ChoiceRequest extends MergeRequest {
  readonly choices: readonly Choice[]
}

/** A part that both sides changed. */
export interface ConflictPlace {
  /** Such as `pipeline "build" › stage "test"`. */
  readonly path: string
  readonly mine: ConflictingSide
  readonly theirs: ConflictingSide
  /** Whether the result can have what both have added. */
  readonly canBeBoth: boolean
}

/** One side's version of the part: its described changes where possible, and its text. */
export interface ConflictingSide {
  readonly changes: readonly DocumentChange[]
  readonly before: string
  readonly after: string
}

export type EditMerge =
  | {
      readonly kind: 'clean'
      readonly merged: Uint8Array<ArrayBuffer>
      readonly renames: MergeRenames
    }
  /** One of the three is no readable XML. */
  | { readonly kind: 'unreadable' }
  | {
      readonly kind: 'conflict'
      readonly places: readonly ConflictPlace[]
      /** The changes of the edit that merge cleanly. */
      readonly merged: readonly DocumentChange[]
      readonly renames: MergeRenames
    }

/** The most conflicts whose sides are described in words: each one costs two merges. */
const MAX_DESCRIBED = 20

/** Merges an edit with later changes; describes both sides of every conflict. */
export function mergeEdit(request: MergeRequest): EditMerge {
  const documents = readSides(request)
  if (documents === null) return { kind: 'unreadable' }
  const edits = runSync(followRenames(documents, { known: request.renames }))
  const merge = runSync(mergeEdits(edits))
  const { renames } = edits
  if (merge.conflicts.length === 0) return { kind: 'clean', merged: bytesOf(merge), renames }
  const places = merge.conflicts.map((conflict, n) => placeOf(edits, conflict, n))
  const merged = changesBetween(documents.theirs, merge.text)
  return { kind: 'conflict', places, merged, renames }
}

/** The merge with a choice for each conflict, in their order; null where one of the three is no readable XML. */
export function mergeByChoice({
  choices,
  ...request
}: ChoiceRequest): Uint8Array<ArrayBuffer> | null {
  const documents = readSides(request)
  if (documents === null) return null
  const edits = runSync(followRenames(documents, { known: request.renames }))
  return bytesOf(runSync(mergeEdits(edits, { decided: choices })))
}

/** Null where one of the three is no readable XML. */
export function readSides(texts: MergeSides<Uint8Array>): MergeSides<XmlDocument> | null {
  const base = runSync(readXml(texts.base))
  const ours = runSync(readXml(texts.ours))
  const theirs = runSync(readXml(texts.theirs))
  return base.ok && ours.ok && theirs.ok ? { base, ours, theirs } : null
}

function bytesOf({ text }: MergedDocument): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text))
}

function placeOf(
  edits: RenamedEdits,
  { path, base, ours, theirs, canBeBoth }: MergeConflict,
  n: number,
): ConflictPlace {
  const before = n < MAX_DESCRIBED ? read(decidedAt(edits, n, 'base')) : null
  const sideOf = (side: 'ours' | 'theirs', text: string): ConflictingSide => ({
    changes: before === null ? [] : changesBetween(before, decidedAt(edits, n, side)),
    before: maskSecrets(base.text),
    after: maskSecrets(text),
  })
  const sides = { mine: sideOf('ours', ours.text), theirs: sideOf('theirs', theirs.text) }
  return { path, ...sides, canBeBoth }
}

/** The merged text with one conflict decided, and all others as they have them. */
function decidedAt(edits: RenamedEdits, n: number, decision: Decision): string {
  const decisions = Array.from({ length: n + 1 }, (_, at) => (at === n ? decision : 'theirs'))
  return runSync(mergeEdits(edits, { decided: decisions })).text
}

function changesBetween(before: XmlDocument, after: string): readonly DocumentChange[] {
  const document = read(after)
  return document ? runSync(summariseChanges(before, document)) : []
}

function read(text: string): XmlDocument | null {
  const reading = runSync(readXml(Buffer.from(text)))
  return reading.ok ? reading : null
}
