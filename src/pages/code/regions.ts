import type { ChangedRange, EditScript } from '../../diff/edit-script.ts'
import { type Hunk, hunksOf } from '../../diff/hunks.ts'
import type { LineRange } from '../../diff/lines.ts'

/** Lines that are shown together: unchanged ones, or those of one change. */
export interface Block {
  readonly before: LineRange
  readonly after: LineRange
  /** The number of the change, from 1; null for unchanged lines. */
  readonly change: number | null
  /** Whether it continues a change that is too long for one block. */
  readonly isContinued: boolean
}

/** A part of a diff with a table of its own. */
export interface DiffRegion {
  /** The hunk of the diff that it belongs to, counted from 0. */
  readonly hunk: number
  readonly blocks: readonly Block[]
  /** Hidden unchanged lines above and, after the last region, below. */
  readonly hiddenAbove: number
  readonly hiddenBelow: number
  /** Whether it continues the previous region, which would be too long otherwise. */
  readonly isContinued: boolean
}

export interface RegionOptions {
  /** Unchanged lines around a change; infinite for the whole file. */
  readonly context: number
  /**
   * The hunks with expanded lines above; the number after the last hunk means the lines below it.
   */
  readonly expanded: ReadonlySet<number>
}

/** The limit of lines of one side in a block; a region has room for one, and for the lines around it. */
const MAX_BLOCK_LINES = 150
const MAX_REGION_LINES = 170
/** One expansion shows at most this many lines. */
const MAX_EXPANDED = 400

/** The parts of a diff in order, none of them much longer than a page. */
export function regionsOf(script: EditScript, options: RegionOptions): DiffRegion[] {
  const numbers = new Map(script.changes.map((change, n) => [change, n + 1]))
  const hunks = hunksOf(script, options.context)
  let end = 0
  return hunks.flatMap((hunk, n) => {
    const gap = hunk.after.start - end
    end = hunk.after.end
    const rest = n === hunks.length - 1 ? script.after.count - end : 0
    const above = options.expanded.has(n) ? Math.min(gap, MAX_EXPANDED) : 0
    const below = options.expanded.has(n + 1) ? Math.min(rest, MAX_EXPANDED) : 0
    const parts = split(blocksOf(hunk, { above, below }, numbers))
    return parts.map((blocks, part) => ({
      hunk: n,
      blocks,
      hiddenAbove: part === 0 ? gap - above : 0,
      hiddenBelow: part === parts.length - 1 ? rest - below : 0,
      isContinued: part > 0,
    }))
  })
}

function blocksOf(
  hunk: Hunk,
  { above, below }: { readonly above: number; readonly below: number },
  numbers: ReadonlyMap<ChangedRange, number>,
): Block[] {
  const blocks: Block[] = []
  let at = { before: hunk.before.start - above, after: hunk.after.start - above }
  for (const change of hunk.changes) {
    blocks.push(unchanged(at, change.after.start - at.after))
    blocks.push({ ...change, change: numbers.get(change) ?? null, isContinued: false })
    at = { before: change.before.end, after: change.after.end }
  }
  blocks.push(unchanged(at, hunk.after.end + below - at.after))
  return blocks.flatMap(cut)
}

function unchanged(at: { before: number; after: number }, count: number): Block {
  return {
    before: { start: at.before, end: at.before + count },
    after: { start: at.after, end: at.after + count },
    change: null,
    isContinued: false,
  }
}

/** Splits a long block; lines at the same position of both sides stay together. */
function cut(block: Block): Block[] {
  const pieces = Math.ceil(rowCountOf(block) / MAX_BLOCK_LINES)
  if (pieces === 1) return [block]
  return Array.from({ length: pieces }, (_, n) => ({
    ...block,
    before: piece(block.before, n),
    after: piece(block.after, n),
    isContinued: n > 0,
  }))
}

function piece({ start, end }: LineRange, n: number): LineRange {
  const from = Math.min(end, start + n * MAX_BLOCK_LINES)
  return { start: from, end: Math.min(end, from + MAX_BLOCK_LINES) }
}

function split(blocks: readonly Block[]): Block[][] {
  const parts: Block[][] = [[]]
  let rows = 0
  for (const block of blocks) {
    const taken = rowCountOf(block)
    if (rows > 0 && rows + taken > MAX_REGION_LINES) {
      parts.push([])
      rows = 0
    }
    rows += taken
    parts.at(-1)?.push(block)
  }
  return parts
}

/** The approximate number of rows of a block. */
export function rowCountOf({ before, after }: Block): number {
  return Math.max(before.end - before.start, after.end - after.start)
}
