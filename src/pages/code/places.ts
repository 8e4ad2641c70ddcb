import {
  entityOfOpen,
  type PathEntity,
  type PathPart,
  pathOfOpen,
} from '../../document/highlight/open-path.ts'
import { XmlScanner } from '../../document/highlight/xml-scanner.ts'
import type { ChangedRange } from '../../diff/edit-script.ts'
import type { LineRange } from '../../diff/lines.ts'
import { contentStart, type TextLines } from '../../document/text/text-lines.ts'

/** The place of a change: its name for people, and the line to look at. */
export interface ChangePlace {
  readonly path: readonly PathPart[]
  readonly entity: PathEntity | null
}

/** Lines, and the place of the first one. */
export interface PlacedLines extends LineRange {
  readonly place: ChangePlace
}

interface Side {
  readonly lines: TextLines
  readonly scanner: XmlScanner
}

/** Finds the places of changes. They have to be requested in ascending order. */
export class Places {
  readonly #before: Side
  readonly #after: Side

  constructor(before: TextLines, after: TextLines) {
    this.#before = { lines: before, scanner: new XmlScanner(before.text) }
    this.#after = { lines: after, scanner: new XmlScanner(after.text) }
  }

  /** The place of the added text or, if nothing was added, of the removed text. */
  of(change: ChangedRange): ChangePlace {
    const isRemoval = change.after.start === change.after.end
    const side = isRemoval ? this.#before : this.#after
    return placeOf(side, firstMeaningful(side.lines, isRemoval ? change.before : change.after))
  }

  /** The lines of a range that are at some place, from the first to the last one; null for none. */
  within(
    side: 'before' | 'after',
    { start, end }: LineRange,
    isThere: (place: ChangePlace) => boolean,
  ): PlacedLines | null {
    const at = side === 'before' ? this.#before : this.#after
    const found: PlacedLines[] = []
    for (let line = start; line < end; line++) {
      const place = placeOf(at, line)
      if (isThere(place)) found.push({ place, start: line, end: line + 1 })
    }
    const [first] = found
    return first ? { ...first, end: found.at(-1)?.end ?? end } : null
  }
}

function placeOf({ lines, scanner }: Side, line: number): ChangePlace {
  const open = scanner.openAt(contentStart(lines, line))
  return { path: pathOfOpen(lines.text, open), entity: entityOfOpen(lines.text, open) }
}

/** The first line that does more than close an element that starts elsewhere. */
function firstMeaningful(lines: TextLines, { start, end }: { start: number; end: number }): number {
  for (let line = start; line < Math.min(end, start + 20); line++) {
    const at = contentStart(lines, line)
    if (at < (lines.starts[line + 1] ?? 0) && !lines.text.startsWith('</', at)) return line
  }
  return start
}
