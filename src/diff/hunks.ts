import type { ChangedRange, EditScript } from './edit-script.ts'
import type { LineRange } from './lines.ts'

/** Neighbouring changes, with the unchanged lines around them. */
export interface Hunk {
  readonly before: LineRange
  readonly after: LineRange
  readonly changes: readonly ChangedRange[]
}

/** Options for the lines of context around a change. */
export const CONTEXT = 3

export function hunksOf(script: EditScript, context: number = CONTEXT): Hunk[] {
  const hunks: Hunk[] = []
  let near: ChangedRange[] = []
  for (const change of script.changes) {
    const last = near.at(-1)
    if (last && change.before.start - last.before.end > 2 * context) {
      hunks.push(hunkOf(script, near, context))
      near = []
    }
    near.push(change)
  }
  if (near.length > 0) hunks.push(hunkOf(script, near, context))
  return hunks
}

/** The numbers of removed and added lines of a diff. */
export function countLines({ changes }: Pick<EditScript, 'changes'>) {
  let removed = 0
  let added = 0
  for (const { before, after } of changes) {
    removed += before.end - before.start
    added += after.end - after.start
  }
  return { removed, added }
}

function hunkOf(script: EditScript, changes: readonly ChangedRange[], context: number): Hunk {
  const first = changes[0]
  const last = changes.at(-1)
  if (!first || !last) throw new RangeError('a hunk has changes')
  const above = Math.min(context, first.before.start, first.after.start)
  const below = Math.min(
    context,
    script.before.count - last.before.end,
    script.after.count - last.after.end,
  )
  return {
    before: { start: first.before.start - above, end: last.before.end + below },
    after: { start: first.after.start - above, end: last.after.end + below },
    changes,
  }
}
