import type { ChangedRange } from './edit-script.ts'

/** For each line of a text, the number of the edit that wrote it last. */
export type LineOrigins = Int32Array<ArrayBuffer>

/** An edit script without the texts. */
export interface Edit {
  readonly before: { readonly count: number }
  readonly after: { readonly count: number }
  readonly changes: readonly ChangedRange[]
}

/**
 * The origins of the lines after an edit: unchanged lines keep theirs, and `origin` is that of all
 * others.
 */
export function carryOrigins(before: LineOrigins, script: Edit, origin: number): LineOrigins {
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

/**
 * The origins of the lines of a merge, from the origins by each of its parents: a line has the
 * origin by the first parent that has the line, or `origin` when none has.
 */
export function originsOfMerge(carried: readonly LineOrigins[], origin: number): LineOrigins {
  const [first = new Int32Array(), ...others] = carried
  return first.map((own, line) => {
    const known = others.find((each) => own === origin && each[line] !== origin)
    return known?.[line] ?? own
  })
}
