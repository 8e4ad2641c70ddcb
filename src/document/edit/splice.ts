import type { TextSource } from '../text/text-source.ts'
import type { Span } from '../xml/xml-tree.ts'

/** Puts `text` in the place of a span; an empty span inserts. */
export interface Splice extends Span {
  readonly text: string
}

/** One pass over the text. Splices must not overlap; those at one offset keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const pieces: string[] = []
  let position = 0
  for (const { start, end, text: piece } of inOrder(splices)) {
    pieces.push(text.slice(position, start), piece)
    position = end
  }
  return [...pieces, text.slice(position)].join('')
}

/** The same for the UTF-8 of a text: what no splice touches is copied as it is. */
export function spliceBytes(
  { source, bytes }: { readonly source: TextSource; readonly bytes: Uint8Array },
  splices: readonly Splice[],
): Uint8Array<ArrayBuffer> {
  const isAscii = source.length === bytes.length
  const placeOf = (offset: number) =>
    isAscii ? offset : Buffer.byteLength(source.slice(0, offset), 'utf8')
  const pieces: Uint8Array[] = []
  let position = 0
  for (const { start, end, text: piece } of inOrder(splices)) {
    pieces.push(bytes.subarray(position, placeOf(start)), Buffer.from(piece))
    position = placeOf(end)
  }
  return joined([...pieces, bytes.subarray(position)])
}

/** Not in the pool that small buffers share: the document would keep it. */
function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let position = 0
  for (const piece of pieces) {
    bytes.set(piece, position)
    position += piece.length
  }
  return bytes
}

function inOrder(splices: readonly Splice[]): readonly Splice[] {
  const ordered = splices.toSorted((a, b) => a.start - b.start || a.end - b.end)
  for (const [n, { start }] of ordered.entries()) {
    if (start < (ordered[n - 1]?.end ?? 0)) throw new Error(`two edits touch offset ${start}`)
  }
  return ordered
}
