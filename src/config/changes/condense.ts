import { constructAt, nameOf } from '../highlight/xml-scanner.ts'
import { WholeElements } from '../highlight/whole-elements.ts'
import type { Span } from '../xml-tree.ts'

/**
 * A document without the contents of large elements that nothing has touched. Both texts of a
 * comparison condensed have the same differences in the same lines, and are much quicker to read.
 */
export function condense(text: string, isTouched: (span: Span) => boolean): string {
  const wholes = new WholeElements(text)
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length;) {
    const construct = constructAt(text, at)
    at = construct.end
    if (construct.kind !== 'open' || text[at - 2] === '/') continue
    const end = wholes.endOf(nameOf(text, construct), construct)
    if (end === null || isTouched({ start: construct.start, end })) continue
    parts.push(text.slice(from, at - 1), '/>', lineFeeds(text, { start: at, end }))
    from = end
    at = end
  }
  parts.push(text.slice(from))
  return parts.join('')
}

/** As many line feeds as there are in a part of a text. */
function lineFeeds(text: string, { start, end }: Span): string {
  let count = 0
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    count += 1
  }
  return '\n'.repeat(count)
}
