import type { CommitSha, Revision } from '../../core/revision.ts'
import { parseMessage, renderMessage, subjectOf } from '../revision/message.ts'
import { IMPORTED_TRAILER } from './imported-commits.ts'

/**
 * The message of an imported commit: the words that it had, or in the place of the original's
 * line of facts what has changed; then the facts as trailers, and which commit it was.
 */
export function renderImported(
  revision: Revision,
  { sha, message, changes }: { sha: CommitSha; message: string; changes: string },
): string {
  const [subject = '', ...more] = wordsOf(message, changes).trim().split('\n')
  const facts = renderMessage({ ...revision, subject })
  const end = facts.indexOf('\n')
  const body = more.length === 0 ? '' : `\n${more.join('\n')}`
  return `${facts.slice(0, end)}${body}${facts.slice(end)}${IMPORTED_TRAILER}: ${sha}\n`
}

function wordsOf(message: string, changes: string): string {
  const form = parseMessage(message)?.form
  if (form === 'original') return changes
  return form === 'trailers' ? subjectOf(message) : message.replaceAll('\0', '')
}
