import type { DocumentChange } from '../entities/change.ts'
import { DOCUMENT, DOCUMENT_LABEL } from '../entities/entities.ts'

export const LINE_ENDINGS = 'line endings'
const NAMES = [
  ['CRLF', /\r\n/],
  ['LF', /(?<!\r)\n/],
  ['CR', /\r(?!\n)/],
] as const

/** The change between two texts that differ only in their line endings; null for any other. */
export function changeOfLineEndings(before: string, after: string): DocumentChange | null {
  if (!(before.includes('\r') || after.includes('\r'))) return null
  const [from, to] = [namesOf(before), namesOf(after)]
  if (from === to || withLineFeeds(before) !== withLineFeeds(after)) return null
  return {
    kind: 'changed',
    entity: DOCUMENT,
    label: DOCUMENT_LABEL,
    path: [],
    subject: LINE_ENDINGS,
    from,
    to,
  }
}

function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

function namesOf(text: string): string {
  return NAMES.flatMap(([name, pattern]) => (pattern.test(text) ? [name] : [])).join(' and ')
}
