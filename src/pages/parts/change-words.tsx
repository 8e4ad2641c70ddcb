import { raw } from 'hono/html'
import { parseRestoreSubject } from '../../core/restore-subject.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { revisionTitle } from '../revisions/revision-title.ts'
import type { Links } from '../kit/links.ts'
import { withNamedCharacters } from '../kit/words/escape.ts'

export interface ChangeWordsProps {
  readonly revision: NumberedRevision
  /** Null for readers who may not see whole revisions. */
  readonly links: Links | null
  /** Whether the first line stands elsewhere, as the headline of the page does. */
  readonly isBelowHeadline?: boolean
}

/** The most characters of a headline; what follows is below it. */
const MAX_HEADLINE = 160

/** Characters that change the order in which others are shown. */
const REORDERING = /\p{Bidi_Control}/gu

/**
 * Why a revision was made, in the words of its author: the revision that it takes up again, the
 * subject of a commit made with git, and the message. Nothing where nobody said anything.
 */
export function ChangeWords({ revision, links, isBelowHeadline = false }: ChangeWordsProps) {
  const { first, rest } = wordsOf(revision)
  const text = isBelowHeadline ? rest : [first, rest].filter((part) => part !== '').join('\n')
  return (
    <>
      <RestoredFrom revision={revision} links={links} />
      {text !== '' && <p class="words">{spoken(text)}</p>}
    </>
  )
}

interface ChangeHeadlineProps {
  readonly revision: NumberedRevision
  /** Stands in place of words where nobody said anything. */
  readonly without?: string
}

/** The first line of the author above what a revision changed. */
export function ChangeHeadline({ revision, without = '' }: ChangeHeadlineProps) {
  const { first } = wordsOf(revision)
  if (first === '' && without === '') return <></>
  return <b class="headline">{first === '' ? without : spoken(first)}</b>
}

/** The sentence that a revision is known by: the first line of its author, or what it changed. */
export function Headline({ revision }: { revision: NumberedRevision }) {
  return spoken(headlineOf(revision))
}

function headlineOf(revision: NumberedRevision): string {
  const { first } = wordsOf(revision)
  return first === '' ? revisionTitle(revision, null) : first
}

/** A text of an author, whose order nothing in it changes. */
function spoken(text: string) {
  return (
    <span class="spoken" dir="auto">
      {raw(withNamedCharacters(text, REORDERING))}
    </span>
  )
}

/** The words of an author: a line that fits, and all others. Both are empty where nobody said anything. */
export function wordsOf(revision: NumberedRevision): RevisionWords {
  const parts = [writtenSubject(revision), revision.message].filter((part) => part !== '')
  const [line = '', ...others] = parts.join('\n\n').split('\n')
  const isLong = line.length > MAX_HEADLINE
  const first = isLong ? `${line.slice(0, MAX_HEADLINE).trimEnd()}…` : line
  const after = isLong ? `…${line.slice(MAX_HEADLINE)}` : ''
  return { first, rest: [after, ...others].join('\n').trim() }
}

interface RevisionWords {
  readonly first: string
  readonly rest: string
}

/** The revision that another one takes up again or undoes. */
export function RestoredFrom({ revision, links }: ChangeWordsProps) {
  const restored = parseRestoreSubject(revision.subject)
  if (restored === null) return <></>
  const { verb, what, number } = restored
  const name = `r${number}`
  return (
    <span class="restored">
      <span class="badge renamed">{verb === 'Restore' ? 'restores' : 'reverts'}</span>{' '}
      {verb === 'Restore' && `${what ?? 'everything'} from `}
      {links === null ? name : <a href={links.snapshot(name)}>{name}</a>}
    </span>
  )
}

/** Services summarise changes in the subject; only people who commit with git write something else. */
function writtenSubject({ kind, subject }: NumberedRevision): string {
  return kind === 'git' ? subject : ''
}
