import type { ConsolePart } from './console-part.ts'
import { consoleLineHtml } from './ansi.ts'

/**
 * The lines of a console as list items, built as a string because there are many. The one that
 * tells of the failure can be linked to.
 */
export function consoleHtml({ lines, first }: ConsolePart, failure: number | null = null): string {
  return lines
    .map((line, n) => {
      const id = first + n === failure ? ' id="failure"' : ''
      return `<li value="${first + n + 1}"${id}>${consoleLineHtml(line)}\n</li>`
    })
    .join('')
}
