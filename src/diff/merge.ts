import { type ChangedRange, type EditScript, editScript } from './edit-script.ts'
import { bytesOf, type LineRange } from './lines.ts'

/** The three texts of a merge: the base, and the two edits of it. */
export interface MergeInput {
  readonly base: Uint8Array
  readonly ours: Uint8Array
  readonly theirs: Uint8Array
}

export type Merge =
  | { readonly clean: true; readonly merged: Uint8Array<ArrayBuffer> }
  | { readonly clean: false; readonly conflicts: readonly Conflict[] }

/** Lines of the base that both sides changed, each in its own way. */
export interface Conflict {
  readonly base: ConflictSide
  readonly ours: ConflictSide
  readonly theirs: ConflictSide
}

export interface ConflictSide {
  readonly lines: LineRange
  readonly bytes: Uint8Array
}

/**
 * Merges two edits of one text line by line, with the verdicts of `git merge-file`:
 * edits that touch are a conflict, unless both sides made the same of these lines.
 */
export function mergeTexts({ base, ours, theirs }: MergeInput): Merge {
  const sides = {
    ours: editScript(base, ours, MERGING),
    theirs: editScript(base, theirs, MERGING),
  }
  const regions = regionsOf(sides)
  const conflicts = regions.filter((region) => isConflict(region))
  if (conflicts.length > 0) return { clean: false, conflicts: conflicts.map(bothSides) }
  return { clean: true, merged: join(sides.ours, regions) }
}

const MERGING = { sliding: 'down' } as const

interface MergeScripts {
  readonly ours: EditScript
  readonly theirs: EditScript
}

/** Touching changes of both sides, with the lines of the base and of each side in their place. */
interface MergeRegion extends Conflict {
  readonly changedBy: { readonly ours: boolean; readonly theirs: boolean }
}

interface Edit extends ChangedRange {
  readonly side: keyof MergeScripts
}

function regionsOf(sides: MergeScripts): MergeRegion[] {
  const shift = { ours: 0, theirs: 0 }
  return groupsOf(sides).map((group) => {
    const start = Math.min(...group.map(({ before }) => before.start))
    const end = Math.max(...group.map(({ before }) => before.end))
    const sideOf = (side: keyof MergeScripts): ConflictSide => {
      const from = start + shift[side]
      shift[side] += growth(group.filter((edit) => edit.side === side))
      const lines = { start: from, end: end + shift[side] }
      return { lines, bytes: bytesOf(sides[side].after, lines) }
    }
    return {
      base: { lines: { start, end }, bytes: bytesOf(sides.ours.before, { start, end }) },
      ours: sideOf('ours'),
      theirs: sideOf('theirs'),
      changedBy: {
        ours: group.some(({ side }) => side === 'ours'),
        theirs: group.some(({ side }) => side === 'theirs'),
      },
    }
  })
}

/** The changes of both sides in order of the base, grouped where they touch. */
function groupsOf({ ours, theirs }: MergeScripts): Edit[][] {
  const edits = [
    ...ours.changes.map((change): Edit => ({ ...change, side: 'ours' })),
    ...theirs.changes.map((change): Edit => ({ ...change, side: 'theirs' })),
  ].toSorted((a, b) => a.before.start - b.before.start || a.before.end - b.before.end)
  const groups: Edit[][] = []
  let end = -1
  for (const edit of edits) {
    const group = groups.at(-1)
    if (group && edit.before.start <= end) group.push(edit)
    else groups.push([edit])
    end = Math.max(end, edit.before.end)
  }
  return groups
}

function growth(edits: readonly Edit[]): number {
  return edits.reduce(
    (sum, { before, after }) => sum + after.end - after.start - (before.end - before.start),
    0,
  )
}

function isConflict({ changedBy, ours, theirs }: MergeRegion): boolean {
  return changedBy.ours && changedBy.theirs && Buffer.compare(ours.bytes, theirs.bytes) !== 0
}

function bothSides({ base, ours, theirs }: MergeRegion): Conflict {
  return { base, ours, theirs }
}

function join({ before }: EditScript, regions: readonly MergeRegion[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = []
  let at = 0
  for (const { base, ours, theirs, changedBy } of regions) {
    pieces.push(bytesOf(before, { start: at, end: base.lines.start }))
    pieces.push(changedBy.ours ? ours.bytes : theirs.bytes)
    at = base.lines.end
  }
  pieces.push(bytesOf(before, { start: at, end: before.count }))
  return Buffer.concat(pieces)
}
