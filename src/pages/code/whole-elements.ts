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
 * stays the same: `<a>…</a>`, not `…</a><a>`.
 */
export function withWholeElements(script: EditScript, texts: Texts): EditScript {
  const { changes } = script
  if (changes.length > MAX_CHANGES) return script
  return {
    ...script,
    changes: changes.map((change, n) => {
      const above = changes[n - 1]
      const below = changes[n + 1]
      const isAddition = change.before.start === change.before.end
      const side = isAddition ? 'after' : 'before'
      if (!isAddition && change.after.start !== change.after.end) return change
      const room = {
        up: change[side].start - (above?.[side].end ?? 0) - (above ? 1 : 0),
        down: (below?.[side].start ?? script[side].count) - change[side].end - (below ? 1 : 0),
      }
      return moved(change, offsetOf(texts[side], change[side], room))
    }),
  }
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
