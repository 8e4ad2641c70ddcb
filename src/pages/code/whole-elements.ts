import type { ChangedRange, EditScript } from '../../diff/edit-script.ts'
import { lineSpan, type TextLines } from '../../document/text/text-lines.ts'
import type { Texts } from './placed-regions.ts'

/** The maximal distance that a run of changed lines is moved by. */
const FURTHEST = 40
/** Longer runs are not moved; with more changes than this, none is. */
const MAX_RUN_LINES = 400
const MAX_CHANGES = 2_000

const TAGS = /<(\/?)[A-Za-z_][^<>]*?(\/?)>/g

/**
 * Moves added or removed runs of lines to positions where they are whole elements, if the text
 * stays the same: `<a>…</a>`, not `…</a><a>`. A run that follows replaced lines leaves them for that.
 */
export function withWholeElements(script: EditScript, texts: Texts): EditScript {
  if (script.changes.length > MAX_CHANGES) return script
  const changes: ChangedRange[] = []
  for (const [n, change] of script.changes.entries()) {
    const below = script.changes[n + 1]
    const [replaced, run] = withoutReplaced(change)
    const isEmpty = replaced.after.start === replaced.after.end
    const side = run.before.start === run.before.end ? 'after' : 'before'
    const above = changes.at(-1)
    const room = {
      up: isEmpty ? run[side].start - (above?.[side].end ?? 0) - (above ? 1 : 0) : 0,
      down: (below?.[side].start ?? script[side].count) - run[side].end - (below ? 1 : 0),
    }
    const by = offsetOf(texts[side], run[side], room)
    if (isEmpty) changes.push(moved(run, by))
    else changes.push(...(by === 0 ? [change] : [replaced, moved(run, by)]))
  }
  return { ...script, changes }
}

/** The lines that replace as many others, and those that are more than that. */
function withoutReplaced({ before, after }: ChangedRange): [ChangedRange, ChangedRange] {
  const size = Math.min(before.end - before.start, after.end - after.start)
  const at = { before: before.start + size, after: after.start + size }
  return [
    {
      before: { start: before.start, end: at.before },
      after: { start: after.start, end: at.after },
    },
    { before: { start: at.before, end: before.end }, after: { start: at.after, end: after.end } },
  ]
}

/** The distance that turns a run of lines into whole elements; 0 if it is whole or cannot be. */
function offsetOf(
  lines: TextLines,
  { start, end }: ChangedRange['after'],
  room: { readonly up: number; readonly down: number },
): number {
  if (end - start > MAX_RUN_LINES) return 0
  const line = (n: number) => {
    const span = lineSpan(lines, n)
    return lines.text.slice(span.start, span.end)
  }
  const isWhole = (by: number) => {
    let depth = 0
    for (let n = start + by; n < end + by; n += 1) {
      for (const [, close, empty] of line(n).matchAll(TAGS)) {
        depth += close === '/' ? -1 : empty === '/' ? 0 : 1
        if (depth < 0) return false
      }
    }
    return depth === 0
  }
  if (isWhole(0)) return 0
  for (let by = 1; by <= Math.min(room.up, FURTHEST); by += 1) {
    if (line(start - by) !== line(end - by)) break
    if (isWhole(-by)) return -by
  }
  for (let by = 1; by <= Math.min(room.down, FURTHEST); by += 1) {
    if (line(start + by - 1) !== line(end + by - 1)) break
    if (isWhole(by)) return by
  }
  return 0
}

function moved({ before, after }: ChangedRange, by: number): ChangedRange {
  return {
    before: { start: before.start + by, end: before.end + by },
    after: { start: after.start + by, end: after.end + by },
  }
}
