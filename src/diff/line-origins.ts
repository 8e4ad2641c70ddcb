import type { EditScript } from './edit-script.ts'

/** For each line of a text, the number of the edit that wrote it last. */
export type LineOrigins = Int32Array<ArrayBuffer>

/** The origins of the lines after an edit: those of the lines that stay, and `origin` for all others. */
export function carryOrigins(before: LineOrigins, script: EditScript, origin: number): LineOrigins {
  const after = new Int32Array(script.after.count).fill(origin)
  let from = 0
  let to = 0
  for (const change of script.changes) {
    after.set(before.subarray(from, change.before.start), to)
    from = change.before.end
    to = change.after.end
  }
  after.set(before.subarray(from, script.before.count), to)
  return after
}
