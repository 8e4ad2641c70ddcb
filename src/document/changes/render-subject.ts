import type { DocumentChange } from '../entities/change.ts'
import { type Phrase, phrasesOf } from './subject-phrases.ts'
import { isBeginning } from './summarise-changes.ts'
import { capitalised } from '../../lib/texts.ts'

const MAX_LENGTH = 100
const ELLIPSIS = '...'
/** The room for ` (and 12345 more)`. */
const REST = 18

/**
 * The changes as the subject line of a commit: on one line of at most about 100 characters, the
 * most important first.
 */
export function renderSubject(changes: readonly DocumentChange[]): string {
  if (isBeginning(changes)) return 'First configuration'
  const registered = renderRegistration(changes)
  if (registered !== null) return registered
  const meaningful = changes.filter(({ kind }) => kind !== 'reformatted')
  return meaningful.length === 0 ? renderForm(changes) : compose(phrasesOf(meaningful))
}

function renderRegistration(changes: readonly DocumentChange[]): string | null {
  const [first] = changes
  if (!first || !changes.every(isNewAgent)) return null
  if (changes.length > 1) return `Register ${changes.length} agents`
  return `Register agent ${first.label}`
}

function isNewAgent({ kind, entity, path, subject }: DocumentChange): boolean {
  const isWhole = path.length === 0 && subject.startsWith('agent ')
  return kind === 'added' && entity.startsWith('agent/') && isWhole
}

function renderForm(changes: readonly DocumentChange[]): string {
  const [first] = changes
  if (!first) return 'No change'
  const entities = new Set(changes.map(({ entity }) => entity))
  const where = entities.size === 1 && first.entity !== 'document' ? ` ${first.label}` : ''
  const isComments = changes.every(({ subject }) => subject === 'comments')
  return isComments ? `Change comments${where && ` of${where}`}` : `Reformat${where}`
}

/** As many phrases as fit, and the number of changes in the others. */
function compose(phrases: readonly Phrase[]): string {
  const total = phrases.reduce((sum, { count }) => sum + count, 0)
  let line = ''
  let head = ''
  let covered = 0
  for (const phrase of phrases) {
    const room = covered + phrase.count === total ? MAX_LENGTH : MAX_LENGTH - REST
    const about = phrase.head === '' || phrase.head === head ? '' : `${phrase.head}: `
    const longer = fitting(line === '' ? about : `${line}; ${about}`, phrase.forms, room)
    if (line !== '' && longer.length > room) break
    line =
      longer.length > room
        ? `${longer.slice(0, room - ELLIPSIS.length).trimEnd()}${ELLIPSIS}`
        : longer
    head = phrase.head
    covered += phrase.count
  }
  const rest = covered < total ? ` (and ${total - covered} more)` : ''
  return `${startingUpper(line, phrases[0])}${rest}`
}

/** The longest form that fits, or the shortest. */
function fitting(start: string, forms: Phrase['forms'], room: number): string {
  const lines = forms.map((form) => start + form)
  return lines.find(({ length }) => length <= room) ?? lines.at(-1) ?? start
}

/** A line that begins with a verb begins with a capital letter. */
function startingUpper(line: string, first: Phrase | undefined): string {
  return first?.head === '' ? capitalised(line) : line
}
