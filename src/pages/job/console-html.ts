import type { ConsolePart } from './console-part.ts'
import { consoleLineHtml } from './ansi.ts'

/** The lines of a console as list items, built as a string because there are many. */
export function consoleHtml({ lines, first }: ConsolePart): string {
  return lines
    .map((line, n) => `<li value="${first + n + 1}">${consoleLineHtml(line)}\n</li>`)
    .join('')
}
