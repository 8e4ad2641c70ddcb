import { REVISION_KINDS } from '../../core/revision.ts'
import { parseOffset } from '../../core/page.ts'
import type { RevisionFilter } from '../../configuration/search/revision-filter.ts'
import type { ChosenRevisions, HistoryQuery } from './history-page.ts'
import type { EntityChangeKind } from '../../document/changes/entities-of.ts'
import { ENTITY_KINDS } from '../../document/entities/entities.ts'
import { endOfDayText, malformed, parseEndOfDay, parseSearchedText } from '../../http/parameters.ts'
import type { Query } from '../kit/links.ts'

/** The ways in which a revision leaves an entity. */
export const CHANGE_KINDS = [
  'created',
  'changed',
  'removed',
  'renamed',
] as const satisfies readonly EntityChangeKind[]

/** The kinds of entities with a history. */
export const HISTORY_KINDS: readonly string[] = [
  ...new Set(ENTITY_KINDS.map(({ prefix }) => prefix)),
]

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
    text: parseSearchedText(text, 'text'),
    username: user,
    kind: parseOneOf(REVISION_KINDS, given['kind'] ?? '', 'kind'),
    entity,
    changed: parseOneOf(CHANGE_KINDS, given['changed'] ?? '', 'changed'),
    entityKind: parseOneOf(HISTORY_KINDS, given['of'] ?? '', 'of'),
    since: given['since'] ? parseEndOfDay(given['since'], 'since', 'start') : null,
    until: given['until'] ? parseEndOfDay(given['until'], 'until', 'end') : null,
    agents: given['agents'] === '1',
    withoutNoise: given['noise'] === '0',
  }
  const chosen = { a: parseChosen(given['a']), b: parseChosen(given['b']) }
  const show = parseChosen(given['show'])
  return { filter, chosen, show, offset: offset === '' ? 0 : parseOffset(offset) }
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
    changed: filter.changed,
    of: filter.entityKind,
    since: filter.since === null ? '' : endOfDayText(filter.since, 'start'),
    until: filter.until === null ? '' : endOfDayText(filter.until, 'end'),
    agents: filter.agents ? '1' : null,
    noise: filter.withoutNoise ? '0' : null,
    offset: offset > 0 ? offset : null,
    a: a === null ? null : `r${a}`,
    b: b === null ? null : `r${b}`,
  }
}

const NONE_CHOSEN: ChosenRevisions = { a: null, b: null }

/** Of `r7`; null for anything else, which is not on this list. */
function parseChosen(name = ''): number | null {
  const number = /^r([1-9]\d{0,8})$/.exec(name)?.[1]
  return number === undefined ? null : Number(number)
}

function parseOneOf<Value extends string>(
  values: readonly Value[],
  text: string,
  name: string,
): Value | null {
  if (text === '') return null
  const value = values.find((each) => each === text)
  if (value !== undefined) return value
  throw malformed(`"${text}" is not one of ${values.join(', ')}`, name)
}
