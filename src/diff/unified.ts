import { type DiffOptions, type EditScript, editScript } from './edit-script.ts'
import { CONTEXT, type Hunk, hunksOf } from './hunks.ts'
import { LINE_FEED, type LineRange, type Lines } from './lines.ts'

export interface UnifiedOptions extends DiffOptions {
  /** Unchanged lines around a change; 3 when not given. */
  readonly context?: number
}

const UNCHANGED = 32
const REMOVED = 45
const ADDED = 43
const NO_LINE_FEED = '\n\\ No newline at end of file\n'
/** An upper bound for a hunk header and the marks of missing line feeds. */
const HUNK_OVERHEAD = 200

/** The unified diff of two texts: hunks only, as `git diff` writes them; empty for equal texts. */
export function unifiedDiff(
  before: Uint8Array,
  after: Uint8Array,
  options: UnifiedOptions = {},
): Uint8Array {
  return renderUnified(editScript(before, after, options), options.context)
}

export function renderUnified(script: EditScript, context: number = CONTEXT): Uint8Array {
  const hunks = hunksOf(script, context)
  const page = new Page(hunks.reduce((size, hunk) => size + mostBytes(script, hunk), 0))
  for (const hunk of hunks) writeHunk(page, script, hunk)
  return page.written()
}

/** `@@ -a,b +c,d @@`, the way git writes it: `,1` is left out, and an empty side names the line before. */
function hunkHeader({ before, after }: Pick<Hunk, 'before' | 'after'>): string {
  return `@@ -${position(before)} +${position(after)} @@`
}

function position({ start, end }: LineRange): string {
  const count = end - start
  if (count === 0) return `${start},0`
  return count === 1 ? `${start + 1}` : `${start + 1},${count}`
}

function writeHunk(page: Page, { before, after }: EditScript, hunk: Hunk): void {
  page.writeText(`${hunkHeader(hunk)}\n`)
  let at = hunk.after.start
  for (const change of hunk.changes) {
    page.writeLines(after, { start: at, end: change.after.start }, UNCHANGED)
    page.writeLines(before, change.before, REMOVED)
    page.writeLines(after, change.after, ADDED)
    at = change.after.end
  }
  page.writeLines(after, { start: at, end: hunk.after.end }, UNCHANGED)
}

function mostBytes({ before, after }: EditScript, hunk: Hunk): number {
  const lines = hunk.before.end - hunk.before.start + hunk.after.end - hunk.after.start
  return lines + span(before, hunk.before) + span(after, hunk.after) + HUNK_OVERHEAD
}

function span({ starts }: Lines, { start, end }: LineRange): number {
  return (starts[end] ?? 0) - (starts[start] ?? 0)
}

/** Writes bytes into a buffer of sufficient size. */
class Page {
  readonly #bytes: Uint8Array
  #length = 0

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  writeText(text: string): void {
    for (let n = 0; n < text.length; n++) this.#bytes[this.#length + n] = text.charCodeAt(n)
    this.#length += text.length
  }

  writeLines({ bytes, starts }: Lines, { start, end }: LineRange, mark: number): void {
    if (start === end) return
    const page = this.#bytes
    let to = this.#length
    let from = starts[start] ?? 0
    for (let line = start; line < end; line++) {
      const next = starts[line + 1] ?? 0
      page[to++] = mark
      while (from < next) page[to++] = bytes[from++] ?? 0
    }
    this.#length = to
    if (page[to - 1] !== LINE_FEED) this.writeText(NO_LINE_FEED)
  }
}
