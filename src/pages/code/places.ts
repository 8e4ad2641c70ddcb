import {
  entityOfOpen,
  type PathEntity,
  type PathPart,
  pathOfOpen,
} from '../../document/highlight/open-path.ts'
import { XmlScanner } from '../../document/highlight/xml-scanner.ts'
import type { ChangedRange } from '../../diff/edit-script.ts'
import { contentStart, type TextLines } from './text-lines.ts'

/** Where a change is: what people call the place, and the line to look at. */
export interface ChangePlace {
  readonly path: readonly PathPart[]
  readonly entity: PathEntity | null
}

interface Side {
  readonly lines: TextLines
  readonly scanner: XmlScanner
}

/** Tells where changes are. They are asked for from front to back. */
export class Places {
  readonly #before: Side
  readonly #after: Side

  constructor(before: TextLines, after: TextLines) {
    this.#before = { lines: before, scanner: new XmlScanner(before.text) }
    this.#after = { lines: after, scanner: new XmlScanner(after.text) }
  }

  /** The place of what was added or, where nothing was, of what was removed. */
  of(change: ChangedRange): ChangePlace {
    const isRemoval = change.after.start === change.after.end
    const { lines, scanner } = isRemoval ? this.#before : this.#after
    const line = firstTelling(lines, isRemoval ? change.before : change.after)
    const open = scanner.openAt(contentStart(lines, line))
    return { path: pathOfOpen(lines.text, open), entity: entityOfOpen(lines.text, open) }
  }
}

/** The first line that does not only close an element which begins elsewhere. */
function firstTelling(lines: TextLines, { start, end }: { start: number; end: number }): number {
  for (let line = start; line < Math.min(end, start + 20); line++) {
    const at = contentStart(lines, line)
    if (at < (lines.starts[line + 1] ?? 0) && !lines.text.startsWith('</', at)) return line
  }
  return start
}
