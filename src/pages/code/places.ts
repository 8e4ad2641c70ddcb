import {
  entityOfOpen,
  type PathEntity,
  type PathPart,
  pathOfOpen,
} from '../../document/highlight/open-path.ts'
import { XmlScanner } from '../../document/highlight/xml-scanner.ts'
import type { ChangedRange } from '../../diff/edit-script.ts'
import { contentStart, type TextLines } from './text-lines.ts'

/** The place of a change: its name for people, and the line to look at. */
export interface ChangePlace {
  readonly path: readonly PathPart[]
  readonly entity: PathEntity | null
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
    const { lines, scanner } = isRemoval ? this.#before : this.#after
    const line = firstMeaningful(lines, isRemoval ? change.before : change.after)
    const open = scanner.openAt(contentStart(lines, line))
    return { path: pathOfOpen(lines.text, open), entity: entityOfOpen(lines.text, open) }
  }
}

/** The first line that does more than close an element that starts elsewhere. */
function firstMeaningful(lines: TextLines, { start, end }: { start: number; end: number }): number {
  for (let line = start; line < Math.min(end, start + 20); line++) {
    const at = contentStart(lines, line)
    if (at < (lines.starts[line + 1] ?? 0) && !lines.text.startsWith('</', at)) return line
  }
  return start
}
