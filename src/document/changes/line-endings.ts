import type { DocumentChange } from '../entities/change.ts'
import { DOCUMENT, DOCUMENT_LABEL } from '../entities/entities.ts'
import { hasCharacter, type TextSource } from '../text/text-source.ts'

export const LINE_ENDINGS = 'line endings'
const NAMES = [
  ['CRLF', /\r\n/],
  ['LF', /(?<!\r)\n/],
  ['CR', /\r(?!\n)/],
] as const

/** The change between two texts that differ only in their line endings; null for any other. */
export function changeOfLineEndings(before: TextSource, after: TextSource): DocumentChange | null {
  if (!hasCharacter(before, '\r') && !hasCharacter(after, '\r')) return null
  const [older, newer] = [before.slice(), after.slice()]
  const [from, to] = [namesOf(older), namesOf(newer)]
  if (from === to || withLineFeeds(older) !== withLineFeeds(newer)) return null
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
