import type { DocumentChange } from '../../document/entities/change.ts'
import { summariseChanges } from '../../document/changes/summarise-changes.ts'
import { maskSecrets } from '../../document/text/shown-text.ts'
import { readXml } from '../../document/xml/xml-reader.ts'
import { bytesOf, splitLines } from '../../diff/lines.ts'
import { type Conflict, mergeByChoice, mergeTexts } from '../../diff/merge.ts'
import { runSync } from '../../lib/cooperative.ts'

/** The base of an edit, its result, and what has been saved since. */
export interface MergeRequest {
  readonly base: Uint8Array
  readonly ours: Uint8Array
  readonly theirs: Uint8Array
}

/** Lines that both sides changed. */
export interface ConflictPlace {
  readonly mine: ConflictingSide
  readonly theirs: ConflictingSide
}

/** One side's version of the lines: its described changes where possible, and its text. */
export interface ConflictingSide {
  readonly changes: readonly DocumentChange[]
  readonly before: string
  readonly after: string
}

export type EditMerge =
  | { readonly kind: 'clean'; readonly merged: Uint8Array<ArrayBuffer> }
  | {
      readonly kind: 'conflict'
      readonly places: readonly ConflictPlace[]
      /** The changes of the edit that merge cleanly. Null when they cannot be described. */
      readonly merged: readonly DocumentChange[] | null
    }

/** Merges an edit with later changes; describes both sides of every conflict. */
export function mergeEdit(texts: MergeRequest): EditMerge {
  const merge = mergeTexts(texts)
  if (merge.clean) return { kind: 'clean', merged: new Uint8Array(merge.merged) }
  const places = merge.conflicts.map((conflict) => ({
    mine: sideOf(texts.base, conflict, conflict.ours.bytes),
    theirs: sideOf(texts.base, conflict, conflict.theirs.bytes),
  }))
  const rest = mergeByChoice(
    texts,
    merge.conflicts.map(() => 'theirs'),
  )
  return { kind: 'conflict', places, merged: changesBetween(texts.theirs, rest) }
}

function sideOf(base: Uint8Array, conflict: Conflict, side: Uint8Array): ConflictingSide {
  return {
    changes: changesBetween(base, withLines(base, conflict, side)) ?? [],
    before: shown(conflict.base.bytes),
    after: shown(side),
  }
}

/** The base document with the lines of the conflict from one side. */
function withLines(base: Uint8Array, { base: { lines } }: Conflict, side: Uint8Array): Uint8Array {
  const all = splitLines(base)
  return Buffer.concat([
    bytesOf(all, { start: 0, end: lines.start }),
    side,
    bytesOf(all, { start: lines.end, end: all.count }),
  ])
}

function changesBetween(before: Uint8Array, after: Uint8Array): readonly DocumentChange[] | null {
  const [old, now] = [runSync(readXml(before)), runSync(readXml(after))]
  return old.ok && now.ok ? runSync(summariseChanges(old, now)) : null
}

function shown(bytes: Uint8Array): string {
  return maskSecrets(Buffer.from(bytes).toString('utf8'))
}
