import { REVISION_KINDS } from '../../core/revision-kind.ts'
import type { HistoryFilter } from './history-filter.ts'
import type { HistoryQuery } from './history-page.ts'
import { malformed, parseWholeNumber } from '../../http/parameters.ts'
import type { Query } from '../frame/links.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const TIME = /^\d{4}-\d\d(-\d\d)?(T\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i

type Given = Readonly<Record<string, string>>

/**
 * Parses the parameters of the history. Forms send empty fields, which count as absent.
 *
 * @throws {ServiceError} `malformed-request`
 */
export function parseHistoryQuery(given: Given): HistoryQuery {
  const { q = '', user = '', entity = '', offset = '' } = given
  const filter: HistoryFilter = {
    text: q.trim(),
    username: user,
    kind: parseKind(given['kind'] ?? ''),
    entity,
    since: parseDay(given['since'] ?? '', 'T00:00:00.000Z'),
    until: parseDay(given['until'] ?? '', 'T23:59:59.999Z'),
    agents: given['agents'] === '1',
    withoutNoise: given['noise'] === '0',
  }
  return { filter, offset: offset === '' ? 0 : parseWholeNumber(offset, 'offset') }
}

/** Renders the filter as parameters of an address. */
export function historyQueryOf(filter: HistoryFilter, offset = 0): Query {
  return {
    q: filter.text,
    user: filter.username,
    kind: filter.kind,
    entity: filter.entity,
    since: dayOf(filter.since),
    until: dayOf(filter.until),
    agents: filter.agents ? '1' : null,
    noise: filter.withoutNoise ? '0' : null,
    offset: offset > 0 ? offset : null,
  }
}

export function dayOf(time: number | null): string {
  return time === null ? '' : new Date(time).toISOString().slice(0, 10)
}

function parseKind(text: string): HistoryFilter['kind'] {
  if (text === '') return null
  const kind = REVISION_KINDS.find((each) => each === text)
  if (kind) return kind
  throw malformed(`"${text}" is not one of ${REVISION_KINDS.join(', ')}`, 'kind')
}

function parseDay(day: string, moment: string): number | null {
  if (day === '') return null
  const time = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}${moment}`) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw malformed(`"${day}" is not a day such as 2015-06-05`, 'since')
}

/**
 * The last moment of a month, day, minute or second; null for a text that names none. The state "at
 * 14:03" is the one at the end of that minute, so that changes within it are included. Without a
 * zone it is in UTC, as all times on pages.
 */
export function lastMomentOf(text: string): number | null {
  const [, day, clock, seconds, fraction, zone] = TIME.exec(text) ?? []
  const start = TIME.test(text) ? Date.parse(clock && !zone ? `${text}Z` : text) : Number.NaN
  if (Number.isNaN(start)) return null
  if (fraction) return start
  if (seconds) return start + SECOND - 1
  if (clock) return start + MINUTE - 1
  const next = new Date(start)
  if (day) next.setUTCDate(next.getUTCDate() + 1)
  else next.setUTCMonth(next.getUTCMonth() + 1)
  return next.getTime() - 1
}
