import type { DocumentChange } from '../entities/change.ts'
import { DOCUMENT, ENTITY_KINDS, wholeEntityWord } from '../entities/entities.ts'
import { cutMiddle, cutPair, showable } from '../entities/shown-value.ts'
import { renderChange } from './render-change.ts'
import { groupBy } from '../../lib/grouping.ts'
import type { NonEmptyArray } from '../../lib/non-empty-array.ts'

/** A part of a subject line: the entity, where needed, and what happened. */
export interface Phrase {
  readonly head: string
  /** The text in several lengths, the longest first. */
  readonly forms: readonly [string, ...string[]]
  /** How many changes it covers. */
  readonly count: number
}

const MAX_VALUE_LENGTH = 36
const SHORT_VALUE_LENGTH = 24
/** Changes that need no stage and job for context. */
const STANDS_ALONE = /^(?:task\b|(?:resource|artifact|variable|stage|job|tab) )/
const MAX_LIST_LENGTH = 56
const VERBS = new Map([
  ['added', 'add'],
  ['removed', 'remove'],
  ['renamed', 'rename'],
])

/** The phrases for changes: whole entities first, then their parts. */
export function phrasesOf(changes: readonly DocumentChange[]): Phrase[] {
  const whole = groupBy(changes.filter(isWhole), (change) => {
    return `${change.kind} ${wholeEntityWord(change)}`
  })
  const inside = groupBy(
    changes.filter((change) => !isWhole(change)),
    (change) => `${prefixOf(change)} ${renderShort(change)}`,
  )
  return [...Array.from(whole.values(), wholePhrase), ...Array.from(inside.values(), insidePhrase)]
}

function isWhole(change: DocumentChange): boolean {
  return wholeEntityWord(change) !== null
}

function wholePhrase([first, ...others]: Group): Phrase {
  const word = wholeEntityWord(first) ?? ''
  const count = others.length + 1
  const verb = VERBS.get(first.kind) ?? 'change'
  if (others.length === 0) return { head: '', forms: [plain(renderShort(first))], count }
  const names = namesOf([first, ...others])
  const isShort = names.length <= MAX_LIST_LENGTH && first.kind !== 'renamed'
  const things = isShort ? `${plural(word)} ${names}` : `${count} ${plural(word)}`
  return { head: '', forms: [plain(`${verb} ${things}`)], count }
}

/** Joins equal phrases about several entities. */
function insidePhrase([first, ...others]: Group): Phrase {
  return {
    head: plain(headOf([first, ...others])),
    forms: [plain(renderShort(first)), ...shorterForms(first)],
    count: others.length + 1,
  }
}

/** Where room is short, drops the outermost steps, then the values. */
function shorterForms(change: DocumentChange): string[] {
  const { path, subject } = change
  const mayStandAlone = STANDS_ALONE.test(subject)
  const steps = path.map((_, step) => path.slice(step + 1))
  const paths = mayStandAlone ? steps : steps.slice(0, -1)
  const shortest = { ...change, path: paths.at(-1) ?? path }
  return [
    ...paths.map((inner) => renderShort({ ...change, path: inner })),
    renderShort(shortest, SHORT_VALUE_LENGTH),
  ].map(plain)
}

function headOf([first, ...others]: Group): string {
  const prefix = prefixOf(first)
  if (prefix === DOCUMENT) return ''
  if (prefix === 'server') return prefix
  const count = others.length + 1
  const names = namesOf([first, ...others])
  const word = ENTITY_KINDS.findLast((kind) => kind.prefix === prefix)?.word ?? prefix
  if (count > 1 && names.length > MAX_LIST_LENGTH) return `${count} ${plural(word)}`
  if (prefix === 'pipeline' || names === word) return names
  return `${count === 1 ? word : plural(word)} ${names}`
}

/** The names in a row: each that would fill the line is cut, and those that cannot be on it are left out. */
function namesOf(changes: readonly DocumentChange[]): string {
  const first = changes.slice(0, MAX_LIST_LENGTH)
  return first.map(({ label }) => cutMiddle(label, MAX_LIST_LENGTH)).join(', ')
}

function prefixOf({ entity }: DocumentChange): string {
  return entity.split('/', 1)[0] ?? ''
}

function plural(word: string): string {
  return `${word}s`.replace(/ys$/, 'ies')
}

/** The change in words, without the number of its lines and with long values cut. */
function renderShort(
  { kind, entity, label, path, subject, from, to }: DocumentChange,
  length = MAX_VALUE_LENGTH,
): string {
  const pair = cutPair(from ?? '', to ?? '', length)
  const values = {
    ...(from === undefined ? {} : { from: pair.from }),
    ...(to === undefined ? {} : { to: pair.to }),
  }
  return renderChange({ kind, entity, label, path, subject, ...values })
}

/** Words in plain characters, which every terminal shows and every search finds. */
function plain(text: string): string {
  return showable(text)
    .replaceAll(' → ', ' -> ')
    .replaceAll(' › ', ', ')
    .replaceAll(/[“”]/g, '"')
    .replaceAll('…', '...')
    .replaceAll('•••• hidden', 'hidden')
}

type Group = NonEmptyArray<DocumentChange>
