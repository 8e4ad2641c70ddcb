import { REVISION_KINDS } from '../../core/revision.ts'
import { parseOffset } from '../../core/page.ts'
import type { RevisionFilter } from '../../configuration/search/revision-filter.ts'
import type { ChosenRevisions, HistoryQuery } from './history-page.ts'
import { malformed, parseSearchedText } from '../../http/parameters.ts'
import { firstMomentOf } from '../../lib/moments.ts'
import type { Query } from '../kit/links.ts'

type Given = Readonly<Record<string, string>>

/**
 * Parses the parameters of the history. Forms send empty fields, which count as absent.
 *
 * @throws {ServiceError} `malformed-request`
 */
export function parseHistoryQuery(given: Given): HistoryQuery {
  const { q = '', text = '', user = '', entity = '', offset = '' } = given
  const filter: RevisionFilter = {
    mentions: q.trim(),
    text: parseSearchedText(text),
    username: user,
    kind: parseKind(given['kind'] ?? ''),
    entity,
    changed: null,
    entityKind: null,
    since: parseDay(given['since'] ?? '', 'T00:00:00.000Z'),
    until: parseDay(given['until'] ?? '', 'T23:59:59.999Z'),
    agents: given['agents'] === '1',
    withoutNoise: given['noise'] === '0',
  }
  const chosen = { a: parseChosen(given['a']), b: parseChosen(given['b']) }
  return { filter, chosen, offset: offset === '' ? 0 : parseOffset(offset) }
}

/** Renders filter, place and choice as parameters of an address. */
export function historyQueryOf(
  filter: RevisionFilter,
  offset = 0,
  { a, b }: ChosenRevisions = NONE_CHOSEN,
): Query {
  return {
    q: filter.mentions,
    text: filter.text,
    user: filter.username,
    kind: filter.kind,
    entity: filter.entity,
    since: dayOf(filter.since),
    until: dayOf(filter.until),
    agents: filter.agents ? '1' : null,
    noise: filter.withoutNoise ? '0' : null,
    offset: offset > 0 ? offset : null,
    a: a === null ? null : `r${a}`,
    b: b === null ? null : `r${b}`,
  }
}

export const NONE_CHOSEN: ChosenRevisions = { a: null, b: null }

/** Of `r7`; null for anything else, which is not on this list. */
function parseChosen(name = ''): number | null {
  const number = /^r([1-9]\d{0,8})$/.exec(name)?.[1]
  return number === undefined ? null : Number(number)
}

export function dayOf(time: number | null): string {
  return time === null ? '' : new Date(time).toISOString().slice(0, 10)
}

function parseKind(text: string): RevisionFilter['kind'] {
  if (text === '') return null
  const kind = REVISION_KINDS.find((each) => each === text)
  if (kind) return kind
  throw malformed(`"${text}" is not one of ${REVISION_KINDS.join(', ')}`, 'kind')
}

function parseDay(day: string, moment: string): number | null {
  if (day === '') return null
  const time = /^\d{4}-\d\d-\d\d$/.test(day) ? firstMomentOf(`${day}${moment}`) : null
  if (time !== null) return time
  throw malformed(`"${day}" is not a day such as 2015-06-05`, 'since')
}
