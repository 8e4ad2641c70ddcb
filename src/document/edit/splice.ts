import type { Span } from '../xml/xml-tree.ts'

/** Puts `text` in the place of a span; an empty span inserts. */
export interface Splice extends Span {
  readonly text: string
}

/** One pass over the text. Splices must not overlap; those at one offset keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = splices.toSorted((a, b) => a.start - b.start || a.end - b.end)
  const pieces: string[] = []
  let position = 0
  for (const { start, end, text: piece } of ordered) {
    if (start < position) throw new Error(`two edits touch offset ${start}`)
    pieces.push(text.slice(position, start), piece)
    position = end
  }
  return [...pieces, text.slice(position)].join('')
}
