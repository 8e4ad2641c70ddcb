import { raw } from 'hono/html'
import { parseRestoreSubject } from '../../core/restore-subject.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { Links } from '../kit/links.ts'
import { withNamedCharacters } from '../kit/odd-characters.ts'

export interface ChangeWordsProps {
  readonly revision: NumberedRevision
  /** Null for readers who may not see whole revisions. */
  readonly links: Links | null
  /** Whether a long message is cut, as in lists. */
  readonly isShort?: boolean
}

/** The most characters of a message in a list. */
const SHORT = 240

/** Characters that change the order in which others are shown. */
const REORDERING = /\p{Bidi_Control}/gu

/**
 * Why a revision was made, in the words of its author: the revision that it takes up again, the
 * subject of a commit made with git, and the message. Nothing where nobody said anything.
 */
export function ChangeWords({ revision, links, isShort = false }: ChangeWordsProps) {
  const { message } = revision
  const subject = writtenSubject(revision)
  const text = [subject, message].filter((part) => part !== '').join('\n\n')
  const isCut = isShort && text.length > SHORT
  const shown = isCut ? `${text.slice(0, SHORT).trimEnd()}…` : text
  return (
    <>
      <Restored revision={revision} links={links} />
      {text !== '' && (
        <p class="words" dir="auto">
          {raw(withNamedCharacters(shown, REORDERING))}
        </p>
      )}
    </>
  )
}

function Restored({ revision, links }: ChangeWordsProps) {
  const restored = parseRestoreSubject(revision.subject)
  if (restored === null) return <></>
  const { verb, what, number } = restored
  const name = `r${number}`
  return (
    <p class="restored">
      <span class="badge renamed">{verb === 'Restore' ? 'restored' : 'undone'}</span>{' '}
      {verb === 'Restore' && `${what ?? 'everything'} from `}
      {links === null ? name : <a href={links.snapshot(name)}>{name}</a>}
    </p>
  )
}

/** Services summarise changes in the subject; only people who commit with git write something else. */
function writtenSubject({ kind, subject }: NumberedRevision): string {
  return kind === 'git' ? subject : ''
}
