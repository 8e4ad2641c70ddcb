import type { Span, XmlElement } from '../xml/xml-tree.ts'

/** A child element with the white space and the comments that belong to it. */
export interface Segment {
  readonly element: XmlElement
  /** The text in front of it. */
  readonly lead: Span
  /** A comment behind it on its last line; empty for none. */
  readonly trail: Span
}

/** The content of an element: its children, and the text behind the last one. */
export interface ElementContent {
  readonly segments: readonly Segment[]
  readonly tail: Span
  /** Whether text other than white space stands in it. */
  readonly hasText: boolean
}

/** The content of an absent element. */
export const NO_CONTENT: ElementContent = {
  segments: [],
  tail: { start: 0, end: 0 },
  hasText: false,
}

/** Between an opening tag and its closing tag; empty for an empty-element tag. */
export function innerSpan({ openTag, closeTag }: XmlElement): Span {
  return { start: openTag.end, end: closeTag?.start ?? openTag.end }
}

/** Divides the content of an element among its children. Comments belong to the child that follows them. */
export function readContent(text: string, element: XmlElement): ElementContent {
  const inner = innerSpan(element)
  const segments: Segment[] = []
  let hasText = false
  let last: XmlElement | null = null
  let lead = inner.start
  let gap: Gap = { start: inner.start, comments: [] }
  const endGap = (end: number) => {
    const trailEnd = last === null ? gap.start : endOfTrail(text, gap, end)
    if (last !== null) {
      const trail = { start: gap.start, end: trailEnd }
      segments.push({ element: last, lead: { start: lead, end: last.span.start }, trail })
    }
    return trailEnd
  }
  for (const child of element.children) {
    if (child.kind === 'aside') gap.comments.push(child.span)
    else if (child.kind === 'text') hasText ||= child.cdata || /\S/.test(child.text)
    else {
      lead = endGap(child.span.start)
      last = child
      gap = { start: child.span.end, comments: [] }
    }
  }
  return { segments, tail: { start: endGap(inner.end), end: inner.end }, hasText }
}

/** The content between two elements. */
interface Gap {
  readonly start: number
  readonly comments: Span[]
}

/** The end of the comments on the line of an element, where there are any and the line ends behind them. */
function endOfTrail(text: string, { start, comments }: Gap, end: number): number {
  let from = start
  for (const [n, next] of [...comments, { start: end, end }].entries()) {
    const lineBreak = text.slice(from, next.start).search(/[\r\n]/)
    if (lineBreak >= 0) return n === 0 ? start : from + lineBreak
    from = next.end
  }
  return start
}
