/** Where a text stands in a document. */
export interface FoundText {
  readonly text: string
  /** The lines, from 1; not more of them than a page can use. */
  readonly lines: readonly number[]
  /** How many lines there are in all. */
  readonly count: number
}

const MOST = 1000

/** The lines that have a text in them, in whatever case. */
export function findText(lines: Iterable<string>, text: string): FoundText {
  const wanted = text.toLowerCase()
  const found: number[] = []
  let count = 0
  let number = 0
  for (const line of lines) {
    number += 1
    if (!line.toLowerCase().includes(wanted)) continue
    count += 1
    if (found.length < MOST) found.push(number)
  }
  return { text, lines: found, count }
}
