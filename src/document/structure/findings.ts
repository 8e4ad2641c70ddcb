import type { Problem } from '../../core/problem.ts'
import { plural } from '../../lib/plural.ts'
import { pathOf } from '../xml/element-path.ts'
import type { LineIndex } from '../text/line-index.ts'
import type { TextSource } from '../text/text-source.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { Span, XmlElement } from '../xml/xml-tree.ts'

const MAX_FINDINGS = 1000

/** Collects the problems of a document. Past a thousand it only counts. */
export class Findings {
  readonly lines: LineIndex
  readonly #source: TextSource
  readonly #found: { readonly offset: number; readonly problem: Problem }[] = []
  #unsaid = 0

  constructor({ source, lines }: Pick<XmlDocument, 'source' | 'lines'>) {
    this.#source = source
    this.lines = lines
  }

  /** An expensive message is given as a function, which is not called when the problem is only counted. */
  add(
    element: XmlElement,
    message: string | (() => string),
    offset: number = element.span.start,
  ): void {
    if (this.#found.length >= MAX_FINDINGS) {
      this.#unsaid += 1
      return
    }
    const rendered = typeof message === 'string' ? message : message()
    const problem = { message: rendered, path: pathOf(element), ...this.lines.positionOf(offset) }
    this.#found.push({ offset, problem })
  }

  /** The first character of a span that is not white space. */
  firstInk({ start, end }: Span): number {
    const ink = this.#source.slice(start, end).search(/[^ \t\r\n]/)
    return start + Math.max(ink, 0)
  }

  /** In the order of the document. */
  problems(): Problem[] {
    const problems = this.#found
      .toSorted((one, other) => one.offset - other.offset)
      .map(({ problem }) => problem)
    if (this.#unsaid > 0) {
      const message = `and ${this.#unsaid} more ${plural(this.#unsaid, 'problem')}`
      problems.push({ message })
    }
    return problems
  }
}
